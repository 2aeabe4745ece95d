# SPDX-License-Identifier: MIT
# Dumps by a forked process (engine=fork) against those by a walk of the same
# process, which stands still: the same objects. It is refused where it would do
# harm. The forked process keeps nothing of the JVM's, and if it fails, the JVM
# goes on and there is a message.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/fork.bash"
. "$srcdir/tests/jvm/sample.bash"
. "$srcdir/tests/jvm/classes.bash"
needs_fork
late=(-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading)

# counts FILE - number and size of the objects of each class.
counts() {
	hprof-stat --csv --top 0 "$1" | cut -d , -f 1-3 | sort
}

# same FILE FILE - both have the same objects.
same() {
	counts "$1" >one
	counts "$2" >other
	[ "$(wc -l <one)" -gt 100 ] || die "$1 is empty"
	diff one other >difference || {
		cat difference
		die "$1 and $2 differ"
	}
}

# ---- collectors ------------------------------------------------------------

collectors=(G1 Serial)
! is_long || collectors+=(Parallel Shenandoah)
for gc in "${collectors[@]}"; do
	options=("${late[@]}" "-XX:+Use${gc}GC")
	start fill -Xmx200m "${options[@]}" || continue
	attach "file=first.hprof" # links classes
	attach_fork "file=fork.hprof" || die "$gc: $(cat attach)"
	attach "file=walk.hprof,engine=walk"
	is_alone || die "$gc: a process is left"
	jcmd $pid GC.run >/dev/null
	stop
	said "*first.hprof: $taken" "*fork.hprof: $taken" "*walk.hprof: $taken"
	good fork.hprof
	same fork.hprof walk.hprof
	echo "$gc: $(wc -l <one) classes"
	rm -f ./*.hprof
done

start wait -XX:+UseZGC "${late[@]}"
! attach "file=z.hprof,engine=fork" || die "ZGC was forked"
grep -q 'return code: 13' attach || die "$(cat attach)"
hprof-dump --engine fork --agent "$agent" -o z.hprof $pid 2>said &&
	die "ZGC was forked"
grep -qF "its heap is shared memory" said || die "$(cat said)"
hprof-dump --max-pause 1 --agent "$agent" -o z.hprof $pid 2>said ||
	die "no other engine: $(cat said)"
grep -q 'the engine is vm, whose pause may be longer' said || die "$(cat said)"
grep -q 'engine vm' said || die "$(cat said)"
good z.hprof
stop
rm -f z.hprof
said "no dump: its heap is shared memory*" "no dump: its heap is shared memory*" \
	"no dump: its heap is shared memory*"

# ---- what else goes on in a JVM ----------------------------------------------

# It writes logs, counts memory, records itself and has huge pages where it can.
ways=("-XX:NativeMemoryTracking=detail -Xlog:all=debug:file=all.log:uptime,tid -XX:StartFlightRecording=filename=rec.jfr,settings=profile -XX:+UseTransparentHugePages")
! is_long || ways+=(-XX:NativeMemoryTracking=detail -Xlog:all=trace:file=all.log
	-XX:StartFlightRecording=filename=rec.jfr -XX:+UseTransparentHugePages
	-Xcheck:jni "-XX:+UseSerialGC -XX:-UseCompressedOops" -Xint)
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086 # a list
	start fill -Xmx200m "${late[@]}" $way
	attach "file=first.hprof,verbose=n"
	attach_fork "file=fork.hprof,limit=100" ||
		die "$way: $(cat attach)"
	jcmd $pid GC.run >/dev/null
	stop
	# The flight recorder may just be loading classes.
	hprof-check -q fork.hprof >check 2>&1 || die "$way: $(cat check)"
	[ "$(hprof-stat --csv --top 0 fork.hprof |
		awk -F, '$1 == "int[]" { print ($2 >= 32768) }')" = 1 ] ||
		die "$way: arrays are missing"
	echo "done: $way"
	rm -rf ./*.hprof all.log* rec.jfr
done

# ---- the forked process --------------------------------------------------------

has_two_dumps() {
	[ "$(grep -c '^hprof-agent: pipe: .* objects' err)" = 2 ]
}
has_two_thread_dumps() {
	[ "$(grep -c '^Full thread dump' out)" = 2 ]
}

start fill "${late[@]}"
# Threads of the JVM that run before all others, its own process does not.
first=
! chrt -a -f -p 1 $pid 2>/dev/null || first=yes
fork_into_pipe ""
if [ "$first" ]; then
	chrt -p $child | grep -q SCHED_OTHER || die "$(chrt -p $child)"
	chrt -a -o -p 0 $pid
else
	echo "no priorities of real time can be had here"
fi
[ "$(find /proc/$child/fd -lname "$PWD/pipe" | wc -l)" = 1 ] || die "no pipe"
others=$(find /proc/$child/fd -type l ! -lname "$PWD/pipe" \
	! -lname /dev/null ! -lname 'pipe:*')
[ -z "$others" ] || die "open files: $(ls -l $others)"
for i in 0 1 2; do
	[ "$(readlink /proc/$child/fd/$i)" = /dev/null ] ||
		die "stream $i: $(readlink /proc/$child/fd/$i)"
done
[ "$(cat /proc/$child/oom_score_adj)" = 1000 ] || die "oom_score_adj"
grep -q '^Max core file size *0 *0' /proc/$child/limits || die "core files"
hprof-dump --list >list
grep -q "^ *$pid " list || die "the JVM is not in the list"
! grep -q "^ *$child " list || die "its copy is in the list"
# Killed, it leaves a message, and the JVM goes on.
kill -KILL $child
wait $asking && die "a dump, in spite of all"
grep -q 'return code: 20' attach || die "$(cat attach)"
exec 4<&-
await is_alone || die "a process is left"
attach_fork "file=again.hprof" || die "not again: $(cat attach)"
good again.hprof
attach_fork "file=again.hprof,force=y,limit=100" || die "not forced"
good again.hprof
stop
said "*pipe: no dump: the forked process was ended by a signal (9)" \
	"*again.hprof: $taken" "*again.hprof: $taken"
rm -f pipe again.hprof

# Nor does a file remain; a crash of it is none of the JVM.
start fill "${late[@]}"
fork_into_pipe ""
kill -SEGV $child
wait $asking && die "a dump, in spite of all"
exec 4<&-
# Its time is over.
fork_into_pipe ,limit=1
wait $asking && die "no limit"
grep -q 'return code: 21' attach || die "$(cat attach)"
exec 4<&-
# Stopped, it cannot end itself; who asked gets an answer nevertheless.
fork_into_pipe ,limit=1
kill -STOP $child
wait $asking && die "a dump of a stopped process"
grep -q 'return code: 21' attach || die "$(cat attach)"
exec 4<&-
await is_alone || die "a process is left"
stop
said "*pipe: no dump: the forked process was ended by a signal (11)" \
	"*pipe: no dump: the forked process reached its time limit" \
	"*pipe: no dump: the forked process reached its time limit"
[ -z "$(ls hs_err* core* 2>/dev/null)" ] || die "$(ls)"
rm -f pipe

# It runs out of memory: the JVM's code in it neither writes a report nor runs a
# command, as -XX:OnError would have it.
start scatter "${late[@]}" "-XX:OnError=touch $PWD/ran"
fork_into_pipe ""
prlimit --pid $child --as=1 --data=1
cat <&4 >/dev/null 3>&- &
wait $asking && die "a dump, without memory"
grep -qE 'return code: 20$' attach || die "$(cat attach)"
exec 4<&-
await is_alone || die "a process is left"
attach_fork "file=again.hprof" || die "not again: $(cat attach)"
stop
said "*pipe: no dump: the JVM ended the forked process; *" "*again.hprof: $taken"
[ -z "$(ls hs_err* ran core* 2>/dev/null)" ] || die "$(ls)"
rm -f pipe again.hprof

# The agent allocates nothing there but from what it has set aside.
if $CC -shared -fPIC -o no_malloc.so "$srcdir/tests/jvm/no_malloc.c" -ldl; then
	LD_PRELOAD=$PWD/no_malloc.so start fill "${late[@]}"
	attach_fork "file=set-aside.hprof" || die "malloc: $(cat attach)"
	stop
	good set-aside.hprof
	said "*set-aside.hprof: $taken"
	grep -q '^no_malloc: [1-9]' err || die "$(cat err)"
	rm -f set-aside.hprof
else
	echo "no_malloc.c cannot be compiled"
fi

# A full disk.
(
	ulimit -f 512 # blocks of 1 KiB
	start fill "${late[@]}"
	attach "file=f.hprof,engine=fork" && die "no limit"
	stop
	said "*f.hprof: no dump: cannot write: *"
	no_files
) || exit 1

# ---- events ------------------------------------------------------------------

# When the heap is exhausted, at exit, and on request.
for gc in Serial G1; do
	run crowd "-XX:+Use${gc}GC" -Xmx24m \
		"-agentpath:$agent=file=o.hprof,oome=y,doe=n,engine=fork"
	grep -q '^caught 1' out || die "the program saw something else"
	good o.hprof
	said "o.hprof: $taken"
	rm -f o.hprof
done
run wait "-agentpath:$agent=file=e.hprof,engine=fork"
good e.hprof
start wait "-agentpath:$agent=file=q.hprof,engine=fork,doe=n"
kill -QUIT $pid
wait_for test -e q.hprof
stop
good q.hprof
# The JVM answers signals while the forked process writes.
rm -f pipe
mkfifo pipe
exec 4<>pipe
start fill "-agentpath:$agent=file=pipe,force=y,engine=fork,doe=n"
kill -QUIT $pid
head -c 8000000 <&4 >/dev/null
child=$(child)
[ -n "$child" ] || die "no process"
wait_for waits
[ "$(grep -c '^Full thread dump' out)" = 1 ] || die "$(head out)"
kill -QUIT $pid
wait_for has_two_thread_dumps
kill -0 $child || die "it did not wait"
cat <&4 >/dev/null 3>&- &
wait_for has_two_dumps
stop
said "pipe: $taken" "pipe: $taken"

