# SPDX-License-Identifier: MIT
# A JVM that is busy is dumped again and again: by the agent, with and without
# what nothing holds, and by the JVM itself between. It must come to the same
# result as without, and every dump must be a good one.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

. "$srcdir/tests/await.bash"
trap end_children EXIT
. "$srcdir/tests/jvm/sample.bash"

collectors=(G1 Z)
laps=2
rounds=200
if is_long; then
	collectors+=(Serial Parallel Shenandoah)
	laps=5
	rounds=1500
fi
right=$(java -Xmx96m -cp "$classes" Busy $rounds </dev/null | grep '^sum') ||
	exit 1
echo "$right"

failed=0
complain() {
	echo "FAILED: $*; the JVM said:"
	tail -n 20 out err
	failed=$((failed + 1))
}

# by_agent LIVE - the JVM is dumped by the agent.
by_agent() {
	rm -f agent.hprof
	jcmd $pid JVMTI.agent_load "$agent" \
		"\"file=$PWD/agent.hprof,doe=n,live=$1\"" >said 2>&1
	[ -s agent.hprof ] || { complain "no dump, live=$1: $(cat said)"; return; }
	hprof-check --for jdk,mat,visualvm agent.hprof >checked 2>&1 ||
		complain "not a good dump, live=$1: $(cat said checked)"
}

# busy OPTIONS...
busy() {
	local pid lap input status

	rm -f input out err ./*.hprof
	mkfifo input
	java "$@" -Xmx96m -XX:+IgnoreUnrecognizedVMOptions \
		-XX:+EnableDynamicAgentLoading -cp "$classes" Busy $rounds \
		<input >out 2>err &
	pid=$!
	exec {input}>input
	await said_or_gone ready out $pid
	if ! grep -q '^ready' out; then
		exec {input}>&-
		echo "not here: $* ($(head -n 1 err))"
		return 0
	fi
	for ((lap = 0; lap < laps; lap++)); do
		by_agent y
		by_agent n
		jcmd $pid GC.heap_dump -all "$PWD/jvm$lap.hprof" >said 2>&1
		rm -f jvm*.hprof
	done
	exec {input}>&-
	wait $pid
	status=$?
	echo "$*: exit status $status, $((2 * laps)) dumps, $(grep '^sum' out)"
	[ $status = 0 ] && [ "$(grep '^sum' out)" = "$right" ] ||
		complain "$*: another result"
}

for collector in "${collectors[@]}"; do
	busy "-XX:+Use${collector}GC"
done
[ $failed = 0 ]
