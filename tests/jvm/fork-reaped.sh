# SPDX-License-Identifier: MIT
# Forked dumps of a JVM that does not learn how its children end: SIGCHLD is
# ignored, or another thread waits for all of them. And of one that starts
# processes of its own meanwhile: it learns how each of those ends.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/fork.bash"
. "$srcdir/tests/jvm/classes.bash"
needs_fork
late=(-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading
	-XX:+UseSerialGC -Xmx64m)

# dumps WHO - one that is whole, one whose process is killed, and another.
dumps() {
	attach_fork file=f.hprof || die "$1: $(cat attach)"
	good f.hprof
	fork_into_pipe ""
	kill -KILL $child
	wait $asking && die "$1: a dump, in spite of all"
	grep -q 'return code: 20' attach || die "$1: $(cat attach)"
	exec 4<&-
	await is_alone || die "$1: a process is left"
	attach_fork file=f.hprof,force=y || die "$1: not again: $(cat attach)"
	good f.hprof
	rm f.hprof
	echo "$1: done"
}

# ---- nobody is told -------------------------------------------------------------

mkfifo input
(
	trap '' CHLD
	exec java "${late[@]}" -cp "$classes" Children <input >out 2>err
) &
pid=$!
exec 3>input
await said_or_gone ready out $pid
grep -q '^SigIgn:.*1....$' /proc/$pid/status || die "SIGCHLD is not ignored"
dumps "SIGCHLD is ignored"

# ---- processes of the program ------------------------------------------------------

# Java's first process has SIGCHLD do what it does by itself.
echo go >&3
wait_for grep -qx begun out
grep -q '^SigIgn:.*1....$' /proc/$pid/status && die "SIGCHLD is still ignored"
for i in 1 2 3; do
	attach_fork file=f.hprof,force=y || die "$i: $(cat attach)"
	good f.hprof
done
echo end >&3
stop
grep -qx 'right many' out || die "$(tail -n 1 out)"
echo "processes of the program: done"

# ---- somebody else is told -----------------------------------------------------------

if $CC -shared -fPIC -o reap_all.so "$srcdir/tests/jvm/reap_all.c" -lpthread; then
	LD_PRELOAD=$PWD/reap_all.so start fill "${late[@]}"
	dumps "another thread waits for all"
	stop
else
	echo "reap_all.c cannot be compiled"
fi
