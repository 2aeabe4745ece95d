# SPDX-License-Identifier: MIT
# monitor=y and all: the times that threads waited, as the program itself measures
# them, the monitors at the end, and the lines about Object.wait.
. "$srcdir/tests/jvm/agent.bash"

# contended KIND OPTIONS - the text is in the file text.
contended() {
	rm -f text
	java -Xmx64m "-agentpath:$agent=file=text,depth=8,$2" \
		-cp "$classes" Contended "$1" >out 2>err </dev/null
	[ $? = 7 ] || die "$1 $2: exit status"
	grep -qx 'MONITOR TIME END' text || die "$1 $2: no times"
}

# waited CLASS - the milliseconds in its rows.
waited() {
	awk -v wanted="$1" '
		/^MONITOR TIME BEGIN/ { total = $6 }
		$6 == wanted && $7 == "(Java)" { share += $2 }
		END { printf "%d\n", total * share / 100 }' text
}

# measured NAME CLASS - within 10 % of what the program says; it also counts the
# way to the event.
measured() {
	local own got

	own=$(sed -n "s/^$1 //p" out)
	got=$(waited "$2")
	echo "$1: $got ms, by its own clock $own ms"
	[ -n "$own" ] && [ "$got" -ge $((own * 90 / 100 - 5)) ] &&
		[ "$got" -le $((own * 110 / 100 + 5)) ] || die "$1: $got ms"
}

# thread_called NAME - its number.
thread_called() {
	sed -n "s/^THREAD START .*id = \([0-9]*\), name=\"$1\".*/\1/p" text
}

contended platform monitor=all
measured Long20 'Contended$Long20'
measured Short5 'Contended$Short5'
measured Lock 'java.util.concurrent.locks.ReentrantLock$NonfairSync'

# Where they waited: in the program's own method.
trace=$(awk '$6 == "Contended$Long20" { print $5; exit }' text)
grep -A2 "^TRACE $trace:" text | grep -q 'Contended\.' || die "no stack"

# One has it twice, two want it.
owner=$(thread_called owner)
first=$(thread_called 'enters 0')
second=$(thread_called 'enters 1')
waits=$(thread_called waits)
[ -n "$owner" ] && [ -n "$first" ] && [ -n "$second" ] && [ -n "$waits" ] ||
	die "threads without names"
grep -A3 '^    MONITOR LContended$Held;' text >held
grep -q "owner: thread $owner, entry count: 2" held || die "not the owner"
grep "waiting to enter:" held | grep "thread $first," |
	grep -q "thread $second," || die "not those who enter"
grep -qE "^    THREAD $first, trace [0-9]+, status: MW" text || die "no MW"
grep -qE "^    THREAD $waits, trace [0-9]+, status: CW" text || die "no CW"
grep -qx 'MONITOR DUMP END' text || die "no end of the dump"

grep -q '^WAIT: MONITOR LContended$Signal;, timeout=50, thread ' text ||
	die "no line WAIT"
took=$(sed -n 's/^WAITED: MONITOR LContended$Signal;, time_waited=\([0-9]*\),.*/\1/p' text)
[ -n "$took" ] && [ "$took" -ge 49 ] || die "waited ${took:-not}"
grep -q "^WAIT: MONITOR LContended\$Signal;, timeout=0, thread $waits\$" text ||
	die "no line WAIT without a limit"

# Locks only if they are asked for.
contended platform monitor=y
measured Long20 'Contended$Long20'
! grep -q 'ReentrantLock' text || die "locks, too"

# Virtual threads: the begin and the end of a wait may be on different carriers.
if javap -cp "$classes" java.lang.Thread 2>/dev/null | grep -q ofVirtual; then
	contended virtual monitor=all
	measured Long20 'Contended$Long20'
	measured Short5 'Contended$Short5'
fi

java -Xmx64m "-agentpath:$agent=monitor=y,format=b,file=none" \
	-cp "$classes" Contended platform >out 2>err </dev/null
[ $? = 7 ] || die "exit status with format=b"
grep -q 'format=b: not with monitor' err || die "format=b is not refused"
[ ! -e none ] || die "a file with format=b"
