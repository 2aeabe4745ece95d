# SPDX-License-Identifier: MIT
# Objects that are larger than their fields: padded, or with injected fields.
# hprof-stat must give each class the bytes of jcmd GC.class_histogram, and
# java.lang.Class to 0.2 %, under each collector and each way to lay out objects
# that this JDK has. Prints a table.
#
# The agent's dump with identifiers of 4 bytes gives the same sizes: it is one of
# a 64-bit JVM, though no identifier says so.
#
# Without archived heaps, since jcmd counts objects of these that no dump has.
. "$srcdir/tests/jvm/parked.bash"
. "$srcdir/tests/jvm/sample.bash"
. "$srcdir/tests/jvm/classes.bash"

# Compiles the program with the annotation that this JDK has.
compile() {
	local exports=()

	if [ "$java_feature" -lt 9 ]; then
		sed 's/jdk.internal.vm.annotation/sun.misc/' \
			"$srcdir/tests/jvm/Padded.java" >Padded.java
	else
		cp "$srcdir/tests/jvm/Padded.java" .
		exports=(--add-exports
			java.base/jdk.internal.vm.annotation=ALL-UNNAMED)
	fi
	javac -nowarn "${exports[@]}" -d . Padded.java >javac.out 2>&1
}

# Starts a JVM with the options, dumps it, and asks it; 1: not on this JDK.
run() {
	local status loading=()

	[ "$java_feature" -lt 9 ] || loading=(-XX:+EnableDynamicAgentLoading)
	rm -f dump.hprof
	park padded -Xmx256m -Xshare:off -XX:+UnlockExperimentalVMOptions \
		-XX:-RestrictContended "${loading[@]}" "$@" -cp . Padded 20 5 ||
		return 1
	# Loads what the JVM needs to answer, so that it is in the dump, too.
	jcmd $pid GC.class_histogram >/dev/null
	jcmd $pid GC.heap_dump "$PWD/dump.hprof" >/dev/null &&
		jcmd $pid GC.class_histogram >histogram
	status=$?
	[ -z "$agent" ] || jcmd $pid JVMTI.agent_load "$agent" \
		"\"file=$PWD/four.hprof,ids=4,force=y\"" >/dev/null
	unpark
	[ $status = 0 ] || { echo "jcmd failed: $*"; exit 1; }
}

# "instances bytes" of java.lang.Class by both, and the difference in percent.
class_objects() {
	awk -F '[ ,]+' '
		NR == FNR { if ($5 == "java.lang.Class") { n = $3; b = $4 } }
		NR > FNR && $1 == "java.lang.Class" {
			if ($2 != n) { print "other"; exit }
			printf "%+.2f", ($3 - b) * 100 / b
		}' histogram csv
}

# Objects of a class may come and go between dump and histogram; so sizes count
# where the numbers of objects are the same, which is nearly everywhere.
compare() {
	local apart differ percent

	if ! run "$@"; then
		printf '%-8s  not here: %s\n' "$java_feature" "$*"
		return 0
	fi
	from_jcmd <histogram >theirs
	hprof-stat --csv dump.hprof >csv || return 1
	from_stat <csv >ours
	[ "$(wc -l <theirs)" -gt 100 ] || { echo "no histogram"; return 1; }
	join theirs ours >both
	apart=$(awk '$2 != $4' both | wc -l)
	differ=$(awk '$2 == $4 && $3 != $5' both | wc -l)
	percent=$(class_objects)
	printf '%-8s %5d classes, %d other bytes, %d other counts, Class %s %%: %s\n' \
		"$java_feature" "$(wc -l <both)" "$differ" "$apart" "$percent" "$*"
	compared=$((compared + 1))
	awk '$2 == $4 && $3 != $5' both
	if [ -n "$agent" ]; then
		hprof-stat --csv four.hprof | from_stat >agents
		differing_sizes theirs agents | tee difference
		[ ! -s difference ] || return 1
	fi
	[ "$(grep -c '^Padded\$[^$]' both)" -ge 20 ] &&
		[ "$differ" = 0 ] && [ "$apart" -le 5 ] &&
		awk -v p="$percent" 'BEGIN { exit !(p >= -0.2 && p <= 0.2) }'
}

compile || { cat javac.out; exit 1; }
ways=(
	-XX:+UseSerialGC
	"-XX:+UseG1GC -XX:-UseCompressedOops"
	"-XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
	"-XX:+UseG1GC -XX:ObjectAlignmentInBytes=32"
)
least=3
if is_long; then
	ways+=(
		-XX:+UseParallelGC
		-XX:+UseG1GC
		-XX:+UseConcMarkSweepGC
		-XX:+UseShenandoahGC
		-XX:+UseZGC
		"-XX:+UseZGC -XX:+UseCompactObjectHeaders"
		"-XX:+UseSerialGC -XX:-UseCompressedOops -XX:-UseCompressedClassPointers"
		"-XX:+UseSerialGC -XX:-UseCompressedClassPointers"
		"-XX:+UseSerialGC -XX:-UseCompactObjectHeaders"
		"-XX:+UseSerialGC -XX:+UseCompactObjectHeaders -XX:-UseCompressedOops"
		"-XX:+UseParallelGC -XX:ObjectAlignmentInBytes=16"
		"-XX:+UseG1GC -XX:+UseCompactObjectHeaders -XX:ObjectAlignmentInBytes=16"
		"-XX:+UseG1GC -XX:+UseCompactObjectHeaders -XX:ObjectAlignmentInBytes=32"
	)
fi
try_ways compare "$least" "${ways[@]}"
