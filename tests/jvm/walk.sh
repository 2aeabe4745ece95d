# SPDX-License-Identifier: MIT
# Dumps by the agent against those by the JVM itself, of one process that stands
# still, under each collector and layout of objects that this JDK has: the
# same objects, values, roots and stacks; the same number of objects in each
# class; and the JVM is none the worse for it.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }
. "$srcdir/tests/jvm/parked.bash"
. "$srcdir/tests/jvm/sample.bash"
. "$srcdir/tests/jvm/classes.bash"

make_natives
make_signed_jar

failed=0
bad() {
	echo "FAILED ($options): $*"
	failed=$((failed + 1))
}

# by_agent FILE OPTIONS
by_agent() {
	jcmd "$pid" JVMTI.agent_load "$agent" \
		"\"file=$PWD/$1,force=y,doe=n,$2\"" >said 2>&1
	if ! grep -q 'return code: 0' said || [ ! -s "$1" ]; then
		bad "no dump: $(cat said everything.err)"
		return 1
	fi
}

# by_jvm FILE JCMD_OPTIONS
by_jvm() {
	rm -f "$1"
	# shellcheck disable=SC2086
	jcmd "$pid" GC.heap_dump $2 "$PWD/$1" >said 2>&1
	[ -s "$1" ] || { bad "the JVM's own dump: $(cat said)"; return 1; }
}

# What the JVM uses for services like ours, in KB; old JVMs do not tell.
services() {
	jcmd "$pid" VM.native_memory summary |
		sed -n 's/.*Serviceability (reserved=\([0-9]*\)KB.*/\1/p'
}

open_files() {
	find "/proc/$pid/fd" -mindepth 1 | wc -l
}

take() {
	# Everything that the JVM loads for this is loaded before it counts.
	by_agent first.hprof live=y || return 1
	jcmd "$pid" GC.class_histogram >/dev/null
	jcmd "$pid" Thread.print >/dev/null
	jcmd "$pid" GC.run >/dev/null
	jcmd "$pid" GC.run >/dev/null
	services_before=$(services)
	files_before=$(open_files)

	by_agent live.hprof live=y || return 1
	by_jvm live-jvm.hprof '' || return 1
	by_agent four.hprof live=y,ids=4 || return 1
	by_jvm all-jvm.hprof -all || return 1
	jcmd "$pid" GC.class_histogram -all >histogram
	by_agent all.hprof live=n || return 1
	LC_ALL=C.UTF-8 jcmd "$pid" Thread.print >threads

	# And it lives on.
	jcmd "$pid" GC.run >/dev/null
	services_after=$(services)
	files_after=$(open_files)
	by_jvm after.hprof '' || return 1
}

# compare OURS THEIRS OPTIONS
compare() {
	local status

	# shellcheck disable=SC2086
	compare_dumps $3 "$1" "$2" >compared 2>&1
	status=$?
	[ $status = 0 ] && return 0
	bad "$1 and $2 differ"
	cat compared
}

# What loading the agent makes, and what collectors fill gaps with, may differ.
differing_counts() {
	LC_ALL=C join -a 1 -a 2 -e 0 -o 0,1.2,2.2 theirs ours | awk '
	{ more = $3 - $2 }
	$1 ~ /^(byte\[\]|int\[\]|java\.lang\.(String|Object\[\]))$/ &&
		more >= -3 && more <= 3 { next }
	more { print $1, $2, "but we have", $3 }'
}

judge() {
	local dump

	for dump in live all four; do
		hprof-check --for jdk,mat,visualvm "$dump.hprof" >checked 2>&1 ||
			bad "hprof-check $dump: $(cat checked)"
	done
	compare live.hprof live-jvm.hprof --live
	cp compared compared-live
	compare four.hprof live-jvm.hprof --live
	compare all.hprof all-jvm.hprof ''
	compare after.hprof live-jvm.hprof ''

	# shellcheck disable=SC2086
	compare_dumps --show live.hprof $everything >shown
	sed '/^ready/d' everything.out | diff - shown >difference ||
		bad "not the values of the program: $(head -n 20 difference)"

	from_jcmd <histogram | cut -d ' ' -f 1,2 >theirs
	hprof-stat --csv --top 0 all.hprof | from_stat |
		cut -d ' ' -f 1,2 >ours
	[ "$(wc -l <theirs)" -gt 100 ] || bad "no histogram"
	differing_counts >difference
	[ ! -s difference ] || bad "histogram: $(head -n 20 difference)"

	stacks_from_jcmd <threads >theirs
	hprof-stat --threads live.hprof | stacks_from_stat >ours
	[ "$(wc -l <theirs)" -gt 10 ] || bad "no stacks"
	LC_ALL=C comm -23 theirs ours >difference
	[ ! -s difference ] || bad "stacks: $(cat difference)"

	[ -z "$services_before" ] && [ "$java_feature" -lt 17 ] ||
		[ "$services_after" -lt $((services_before + 1000)) ] ||
		bad "memory of services: $services_before, then $services_after KB"
	[ "$files_after" = "$files_before" ] ||
		bad "open files: $files_before, then $files_after"
}

count=0
# What a JDK does not know it ignores, but for collectors.
ways=(
	"-XX:+UseG1GC -XX:+UseCompactObjectHeaders"
	"-XX:+UseSerialGC -XX:-UseCompressedOops"
)
least=2
if is_long; then
	ways+=(
		-XX:+UseG1GC
		-XX:+UseSerialGC
		-XX:+UseParallelGC
		-XX:+UseZGC
		-XX:+UseShenandoahGC
		"-XX:+UseSerialGC -Xshare:off"
	)
	least=5
fi
for options in "${ways[@]}"; do
	rm -f ./*.hprof
	# shellcheck disable=SC2086
	if ! park everything $options -Xmx128m -Xlog:disable \
		-XX:NativeMemoryTracking=summary \
		-XX:+IgnoreUnrecognizedVMOptions \
		-XX:+EnableDynamicAgentLoading \
		${natives:+-Dnatives=$natives} ${jar:+-Djar=$jar} \
		-cp "$classes" Everything; then
		echo "not here: $options ($(head -n 1 everything.err))"
		continue
	fi
	take
	taken=$?
	unpark || bad "exit status $?: $(cat everything.err)"
	[ $taken = 0 ] || continue
	judge
	count=$((count + 1))
	echo "done: $options: $(head -n 1 compared-live)"
done
echo "$count JVMs judged, $failed failures"
[ $failed = 0 ] && [ $count -ge $least ]
