# SPDX-License-Identifier: MIT
# hprof-prof: what a running JVM allocates, in every form; ended early; and
# nothing is left behind.
. "$srcdir/tests/jvm/agent.bash"

program=Spender

# begin OPTIONS... - a program that spends memory until it is told to end.
begin() {
	rm -f input out err
	mkfifo input
	java -Xmx100m -XX:+IgnoreUnrecognizedVMOptions \
		-XX:+EnableDynamicAgentLoading "$@" \
		-cp "$classes" $program <input >out 2>err &
	pid=$!
	exec 3>input
	await said_or_gone ready out $pid
	grep -q '^ready' out || die "did not start: $*"
}

finish() {
	echo >&3
	exec 3>&-
	wait $pid
	[ $? = 7 ] || die "the program did something else"
	grep -qx spent out || die "the program did not end"
}

# prof OPTIONS... - of the program, for a second.
prof() {
	hprof-prof --agent "$agent" --duration 1 "$@" $pid 2>said ||
		die "$*: $(cat said)"
}

nothing_left() {
	! compgen -G "/tmp/hprof-dump-$pid-*" >/dev/null &&
		[ ! -e /tmp/.attach_pid$pid ]
}

begin
# Most bytes are minted, most of the rest is change.
prof --alloc --top 2 >table
grep -q 'objects from before are not counted' said || die "$(cat said)"
head -n 1 table | grep -q '^Allocated bytes' || die "$(cat table)"
sed -n 3p table | grep -q 'byte\[\]  *Spender\.mint$' || die "$(cat table)"
[ "$(wc -l <table)" = 4 ] || die "not two rows: $(cat table)"
# A Coin has 24 bytes, an array of 2000 has 2016: that share is estimated.
prof --alloc --json --alloc-interval 16K -q >json
awk -F '[:,}]' '
	/"class": "byte\[\]", "method": "Spender.mint"/ { bytes = $6; mints = $8 }
	/"class": "Spender\$Coin", "method": "Spender.change"/ { coins = $8 }
	END {
		print bytes, mints, coins
		exit !(mints > 0 && bytes / mints > 2015 &&
			bytes / mints < 2017 &&
			coins / mints > 0.5 && coins / mints < 2)
	}' json || die "$(cat json)"
[ -s said ] && die "-q says $(cat said)"
prof --alloc --live --alloc-interval 16K --top 0 >table
head -n 1 table | grep -q '^Live bytes' || die "$(cat table)"
grep -q 'byte\[\]  *Spender\.mint$' table || die "$(cat table)"

# Time: nearly all of it is spent in counting.
prof --top 3 >table
head -n 1 table | grep -q '^CPU, [0-9]* samples' || die "$(cat table)"
grep -qE '^ *[0-9.]+%  *[0-9]+  Spender\.(count|mint|change|main)$' table ||
	die "$(cat table)"
prof --cpu --alloc --interval 5 --json >json
grep -q '"cpu": {' json && grep -q '"alloc": {' json || die "$(cat json)"
grep -q '"method": "Spender\.[a-z]*", "samples": ' json || die "$(cat json)"
prof -o cpu.collapsed
grep -q '^Spender\.main' cpu.collapsed || die "$(cat cpu.collapsed)"

# Each form; the mode; a file is not replaced.
for file in a.hprof a.txt a.collapsed a.pb.gz a.html; do
	prof --alloc -o $file
	[ "$(stat -c %a $file)" = 600 ] || die "mode of $file"
	grep -q "$file: profile of 1\." said || die "$(cat said)"
done
hprof-stat --profile a.hprof >stat 2>&1 || die "$(cat stat)"
grep -q 'at Spender.mint(Spender.java:' stat || die "$(cat stat)"
grep -q 'Spender' a.txt || die "$(head a.txt)"
grep -qE '^Spender\.main;Spender\.mint;byte\[\] [0-9]+$' a.collapsed ||
	die "$(cat a.collapsed)"
zcat a.pb.gz | grep -aq alloc_space || die "no pprof"
grep -q '<script' a.html || die "no flame graph"
cp a.hprof before
hprof-prof --agent "$agent" --alloc --duration 1 -o a.hprof $pid 2>said &&
	die "it was replaced"
cmp before a.hprof || die "it was changed"
prof --alloc -f -o a.hprof
prof --alloc -t collapsed -o - >collapsed
grep -q '^Spender\.main;Spender\.mint;' collapsed || die "no stacks"

# Ended early, with a result; twice at a time, the newer one counts.
for signal in INT TERM HUP; do
	rm -f early.html said
	env --default-signal=INT hprof-prof --agent "$agent" --alloc \
		--duration 3600 -o early.html $pid 2>said &
	profiler=$!
	wait_for grep -q 'objects from before' said
	kill -$signal $profiler
	wait $profiler || die "SIG$signal: $(cat said)"
	[ -s early.html ] || die "SIG$signal: no result"
done
wait_for nothing_left
# Killed: the next one takes its place.
rm said
hprof-prof --agent "$agent" --alloc --duration 3600 $pid >killed 2>said &
profiler=$!
wait_for grep -q 'objects from before' said
kill -KILL $profiler
wait $profiler
prof --alloc --top 1 >table
grep -q 'Spender\.mint$' table || die "$(cat table)"
wait_for nothing_left
# Nothing is on any more.
! hprof-prof --agent "$agent" --duration 1 --alloc 2147483647 2>said ||
	die "a process that there is not"
grep -q 'no such process' said || die "$(cat said)"
jcmd $pid JVMTI.agent_load "$agent" '"profile=report,file=x.hprof"' >attach 2>&1
grep -q 'return code: 1' attach || die "a profile is on: $(cat attach)"
grep -q 'hprof-agent: profile=: none has begun' err || die "not said"
[ ! -e x.hprof ] || die "a profile of nothing"
finish
grep -v 'profile=: none has begun' err | grep 'hprof-agent' &&
	die "the agent says something"

# The JVM ends meanwhile.
begin
rm said
hprof-prof --agent "$agent" --alloc --duration 3600 $pid >gone 2>said &
profiler=$!
wait_for grep -q 'objects from before' said
finish
wait $profiler
[ $? = 2 ] || die "a profile of a JVM that has ended"
grep -q "$pid: .*ended" said || die "$(cat said)"

# Who waits for monitors: all wait for one, in one method; at most two at a time.
program=Queuing
begin
prof --monitor >table
grep -q 'java.util.concurrent are not counted' said || die "$(cat said)"
head -n 1 table | grep -q '^Time waiting for monitors, [0-9,]* ms$' ||
	die "$(cat table)"
sed -n 3p table | grep -Eq \
	'^ *100\.0+%  *[0-9,]+  *[0-9,]+  Queuing\$Desk  Queuing\.serve$' ||
	die "$(cat table)"
[ "$(wc -l <table)" = 3 ] || die "$(cat table)"
prof --monitor --json -q >json
awk -F '[:,}]' '
	/^  "milliseconds":/ { all = $2 }
	/"class": "Queuing\$Desk", "method": "Queuing.serve"/ {
		waited = $6; times = $8 }
	END { exit !(times > 20 && waited > all / 10 && waited < 2.2 * all) }' \
	json || die "$(cat json)"
for file in m.txt m.collapsed m.pb.gz m.html m; do
	prof --monitor -o $file
done
for file in m m.txt; do
	grep -q '^MONITOR DUMP BEGIN' $file || die "$file: $(head $file)"
done
grep -qE ';Queuing\.queue;Queuing\.serve;Queuing\$Desk [0-9]+$' m.collapsed ||
	die "$(cat m.collapsed)"
zcat m.pb.gz | grep -aq contentions || die "no pprof"
grep -q '<script' m.html || die "no flame graph"
wait_for nothing_left
finish

# On the command line it is nothing.
run wait "-agentpath:$agent=profile=stop"
said 'profile=: only for a JVM that runs; nothing is done'
