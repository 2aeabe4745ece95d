# SPDX-License-Identifier: MIT
# Dumps at JVMPI's levels: by the agent, level=, in its own process and in a
# forked one, and by hprof-dump --level with each engine. The classes of a
# program that stands still have the same objects at each level, at 1 and 2 the
# same references; below 2 no value of the program is in the file.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/classes.bash"
. "$srcdir/tests/jvm/parked.bash"

secret='hush-hush-31415926|SECRETL!'
options=-XX:+IgnoreUnrecognizedVMOptions
park secret -Xmx128m $options -XX:+EnableDynamicAgentLoading -cp "$classes" \
	Secret hush-hush- 31415926 || die "did not start"

# ours FILE - instances of the classes that only the program uses in number.
ours() {
	hprof-stat --csv --top 0 "$1" | awk -F , '
		$1 == "Secret" || $1 ~ /^java.lang.String(Builder)?$/ {
			# The JVM itself adds a few strings between dumps.
			print $1, int($2 / 1000) }' | sort
}

# held FILE - elements of the array that holds 20,000 strings.
held() {
	hprof-query -q --format csv "$1" "SELECT count(*) FROM reference
		JOIN object o ON o.id = source JOIN class c ON c.id = o.class
		WHERE c.name = 'java.lang.Object[]' AND length = 20000" |
		tail -n 1 | tr -d "\r"
}

# judge NAME - NAME.0, .1 and .2.hprof.
judge() {
	local level

	for level in 0 1 2; do
		hprof-check -q $1.$level.hprof >check 2>&1 ||
			die "$1 $level: $(cat check)"
		[ "$(ours $1.$level.hprof)" = "$(ours $1.2.hprof)" ] ||
			die "$1 $level: other objects"
	done
	[ "$(held $1.2.hprof)" = 20000 ] || die "$1: no array"
	[ "$(held $1.1.hprof)" = 20000 ] || die "$1: references are missing"
	hprof-convert -q --to recipe $1.0.hprof - | grep _DUMP |
		grep -Eq '(data|elements|statics|fields)=' &&
		die "$1: contents at level 0"
	LC_ALL=C grep -aqE "$secret" $1.2.hprof || die "$1: no secret to find"
	# A name of a thread is a string of the dump, not of the heap.
	for level in 0 1; do
		hprof-convert -q --to recipe $1.$level.hprof - |
			grep DUMP | grep -E "$secret" &&
			die "$1: values at level $level"
		[ "$(stat -c %s $1.$level.hprof)" -le \
			"$(stat -c %s $1.2.hprof)" ] || die "$1 is larger"
	done
	rm $1.?.hprof
}

engines=walk
[ "$java_feature" -lt 17 ] || engines+=" fork"
for engine in $engines; do
	for level in 0 1 2; do
		jcmd $pid JVMTI.agent_load "$agent" "\"file=$PWD/$engine.$level.hprof,engine=$engine,level=$level,doe=n\"" \
			>out 2>&1 || die "$(cat out)"
	done
	judge $engine
done
for engine in vm $engines; do
	[ $engine = vm ] || engine+=" --agent $agent"
	for level in 0 1 2; do
		# shellcheck disable=SC2086 # a list
		hprof-dump -q --engine $engine --level $level \
			-o by.$level.hprof $pid || die "$engine: no dump"
	done
	judge by
done
jcmd $pid JVMTI.agent_load "$agent" \
	"\"file=$PWD/x.hprof,engine=vm,level=1\"" >out 2>&1
[ -e x.hprof ] && die "engine=vm wrote all"
unpark
grep -q 'engine=vm: not with level' secret.err || die "$(cat secret.err)"
