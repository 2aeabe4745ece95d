# SPDX-License-Identifier: MIT
# hprof-dump by root: JVMs of other users, and in namespaces of their own as
# containers have them, with another /tmp, which may be full.
. "$srcdir/tests/jvm/waiter.bash"

[ "$(id -u)" = 0 ] || { echo "takes root"; exit 77; }
unshare --pid --fork --mount --mount-proc true 2>/dev/null ||
	{ echo "there are no namespaces here"; exit 77; }
command -v setpriv >/dev/null || { echo "no setpriv"; exit 77; }

chmod 755 .
engines=vm
[ -n "$agent" ] && engines="vm walk"
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# dumps NAME OPTION... - a good dump.
dumps() {
	local file=$1
	shift
	hprof-dump -v -o "$file" "$@" 2>err || { cat err; fail "$file"; }
	hprof-check -q "$file" || fail "$file is no good dump"
	[ "$(count "$file" 'Waiter$Item')" = 5000 ] || fail "items in $file"
}

# Another user's.
prefix=("${nobody[@]}")
if "${nobody[@]}" test -x "$PWD" && "${nobody[@]}" test -r "$PWD/Waiter.class"; then
	start
	# A process of root with that number, which was killed, may have left one
	# behind. The JVM could not remove it.
	rm -f /tmp/.java_pid$pid
	for engine in $engines; do
		dumps user-$engine.hprof --engine $engine $pid
	done
	[ "$(stat -c %U:%a user-vm.hprof)" = root:600 ] || fail "whose it is"
	alive "of another user"
	hprof-dump --list | grep -E "^ *$pid +(nobody|65534) .*vm, walk" ||
		fail "it is not in the list"
	clean
	finish
	# The other way round it is refused, in one sentence.
	prefix=()
	start
	mkdir -m 777 theirs
	cd theirs || exit 1
	"${nobody[@]}" hprof-dump $pid >stdout 2>stderr
	[ $? = 2 ] || fail "a JVM of root was dumped by nobody"
	cat stderr
	grep -q "belongs to user root: run hprof-dump as that user or as root" stderr ||
		fail "the sentence"
	"${nobody[@]}" hprof-dump --list | grep -E "^ *$pid +root .*no: belongs to user root" ||
		fail "it is not in the list"
	cd ..
	alive "of root"
	finish
else
	echo "another user cannot come here: left out"
fi

# In namespaces of its own, with a small /tmp of its own. The JVM is the child.
cat >inside <<'X'
# The directory of the test may be in /tmp itself.
exec 9<.
mount -t tmpfs -o size="$1" tmpfs /tmp || exit
if ! [ -e "$PWD/inside" ]; then
	mkdir -p "$PWD"
	mount --no-canonicalize --bind /proc/self/fd/9 "$PWD" || exit
fi
exec 9<&-
shift
exec "$@"
X
inside() {
	local room=$1
	shift
	prefix=(unshare --pid --fork --kill-child --mount --mount-proc
		bash "$PWD/inside" "$room")
	start "$@"
	outer=$pid
	pid=$(pgrep -P "$outer") || fail "no JVM inside"
}
inside 100m
grep NStgid /proc/$pid/status
for engine in $engines; do
	dumps inside-$engine.hprof --engine $engine $pid
	[ $engine = vm ] || grep -q 'into the /tmp of the JVM' err ||
		case $agent in
		/tmp/*) fail "the agent was not copied" ;;
		esac
done
ls -A /proc/$pid/root/tmp
[ -z "$(find /proc/$pid/root/tmp -name 'hprof-dump*' -o -name '.attach*')" ] ||
	fail "left behind inside"
hprof-dump --list --json | grep -E "\"pid\": $pid, \"inner_pid\": 1, .*Waiter" ||
	fail "it is not in the list"
# Killed in the middle: nothing is left there, either.
for delay in 0 0.02 0.04 0.08; do
	hprof-dump -q -f -o killed $pid &
	dumper=$!
	sleep $delay
	kill -9 $dumper
	wait $dumper
done
nothing_inside() {
	[ -z "$(find /proc/$pid/root/tmp -name 'hprof-dump*')" ]
}
await nothing_inside || fail "left behind by SIGKILL"
alive "inside"
exec {input}>&-
wait $outer || fail "the JVM inside ended with $?"

# A /tmp with room for the agent alone: JDKs that need more there say so, and go
# on.
size=$(stat -c %s "${agent:-inside}")
inside $((size / 1024 + 256))k -XX:-UsePerfData
if hprof-dump -o full.hprof $pid 2>err; then
	hprof-check -q full.hprof || fail "no good dump from a full /tmp"
else
	cat err
	grep -q "the JVM could not make the dump: .*No space left on device" err ||
		fail "the sentence for a full /tmp"
fi
[ -n "$agent" ] && dumps full-walk.hprof --engine walk $pid
alive "with a full /tmp"
exec {input}>&-
wait $outer || fail "the JVM with a full /tmp ended with $?"
