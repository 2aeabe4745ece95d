# SPDX-License-Identifier: MIT
# The Zero VM, which has no compiler: what only a variable of a frame refers to
# is in both engines' dumps, or a message says that the JVM does not tell.
. "$srcdir/tests/jvm/agent.bash"

java -zero -version 2>&1 | grep -q 'Zero VM' ||
	{ echo "this JDK has no Zero VM"; exit 77; }

for engine in walk vm; do
	start fill -zero "-agentpath:$agent=file=z.hprof,doe=n,engine=$engine"
	kill -QUIT $pid
	wait_for test -e z.hprof
	stop
	good z.hprof
	grep -q 'this JVM does not tell what the stacks' err ||
		hprof-stat --csv --top 0 z.hprof | awk -F, '
			$1 == "int[]" { found = $2 >= 32768 }
			END { exit !found }' ||
		die "engine $engine: the filling is missing, without a word"
	rm -f z.hprof
done

# An exhausted heap.
run exhaust -zero "-agentpath:$agent=file=z.hprof,oome=y,doe=n"
said "z.hprof: $by_vm"
good z.hprof
