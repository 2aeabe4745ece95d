# SPDX-License-Identifier: MIT
# The judge that we did not write: jcmd GC.class_histogram of the same JVM.
# hprof-stat must give the same instances and bytes for every class, under
# each collector and each way to lay out objects that this JDK has.
#
# Not compared: java.lang.Class, whose objects a dump holds as classes; and
# the filler arrays that a JVM counts apart but dumps as int[].
#
# The agent cannot reach a few objects that only the JVM refers to. Where it has
# the same instances, the sizes that its identifiers carry must be the same.
. "$srcdir/tests/await.bash"
trap end_children EXIT
. "$srcdir/tests/jvm/sample.bash"
. "$srcdir/tests/jvm/classes.bash"

# Starts a JVM with the options, dumps it, asks it, compares.
compare() {
	local pid input status

	rm -f input out dump.hprof
	mkfifo input
	java -Xmx256m -XX:+EnableDynamicAgentLoading "$@" -cp "$classes" Shapes 500 <input >out 2>err &
	pid=$!
	exec {input}>input
	await said_or_gone ready out $pid
	if ! grep -q ready out; then
		exec {input}>&-
		echo "not here: $* ($(head -n 1 err))"
		return 0
	fi
	# Loads what the JVM needs to answer, so that it is in the dump, too.
	jcmd $pid GC.class_histogram >/dev/null
	jcmd $pid GC.heap_dump "$PWD/dump.hprof" >/dev/null &&
		jcmd $pid GC.class_histogram >histogram
	status=$?
	[ -z "$agent" ] || jcmd $pid JVMTI.agent_load "$agent" \
		"\"file=$PWD/agent.hprof,force=y\"" >/dev/null
	exec {input}>&-
	wait $pid
	[ $status = 0 ] || { echo "jcmd failed: $*"; return 1; }
	from_jcmd <histogram >theirs
	hprof-stat --csv dump.hprof >csv || return 1
	from_stat <csv >ours
	[ "$(wc -l <theirs)" -gt 100 ] || { echo "no histogram"; return 1; }
	hprof-stat --csv -j1 dump.hprof | cmp - csv || return 1
	cat dump.hprof | hprof-stat --csv - | cmp - csv || return 1
	if ! cmp -s theirs ours; then
		echo "differs: $*"
		hprof-stat dump.hprof | grep -A1 '^sizes'
		diff theirs ours | head -n 20
		return 1
	fi
	if [ -n "$agent" ]; then
		hprof-stat --csv --top 0 agent.hprof | from_stat >agents
		differing_sizes theirs agents >difference
		if [ -s difference ]; then
			echo "the agent's dump differs: $*"
			hprof-stat agent.hprof | grep -A1 '^sizes'
			head -n 20 difference
			return 1
		fi
	fi
	compared=$((compared + 1))
	echo "same in $(wc -l <ours) classes: $*"
}

ways=(
	-XX:+UseSerialGC
	-XX:+UseZGC
	"-XX:+UseSerialGC -XX:-UseCompressedOops"
	"-XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
	"-XX:+UseG1GC -XX:ObjectAlignmentInBytes=32"
)
least=3
if is_long; then
	ways+=(
		-XX:+UseParallelGC
		-XX:+UseG1GC
		-XX:+UseShenandoahGC
		"-XX:+UseSerialGC -XX:-UseCompressedOops -XX:-UseCompressedClassPointers"
		"-XX:+UseSerialGC -XX:-UseCompressedClassPointers"
		"-XX:+UseZGC -XX:+UseCompactObjectHeaders"
		"-XX:+UseSerialGC -XX:ObjectAlignmentInBytes=16"
	)
	least=5
fi
try_ways compare "$least" "${ways[@]}"
