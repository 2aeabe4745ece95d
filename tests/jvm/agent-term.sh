# SPDX-License-Identifier: MIT
# SIGTERM during the dump of a full heap: HotSpot drops a signal if there is no
# room for the thread that handles it, so the agent keeps some.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/sample.bash"

# The JVM has ended, or dropped the signal.
decided() {
	! kill -0 $pid 2>/dev/null || grep -q 'dispatching signal' err
}

# term ENGINE JAVA_OPTIONS... - it ends by the signal, once the dump is whole.
term() {
	local engine=$1 status

	shift
	rm -f input out err t.hprof*
	mkfifo input
	java -Xmx40m "$@" -cp "$classes" \
		"-agentpath:$agent=file=t.hprof,oome=y,doe=n,engine=$engine" \
		AgentRun crowd <input >out 2>err &
	pid=$!
	exec 3>input
	wait_for test -e t.hprof.part
	kill -TERM $pid
	wait_for decided
	exec 3>&-
	wait $pid
	status=$?
	[ $status = 143 ] || die "exit status $status: $engine $*"
	good t.hprof
}

for gc in Serial G1; do
	for engine in auto walk; do
		is_long || [ $engine$gc != walkG1 ] || continue
		term $engine -XX:+Use${gc}GC
	done
done
