# SPDX-License-Identifier: MIT
# Dumps out of containers: one whose file systems are all read-only, to a program
# beside it that may do nothing but connect, as two containers of a pod; and one
# that can be attached to from outside, with nothing but a small /tmp in memory.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/classes.bash"

# Both with a /tmp that nobody can write to, in one network of their own.
seal() {
	mount --rbind "$1" "$1" && mount -o remount,bind,ro "$1"
}
export -f seal
unshare -rmn bash -c 'seal /tmp && seal /var/tmp && ! touch /tmp/x' \
	2>/dev/null || { echo "no namespaces of mounts and networks"; exit 77; }

# ---- over a connection ---------------------------------------------------------

cat >pod <<'EOF'
ip link set lo up || exit 77
seal /tmp && seal /var/tmp || exit 1
TMPDIR=/var/tmp hprof-dump --listen 7070 --wait -c gz -o - 2>&4 >&5 &
sidecar=$!
# 7070 is 1B9E; 0A is LISTEN.
until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -qE ':1B9E 0+:0000 0A' ||
	! kill -0 $sidecar; do
	sleep 0.1
done
java -Xmx64m -XX:+UseSerialGC -XX:-UsePerfData \
	"-agentpath:$agent=net=127.0.0.1:7070,oome=y,doe=n$engine" \
	-cp "$classes" AgentRun exhaust </dev/null
echo "the program: $?"
wait $sidecar
echo "the sidecar: $?"
EOF

# by_pod OPTION - the JVM dumps when its heap is exhausted.
by_pod() {
	engine=$1 unshare -rmn bash pod >out 2>err 4>said 5>heap.gz
	[ $? != 77 ] || { echo "no command ip"; exit 77; }
	grep -qx 'the program: 7' out ||
		die "the program did something else with '$1'"
	grep -qx 'the sidecar: 0' out || die "$(cat said)"
	said "127.0.0.1:7070: $taken"
	chmod 600 heap.gz
	good heap.gz
}

by_pod ''
[ "$java_feature" -lt 17 ] || by_pod ,engine=fork

# ---- by process id ---------------------------------------------------------------

# In user, mount and process namespaces of its own, all of it read-only but a
# /tmp in memory, which has room for the agent and for nothing else.
[ "$(id -u)" = 0 ] || exit 0
room=$(($(stat -Lc %s "$agent") + 256 * 1024))
export room
cat >inside <<'EOF'
exec 9<.
mount -t tmpfs -o size=$room tmpfs /tmp || exit 77
if ! [ -e "$PWD/inside" ]; then
	mkdir -p "$PWD"
	mount --no-canonicalize --bind /proc/self/fd/9 "$PWD" || exit 77
fi
exec 9<&-
seal "$PWD" && seal /var/tmp || exit 1
exec java -Xmx128m -XX:+UseSerialGC -XX:-UsePerfData \
	-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading \
	-cp "$PWD" AgentRun fill
EOF
# Here, where another /tmp can have them.
cp "$classes"/AgentRun*.class .
rm -f input out err
mkfifo input
unshare -Urm --pid --fork --kill-child --mount-proc bash inside \
	<input >out 2>err &
outer=$!
exec 3>input
await said_or_gone ready out $outer
grep -q '^ready' out || { cat err; echo "no namespaces of processes"; exit 77; }
pid=$(pgrep -P $outer) || die "no JVM inside"

# written - what the JVM and its children have written to disks, in bytes.
written() {
	sed -n 's/^write_bytes: //p' /proc/$pid/io
}

# Where the JVM does not see it, so that it gets a copy: there is room for one.
hidden=$(mktemp -d /tmp/hidden.XXXXXX) || die "no /tmp"
trap 'rm -r "$hidden"; end_children' EXIT
cp "$agent" "$hidden"
engines="walk walk"
[ "$java_feature" -lt 17 ] || engines+=" fork fork"
for engine in $engines; do
	before=$(written)
	hprof-dump --engine $engine --agent "$hidden/libhprof-agent.so" \
		-c gz -o - $pid >heap.gz 2>said || die "$engine: $(cat said)"
	chmod 600 heap.gz
	good heap.gz
	size=$(zcat heap.gz | wc -c)
	[ "$size" -gt $room ] || die "a dump of $size bytes fits into /tmp"
	[ "$(written)" = "$before" ] || die "$engine: something was written"
	[ -z "$(find /proc/$pid/root/tmp -name 'hprof*' -o -name '.attach*')" ] ||
		die "$engine: something is left in /tmp"
done
[ "$(grep -o '/tmp/hprof-dump-[^/]*/' /proc/$pid/maps | sort -u | wc -l)" = 1 ] ||
	die "there is more than one copy of the agent"
exec 3>&-
wait $outer
[ $? = 7 ] || die "exit status in the end"
