# SPDX-License-Identifier: MIT
# What must not hurt the JVM: a disk that gets full, a dump asked for during a
# dump, the end of the JVM during a dump, threads that come and go.
. "$srcdir/tests/jvm/agent.bash"

# ---- a file that cannot grow ---------------------------------------------------

(
	ulimit -f 512 # blocks of 1 KiB
	run fill "-agentpath:$agent=file=f.hprof"
) || exit 1
said "f.hprof: no dump: *"
grep -q 'File too large' err || die "no reason"
no_files

run fill "-agentpath:$agent=file=/dev/full,force=y"
said "/dev/full: no dump: *No space left on device"

# A reader that goes away.
mkfifo pipe
head -c 100000 pipe >cut &
run fill "-agentpath:$agent=file=pipe,force=y"
wait $!
said "pipe: no dump: *Broken pipe"

# Nobody reads at all: the JVM ends nevertheless.
run fill "-agentpath:$agent=file=pipe,force=y"
said "pipe: no dump: nobody has read from the pipe for 10 seconds"

# ---- several at once -------------------------------------------------------------

# A dump into a pipe that nobody empties; meanwhile another is asked for.
start fill "-agentpath:$agent=file=second.hprof,doe=n"
exec 4<>pipe
attach file=pipe,force=y 4>&- &
attaching=$!
wait_for writes_to pipe
kill -QUIT $pid
sleep 0.5
[ ! -e second.hprof ] || die "two dumps at a time"
cat <pipe 4>&- >first.hprof &
reading=$!
exec 4>&-
wait $attaching || die "$(cat attach)"
wait $reading
wait_for test -e second.hprof
stop
chmod 600 first.hprof
good first.hprof
good second.hprof
rm -f ./*.hprof

# ---- the end comes during a dump ---------------------------------------------------

# Whoever ends the JVM waits: the dump is whole.
for doe in y n; do
	start fill "-agentpath:$agent=file=end.hprof,doe=$doe"
	exec 4<>pipe
	attach file=pipe,force=y >answer 2>&1 3>&- 4>&- &
	attaching=$!
	wait_for writes_to pipe
	exec 3>&-
	sleep 0.5
	kill -0 $pid 2>/dev/null || die "the JVM did not wait"
	cat <pipe 4>&- >first.hprof &
	reading=$!
	exec 4>&-
	wait $reading
	wait $attaching # the JVM may be gone before it answers
	stop
	chmod 600 first.hprof
	good first.hprof
	[ $doe = n ] || good end.hprof
	[ $doe = y ] || [ ! -e end.hprof ] || die "doe=n dumped at the end"
	rm -f ./*.hprof
done

# Killed: nothing but a part is left, and the next dump removes that.
start fill
exec 4<>pipe
attach file=pipe,force=y >/dev/null 2>&1 3>&- 4>&- &
wait_for writes_to pipe
kill -KILL $pid
wait $pid 2>/dev/null
exec 3>&- 4>&-
wait
echo old >k.hprof.part
run wait "-agentpath:$agent=file=k.hprof"
good k.hprof
rm -f ./*.hprof

# ---- threads that come and go -------------------------------------------------------

start churn "-agentpath:$agent=file=churn.hprof,doe=y"
for i in 1 2 3 4 5; do
	attach file=attached.hprof,verbose=n || die "$(cat attach)"
	kill -QUIT $pid
done
stop # perhaps before the last request is done
grep -q 'sum right' out || die "the program counted wrong"
for file in attached.hprof attached.hprof.[1-4] churn.hprof*; do
	good "$file"
done
