# SPDX-License-Identifier: MIT
# A dump out of a container whose file systems are all read-only, to a program
# beside it that may do nothing but connect: as two containers of a pod.
. "$srcdir/tests/jvm/agent.bash"

# Both with a /tmp that nobody can write to, in one network of their own.
seal() {
	mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"
}
export -f seal
unshare -rmn bash -c 'seal /tmp && seal /var/tmp && ! touch /tmp/x' \
	2>/dev/null || { echo "no namespaces of mounts and networks"; exit 77; }

cat >pod <<'EOF'
ip link set lo up || exit 77
seal /tmp && seal /var/tmp || exit 1
TMPDIR=/var/tmp hprof-dump --listen 7070 --wait -c gz -o - 2>&4 >&5 &
sidecar=$!
java -Xmx64m -XX:+UseSerialGC -XX:-UsePerfData \
	"-agentpath:$agent=net=127.0.0.1:7070,oome=y,doe=n" \
	-cp "$classes" AgentRun exhaust </dev/null
echo "the program: $?"
wait $sidecar
echo "the sidecar: $?"
EOF
unshare -rmn bash pod >out 2>err 4>said 5>heap.gz
[ $? != 77 ] || { echo "no command ip"; exit 77; }
grep -qx 'the program: 7' out || die "the program did something else"
grep -qx 'the sidecar: 0' out || die "$(cat said)"
said "127.0.0.1:7070: $taken"
chmod 600 heap.gz
good heap.gz
