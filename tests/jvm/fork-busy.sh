# SPDX-License-Identifier: MIT
# Forked processes that dump a JVM whose program changes the heap all the time:
# the dumps are good, what does not change is counted exactly, and the program
# comes to the right result.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/sample.bash"
. "$srcdir/tests/jvm/classes.bash"
needs_fork

collectors=(G1 Serial)
dumps=3
if is_long; then
	collectors+=(Parallel Shenandoah)
	dumps=6
fi

# number FILE CLASS - how many objects there are.
number() {
	hprof-stat --csv --top 0 "$1" | awk -F, -v class="$2" '$1 == class { print $2 }'
}

busy() {
	local i input

	rm -f input out err
	mkfifo input
	java -Xmx96m "-XX:+Use$1GC" -XX:+IgnoreUnrecognizedVMOptions \
		-XX:+EnableDynamicAgentLoading -cp "$classes" Mutating \
		<input >out 2>err &
	pid=$!
	exec {input}>input
	await said_or_gone ready out $pid
	grep -q '^ready' out || die "$1: it did not start"
	for ((i = 0; i < dumps; i++)); do
		attach_fork "file=m.hprof,force=y,verbose=n" ||
			die "$1: $(cat attach)"
		good m.hprof
		[ "$(number m.hprof 'Mutating$Item')" = 50000 ] ||
			die "$1: $(number m.hprof 'Mutating$Item') items"
		[ "$(number m.hprof 'Mutating$Node')" -gt 0 ] || die "$1: no nodes"
		[ "$(hprof-check m.hprof | grep -c dangling)" = 0 ] ||
			die "$1: $(hprof-check m.hprof)"
	done
	exec {input}>&-
	wait $pid || die "$1: it ended badly"
	grep -qx right out || die "$1: another result"
	echo "$1: $dumps dumps"
}

for gc in "${collectors[@]}"; do
	busy "$gc"
done
