# SPDX-License-Identifier: MIT
# The agent loaded into a running JVM: a dump at once, again and again; what is
# refused comes back as a return code; and the JVM is none the worse for it.
. "$srcdir/tests/jvm/agent.bash"

start wait
attach file=a.hprof || die "$(cat attach)"
good a.hprof
said "a.hprof: $taken"
attach file=a.hprof,ids=4 || die "$(cat attach)"
good a.hprof.1
attach file=a.hprof,force=y,verbose=n,live=n || die "$(cat attach)"
good a.hprof
[ ! -e a.hprof.2 ] || die "force=y made another file"

# Its name alone, which the JVM looks for.
attach '' || die "no options"
mv java_pid$pid.hprof default.hprof || die "no default name"
good default.hprof

# Options that are none.
for options in help nonsense doe=maybe monitor=x 'file='; do
	attach "file=no.hprof,$options" && die "$options was taken"
	grep -q '^return code: 2' attach || die "$options: $(cat attach)"
done
grep -q '^hprof-agent: nonsense: unknown option; ' err || die "no message"
grep -q 'heap=dump' out || die "no help"

# What cannot be written. As root most directories can.
attach file=no/such/no.hprof && die "wrote into no directory"
grep -q '^return code: 1' attach || die "$(cat attach)"
grep -q '^hprof-agent: no/such/no.hprof: no dump: .*No such file' err ||
	die "no reason"
if [ "$(id -u)" != 0 ]; then
	mkdir locked
	chmod 500 locked
	attach file=locked/no.hprof && die "wrote into a locked directory"
	grep -q '^hprof-agent: locked/no.hprof: no dump: .*denied' err ||
		die "no reason"
fi
attach file=/proc/no.hprof && die "wrote into /proc"
attach file=/dev/full && die "/dev/full was taken for a file"
grep -q '^hprof-agent: /dev/full: no dump: it is a device' err ||
	die "no reason"
[ ! -e /dev/full.1 ] || die "/dev/full.1 is there"
attach file=/dev/full,force=y && die "wrote to a full disk"
grep -q '^hprof-agent: /dev/full: no dump: .*No space left' err ||
	die "no reason"
[ ! -e no.hprof ] || die "no.hprof is there"

# A pipe takes the dump, if it is told to.
mkfifo pipe
cat pipe >piped.hprof &
attach file=pipe,force=y || die "$(cat attach)"
wait $!
chmod 600 piped.hprof
good piped.hprof
attach file=pipe,force=n || die "$(cat attach)"
good pipe.1 # a pipe that somebody put there does not get it

# The JVM's own tools work as before, and nothing of the agent is left: no tag
# as a root of its own, no descriptor, no thread.
ls -l /proc/$pid/fd | grep 'hprof$\|part$\|pipe$' && die "files are open"
jcmd $pid GC.run >/dev/null || die "no collection"
jcmd $pid GC.heap_dump "$PWD/own.hprof" >/dev/null || die "no own dump"
hprof-check -q own.hprof || die "its own dump is not good any more"
jcmd $pid Thread.print >threads || die "no thread dump"
grep -qi hprof threads && die "a thread is left"
kill -QUIT $pid # no request any more
attach file=z.hprof || die "$(cat attach)"
good z.hprof
stop
[ "$(ls ./*.hprof* | wc -l)" = 6 ] || die "files: $(ls ./*.hprof*)"
rm -f ./*.hprof* pipe*

# It stays if there is more to do.
start wait
attach file=e.hprof,doe=y || die "$(cat attach)"
good e.hprof
kill -QUIT $pid
wait_for test -e e.hprof.1
stop
good e.hprof.1
good e.hprof.2
[ ! -e e.hprof.3 ] || die "four dumps"
rm -f e.hprof*

# Loaded again, the newest takes the place of the one before; a dump alone does
# not; and oome=n,doe=n takes it out.
start wait
attach file=1.hprof,oome=y || die "$(cat attach)"
attach file=2.hprof,doe=y || die "$(cat attach)"
attach file=plain.hprof || die "$(cat attach)"
kill -QUIT $pid
wait_for test -e 2.hprof.1
stop
good 2.hprof.2
[ ! -e 1.hprof.1 ] || die "the one before dumped, too"
start wait
attach file=3.hprof,doe=y || die "$(cat attach)"
attach file=4.hprof,oome=n,doe=n || die "$(cat attach)"
stop
good 3.hprof
good 4.hprof
[ ! -e 3.hprof.1 ] || die "it was not taken out"
rm -f ./*.hprof*

# Beside one that was there from the beginning.
start wait "-agentpath:$agent=file=first.hprof"
attach file=second.hprof || die "$(cat attach)"
good second.hprof
[ ! -e first.hprof ] || die "the first agent dumped, too"
stop
good first.hprof
