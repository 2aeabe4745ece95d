# SPDX-License-Identifier: MIT
# The agent over a network: it dials out and listens, and what commands do that
# are right, unknown, cut short, or from somebody without the token.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/classes.bash"

# peer NAME WHERE ACTION... - in the background, with its output in NAME.
peer() {
	local name=$1

	shift
	rm -f "$name"
	tcp-peer "$@" >"$name" 2>&1 3>&- </dev/null &
}

# frame TAG [BODY] - the command as hexadecimal digits.
frame() {
	local body=${2-}

	printf '%s00000000%08x%s' "$1" $((${#body} / 2)) "$body"
}

port_of() {
	head -n 1 "$1"
}

# has LINES TEXT FILE - are there so many lines with the text by now?
has() {
	[ "$(grep -c "$2" "$3")" = "$1" ]
}

# in_err TEXT... - the agent said each of them.
in_err() {
	local text

	for text; do
		wait_for grep -q "^hprof-agent: .*$text" err
	done
}

# ---- it dials out: an old front end ----------------------------------------------

gc=01 dump=02 sites=03 summary=04 end=05 traces=06 samples=07 control=08
peer front -l "send=$(frame $gc)$(frame $dump)" dump=first.hprof \
	"send=$(frame $sites 000300000000)" \
	"send=$(frame $samples 000000000000)$(frame $summary)" \
	"send=$(frame $control 0001)$(frame $control 00030000000000000001)" \
	"send=$(frame $control 00070004)$(frame 55 010203)$(frame $end)" \
	"send=$(frame $traces)$(frame $dump)" dump=second.part \
	send=ff rest=third.part
front=$!
wait_for test -s front
start fill "-agentpath:$agent=net=127.0.0.1:$(port_of front)"
in_err 'ALLOC SITES does nothing' 'CPU SAMPLES does nothing' \
	'HEAP SUMMARY does nothing' 'CONTROL does nothing' \
	'no command 0x55' 'EXIT is refused'
# After EOF it still gets dumps: on request, and at the end.
wait_for has 2 dumped front
kill -QUIT $pid
wait_for has 4 ' objects, ' err
stop
wait $front
# Each is a dump of its own behind one header, and no id has two texts.
cat first.hprof second.part third.part >all.hprof
chmod 600 first.hprof
good first.hprof
hprof-check all.hprof >check 2>&1 || die "$(cat check)"
grep -q duplicate-string check && die "$(cat check)"
grep -q 'holds 4 dumps' check || die "$(cat check)"
rm -f ./*.hprof ./*.part

# The command EXIT, where it is allowed: the JVM ends in its order, and dumps.
peer front -l read=31 "send=$(frame $end)" rest=exit.part
front=$!
wait_for test -s front
rm -f input
mkfifo input
java -Xmx64m "-agentpath:$agent=net=127.0.0.1:$(port_of front),exit=y" \
	-cp "$classes" AgentRun fill <input >out 2>err &
pid=$!
exec 3>input
wait $front
wait $pid
status=$?
exec 3>&-
[ $status = 0 ] || die "exit status $status"
in_err 'EXIT ends the JVM'
[ "$(stat -c %s exit.part)" -gt 100000 ] || die "no dump at the end"
rm -f exit.part

# By a forked process, which writes to the connection: by command and request,
# and names of one dump are known in the next.
if [ "$java_feature" -ge 17 ]; then
	rm -f ./*.hprof ./*.part
	peer front -l "send=$(frame $dump)" dump=first.hprof \
		"send=$(frame $traces)$(frame $dump)" dump=second.part \
		rest=third.part
	front=$!
	wait_for test -s front
	start fill \
		"-agentpath:$agent=net=127.0.0.1:$(port_of front),engine=fork"
	wait_for has 2 dumped front
	kill -QUIT $pid
	wait_for has 4 ' objects, ' err
	stop
	wait $front
	cat first.hprof second.part third.part >all.hprof
	# The JVM was starting, and may have loaded classes meanwhile.
	hprof-check -q first.hprof >check 2>&1 || die "$(cat check)"
	hprof-check all.hprof >check 2>&1 || die "$(cat check)"
	grep -q duplicate-string check && die "$(cat check)"
	grep -q 'holds 4 dumps' check || die "$(cat check)"
	rm -f ./*.hprof ./*.part
	# Where it cannot be had, the one who waits is told by the end.
	peer front -l read=31 "send=$(frame $dump)" gone
	front=$!
	wait_for test -s front
	start fill -XX:+UseZGC -Xmx128m \
		"-agentpath:$agent=net=127.0.0.1:$(port_of front),engine=fork,doe=n"
	wait $front
	grep -qx gone front || die "$(cat front)"
	in_err 'no dump: its heap is shared memory'
	stop
fi

# ---- profiles ---------------------------------------------------------------------

# Their commands: all sites, by live bytes; the sums of the heap; no more tracing
# and on again, another depth, counts anew; what has changed, by allocation, after
# a collection; what there is no profile for; a number that there is not.
peer front -l "send=$(frame $sites 000000000000)$(frame $summary)" \
	"send=$(frame $control 0002)$(frame $control 0001)" \
	"send=$(frame $control 00070002)$(frame $control 0006)" \
	"send=$(frame $sites 00073a83126f)" \
	"send=$(frame $control 0008)$(frame $control 0005)" \
	"send=$(frame $samples 000000000000)" \
	"send=$(frame $control 00030000000000000007)" \
	send=ff rest=all.hprof
front=$!
wait_for test -s front
start fill "-agentpath:$agent=net=127.0.0.1:$(port_of front),heap=sites,doe=n"
in_err 'CPU SAMPLES does nothing' 'CONTROL does nothing: the agent' \
	'no such number of the command CONTROL'
stop
wait $front
hprof-convert -q --to recipe all.hprof - >recipe || die "no profile"
[ "$(grep -c '^ALLOC_SITES ' recipe)" = 2 ] || die "$(grep -n ALLOC recipe)"
[ "$(grep -c '^HEAP_SUMMARY ' recipe)" = 1 ] || die "$(grep -n HEAP recipe)"
grep -q '^CONTROL_SETTINGS' recipe && die "settings that nobody asked for"
grep '^ALLOC_SITES ' recipe >found
head -n 1 found | grep -q 'flags=' && die "flags: $(head -n 1 found)"
tail -n 1 found | grep -q 'flags=0x7 cutoff=0x3a83126f' ||
	die "flags: $(tail -n 1 found)"
hprof-check -q all.hprof >check 2>&1 || die "$(cat check)"
rm -f all.hprof recipe

# Samples of one thread: the serial of main is known from a run before; then it is
# the only one that has any, and a thread that there is not is said to be none.
hot() {
	peer front -l "$@" send=ff rest=hot.hprof
	front=$!
	wait_for test -s front
	java -Xmx64m "-agentpath:$agent=net=127.0.0.1:$(port_of front),cpu=samples,interval=1,thread=y,depth=64" \
		-cp "$classes" HotSpots 1 2 >out 2>err || die "HotSpots"
	wait $front
	rm -f hot.txt
	hprof-convert -q --to text hot.hprof hot.txt || die "no profile"
}
main_serial() {
	sed -n 's/^THREAD START (.*id = \([0-9]*\), name="main".*/\1/p' hot.txt
}
hot "send=$(frame $control 0005)"
serial=$(main_serial)
[ -n "$serial" ] || die "no main"
others() {
	awk -v main="(thread=$serial)" '/^TRACE / { of[$2 + 0] = $3 }
		/^CPU SAMPLES BEGIN/ { on = 1 } /^CPU SAMPLES END/ { on = 0 }
		on && $2 ~ /%/ && $5 in of && of[$5] != "" {
			if (of[$5] == main) mine += $4; else others += $4 }
		END { print others + 0, mine + 0 }' hot.txt
}
read -r other mine < <(others)
[ "$other" -gt 100 ] || die "no samples of other threads: $other"
id=$(printf %016x "$serial")
hot "send=$(frame $control "0004$(printf '00%.0s' {1..8})")" \
	"send=$(frame $control "0003$id")" \
	"send=$(frame $control 00030000000000000007)"
[ "$(main_serial)" = "$serial" ] || die "main is another: $(main_serial)"
read -r other mine < <(others)
# Those from before the commands came.
echo "one thread: $other of others, $mine of main"
[ "$other" -lt 100 ] || die "other threads: $other"
grep -q 'no thread with that serial number' err || die "not said"

# ---- peers that are no good ---------------------------------------------------------

# One that closes, half a frame, garbage, one who does not read: the program runs
# on, and each dump that is not taken is said to be none.
peer front -l read=31
front=$!
wait_for test -s front
start fill "-agentpath:$agent=net=127.0.0.1:$(port_of front),doe=n"
wait $front
in_err 'cannot connect: Connection refused; the agent keeps trying'
kill -QUIT $pid
in_err 'no dump: nobody is connected'
stop

peer front -l read=31 send=0200 gone
front=$!
wait_for test -s front
start fill "-agentpath:$agent=net=127.0.0.1:$(port_of front),doe=n"
in_err 'a command is incomplete'
stop
wait $front

peer front -l read=31 "send=$(frame 99)" "send=42000000007fffffff" gone
front=$!
wait_for test -s front
start fill "-agentpath:$agent=net=127.0.0.1:$(port_of front),doe=n"
wait $front
in_err 'no command 0x99' 'no command 0x42: the connection is closed'
stop

# ---- it listens -----------------------------------------------------------------------

start fill "-agentpath:$agent=listen=0,token=token"
in_err 'listening on 127.0.0.1:'
port=$(sed -n 's/.*listening on 127.0.0.1://p' err)
[ "$(stat -c %a token)" = 600 ] || die "the token can be read"
hprof-dump -q --token-file token -o a.hprof 127.0.0.1:$port || die "no dump"
good a.hprof
# The wrong token, none, half of one, and another command first; ten who are
# silent do not keep others out.
echo 0123456789abcdef0123456789abcdef >wrong
chmod 600 wrong
hprof-dump --token-file wrong -o b.hprof 127.0.0.1:$port 2>said
[ $? = 2 ] || die "taken without the token"
grep -q 'is the token right' said || die "$(cat said)"
peer one $port "send=$(frame $dump)" gone
wait $!
grep -qx gone one || die "$(cat one)"
peer two $port "send=$(frame 80 "$(printf '00%.0s' {1..16})")" gone
wait $!
grep -qx gone two || die "$(cat two)"
for i in {1..10}; do
	tcp-peer $port send=80 gone >silent$i 3>&- </dev/null &
done
# All ten are there: of the eight that may be silent, the oldest gave way.
ten_came() { [ "$(grep -c 'there are too many others' err)" -ge 2 ]; }
wait_for ten_came
hprof-dump -q --token-file token -o c.hprof 127.0.0.1:$port || die "kept out"
good c.hprof
in_err 'did not send the token'
# Two clients at a time: the second one waits.
peer slow $port token=token read=31 "send=$(frame $dump)" dump=d.part
slow=$!
hprof-dump -q --token-file token -o e.hprof 127.0.0.1:$port || die "no second"
good e.hprof
wait $slow
grep -qx dumped slow || die "$(cat slow)"
# One with the token that takes no more of its dump loses the connection.
mkfifo held
exec 5<>held
tcp-peer $port token=token read=31 "send=$(frame $dump)" hold <held >stuck 2>&1 \
	3>&- 5>&- &
in_err 'no dump: cannot write: Connection timed out'
hprof-dump -q --token-file token -o f.hprof 127.0.0.1:$port || die "not after that"
good f.hprof
exec 5>&-
stop
wait
[ ! -e java_pid*.hprof ] || die "a dump at the end that nobody asked for"
rm -f ./*.hprof ./*.part

# ---- hprof-dump --listen --------------------------------------------------------------

# It sends away who is no agent, and takes the dump of the next one.
rm -f said
hprof-dump --listen 0 -o f.hprof.gz 2>said &
listening=$!
wait_for grep -q 'listening on' said
port=$(sed -n 's/.*listening on 127.0.0.1://p' said)
tcp-peer $port "send=$(printf '47%.0s' {1..20})" gone >nobody 2>&1 </dev/null
wait_for grep -q 'does not send a dump; waiting for another' said
start fill "-agentpath:$agent=net=127.0.0.1:$port,doe=n"
wait $listening || die "$(cat said)"
good f.hprof.gz
stop
# One that is told to stop while it waits.
rm -f said
hprof-dump --listen "$port" --wait -o g.hprof 2>said &
listening=$!
wait_for grep -q 'listening on' said
kill $listening
wait $listening
[ $? = 2 ] || die "$(cat said)"
grep -q 'interrupted by SIGTERM' said || die "$(cat said)"
# What the JVM dumps by itself.
rm -f said
hprof-dump --listen "$port" --wait -q -o g.hprof 2>said &
listening=$!
run exhaust "-agentpath:$agent=net=127.0.0.1:$port,oome=y,doe=n"
wait $listening || die "$(cat said)"
good g.hprof
rm -f ./*.hprof*
