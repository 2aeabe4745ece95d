# SPDX-License-Identifier: MIT
# hprof-dump does no harm: not to what is no JVM, nor to JVMs that cannot be
# dumped, nor when it is stopped itself; and it says why.
. "$srcdir/tests/jvm/waiter.bash"

# No JVM: nothing is sent to it.
sleep 100 &
sleeper=$!
refuses "not a JVM" $sleeper
kill -0 $sleeper || fail "sleep did not survive"
kill $sleeper
refuses "no such process" 2147483647

# Without a handler for SIGQUIT, and nothing from outside that says so.
printf -- '-Xrs -XX:+DisableAttachMechanism -XX:-UsePerfData\n' >arguments
start @arguments
refuses "-XX:+DisableAttachMechanism" $pid
rm arguments
refuses "it has no handler for SIGQUIT" $pid
alive "without a handler"
finish
# The same as its command says, or its counters do.
start -Xrs -XX:+DisableAttachMechanism
refuses "-XX:+DisableAttachMechanism" $pid
alive "-Xrs"
finish
# With a handler, it prints its threads, and goes on.
printf -- '-XX:+DisableAttachMechanism -XX:-UsePerfData\n' >arguments
start @arguments
rm arguments
refuses "it did not begin to listen in 1 seconds" --timeout 1 $pid
alive "attach disabled"
clean
finish
# Known from wherever java and its JVM take options. The last one counts.
forbid="-XX:+DisableAttachMechanism -XX:-UsePerfData"
printf '%s\n' "$forbid" >options
printf '+DisableAttachMechanism\n-UsePerfData\n' >flags
# prints_no_threads NAME [OPTION] - it is refused, and no signal was sent.
prints_no_threads() {
	refuses "nothing can attach to it: it runs with -XX:+DisableAttachMechanism" $pid
	alive "attach disabled by $*"
	grep -q 'Full thread dump' out jvm.err && fail "SIGQUIT in spite of $*"
	finish
}
for name in JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS; do
	prefix=(env "$name=$forbid")
	start
	prints_no_threads $name
done
prefix=()
for option in -XX:VMOptionsFile=options -XX:Flags=flags @options; do
	start $option
	prints_no_threads $option
done
prefix=(env "JAVA_TOOL_OPTIONS=$forbid")
start -XX:-DisableAttachMechanism
hprof-dump -q -o allowed.hprof $pid || fail "the command line allows it"
finish
prefix=()
# -Xrs alone has its socket from the start.
start -Xrs
hprof-dump -q -o xrs.hprof $pid || fail "-Xrs"
rm -f "/tmp/.java_pid$pid"
refuses "it has no handler for SIGQUIT" $pid
alive "-Xrs without its socket"
finish

# Stopped before, and its socket is there; stopped meanwhile.
start
hprof-dump -q -o first.hprof $pid || fail first
kill -STOP $pid
await grep -q '^State:.*T' /proc/$pid/status || fail "it does not stop"
refuses "is stopped" $pid
kill -CONT $pid
alive "after a stop"
# Its socket is gone: it makes another.
rm "/tmp/.java_pid$pid"
hprof-dump -q -o deleted.hprof $pid || fail "a deleted socket"
alive "after its socket was deleted"
finish

# A socket that a process with that pid left.
rm -f fake.pid fake.log
fake-jvm 'reply=0\n' >fake.pid 2>fake.log &
await test -s fake.pid || fail "no fake JVM: $(cat fake.log)"
fake=$(cat fake.pid)
kill -QUIT $fake
await test -S /tmp/.java_pid$fake || fail "the fake JVM does not listen"
start
mv /tmp/.java_pid$fake /tmp/.java_pid$pid
# It is alive, and would answer: but it is not the JVM.
hprof-dump -q -o impostor.hprof $pid || fail "a socket of another process"
# That somebody connected and went, it says too.
grep 'fake-jvm: [a-z]' fake.log | grep -v ': no request$' &&
	fail "the other one was asked"
kill -9 $fake
alive "after an impostor"
finish
start
rm -f fake.pid fake.log
fake-jvm -s 'reply=0\n' >fake.pid 2>fake.log &
await test -s fake.pid || fail "no fake JVM: $(cat fake.log)"
fake=$(cat fake.pid)
mv /tmp/.java_pid$fake /tmp/.java_pid$pid
kill -9 $fake
hprof-dump -q -o stale.hprof $pid || fail "a stale socket"
alive "after a stale socket"

# No room here.
refuses "No space left on device" -o /dev/full $pid
(
	ulimit -f 1000
	refuses "File too large" $pid
) || exit 1
[ -e refused.part ] || fail "no part is left"
grep -q "refused.part has what came before" refused.err || fail "nothing said of it"
hprof-stat refused.part >/dev/null 2>&1
[ $? = 1 ] || fail "hprof-stat cannot read the part"
# The reader leaves.
hprof-dump $pid -o - 2>err | head -c 100000 >/dev/null
[ "${PIPESTATUS[0]}" = 2 ] || fail "the reader left"
alive "after full disks"
clean

finish

# The reader takes nothing, and there is no room to put the dump aside.
start -Xmx256m -Dballast=60
thread=$(ls /proc/$pid/task | grep -v "^$pid$" | head -n 1)
refuses "is a thread of process $pid" "$thread"
hprof-dump -q -o - $pid >/dev/null || fail "the first dump of all"
TMPDIR=/nonexistent hprof-dump --timeout 3 $pid -o - 2>err | {
	await grep -q "the output took nothing for 3 seconds" err && >stuck
	cat err
}
[ -e stuck ] || fail "no limit for a reader that is stuck"
alive "after a reader that is stuck"
clean
# With room, it waits for the reader, and the JVM does not.
hprof-dump -q $pid -o - 2>err | {
	sleep 1
	alive "while we wait for a reader"
	hprof-check -q - || cat err
} || fail "a slow reader"

# Killed at any time: the JVM goes on, and nothing is left behind.
for signal in TERM INT HUP KILL; do
	for delay in 0 0.002 0.005 0.01 0.02 0.03 0.05 early; do
		rm -f killed killed.part
		# In the background a shell ignores SIGINT; env does not.
		env --default-signal=INT hprof-dump -q -o killed $pid 2>err &
		dumper=$!
		if [ $delay = early ]; then
			sleep 0.01
		else
			for _ in $(seq 2000); do
				compgen -G "/tmp/hprof-dump-$pid-*" >/dev/null && break
				kill -0 $dumper 2>/dev/null || break
			done
			sleep $delay
		fi
		kill -$signal $dumper 2>/dev/null
		wait $dumper
		status=$?
		echo "SIG$signal after $delay: $status" >>signals
		[ -e killed ] && ! hprof-check -q killed && fail "half a dump"
		case $signal:$status in
		*:0) [ -e killed ] || fail "no dump" ;;
		KILL:137) ;;
		*:2) grep -q "interrupted by SIG$signal" err || { cat err; fail "no reason"; } ;;
		# Before it could catch it.
		*:14[0-9] | *:13[0-9] | *:129) ;;
		*) cat err; fail "exit status $status by SIG$signal" ;;
		esac
	done
	alive "after SIG$signal"
	clean
done
cat signals
hprof-dump -q -o last.hprof $pid || fail "the last dump"
hprof-check -q last.hprof || fail "the last dump is no good"
finish

# Agents are refused, the JVM's own dumper is not.
if [ -n "$agent" ]; then
	echo -XX:-EnableDynamicAgentLoading >arguments
	start @arguments
	hprof-dump -o own.hprof --engine walk $pid 2>err || fail "its own dumper"
	grep "it takes no agents while it runs.*: the engine is vm" err ||
		fail "why it is its own dumper"
	rm arguments
	refuses "it takes no agents while it runs" --engine walk $pid
	hprof-dump -q -f -o own.hprof $pid || fail "its own dumper"
	alive "without agents"
	finish
	start
	refuses "it cannot load the agent: " --engine walk --agent out $pid
	refuses "cannot find the agent missing" --engine walk --agent missing $pid
	alive "after an agent that is none"
	# A path that version 1 of the protocol has no room for.
	name=$(printf '%0200d' 0)
	folder=$PWD/$name/$name/$name/$name/$name/$name
	mkdir -p "$folder" && cp "$agent" "$folder/agent.so" || exit 1
	if hprof-dump -q --engine walk --agent "$folder/agent.so" -o long $pid 2>err; then
		hprof-check -q long || fail "a long path"
		echo "version 2 of the protocol"
	else
		cat err
		grep -q "too long for its version of the attach protocol" err ||
			fail "the sentence for a long path"
	fi
	alive "after a long path"
	finish
fi
clean
