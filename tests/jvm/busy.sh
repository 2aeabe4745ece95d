# SPDX-License-Identifier: MIT
# A JVM that is busy is dumped again and again: by the agent, with and without
# what nothing holds, and by the JVM itself between. It must come to the same
# result as without, and every dump must be a good one.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

javac -nowarn -d . "$srcdir/tests/jvm/Busy.java" || exit 1
rounds=1500
right=$(java -Xmx96m -cp . Busy $rounds | grep '^sum') || exit 1
echo "$right"

failed=0
# busy OPTIONS...
busy() {
	local pid dumps=0 refused=0 live status

	rm -f out err ./*.hprof
	java "$@" -Xmx96m -XX:+IgnoreUnrecognizedVMOptions \
		-XX:+EnableDynamicAgentLoading -cp . Busy $rounds >out 2>err &
	pid=$!
	until [ -s out ] || ! kill -0 $pid 2>/dev/null; do
		sleep 0.1
	done
	if ! [ -s out ]; then
		echo "not here: $* ($(head -n 1 err))"
		return 0
	fi
	while ! grep -q '^sum' out && kill -0 $pid 2>/dev/null; do
		for live in y n; do
			rm -f agent.hprof
			jcmd $pid JVMTI.agent_load "$agent" \
				"\"file=$PWD/agent.hprof,doe=n,live=$live\"" \
				>said 2>&1
			# The JVM may have ended before or meanwhile.
			[ -s agent.hprof ] || { refused=$((refused + 1)); continue; }
			dumps=$((dumps + 1))
			hprof-check --for jdk,mat,visualvm agent.hprof \
				>checked 2>&1 && continue
			echo "not a good dump: $*, live=$live"
			cat said checked
			failed=$((failed + 1))
		done
		jcmd $pid GC.heap_dump -all "$PWD/jvm$dumps.hprof" >said 2>&1
		rm -f jvm*.hprof
	done
	wait $pid
	status=$?
	echo "$*: exit status $status, $dumps dumps, $(grep '^sum' out)"
	if [ $status != 0 ] || [ "$(grep '^sum' out)" != "$right" ] ||
		[ $dumps -lt 2 ] || [ $refused -gt 2 ]; then
		echo "FAILED: $refused without a dump; the JVM said:"
		tail -n 20 out err
		failed=$((failed + 1))
	fi
}

for collector in G1 Serial Parallel Z Shenandoah; do
	busy "-XX:+Use${collector}GC"
done
[ $failed = 0 ]
