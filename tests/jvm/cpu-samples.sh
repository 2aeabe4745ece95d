# SPDX-License-Identifier: MIT
# cpu=samples: the shares of methods whose CPU time the program itself has
# measured, by each sampler; that all of the time is there; and what happens when
# a sampler cannot be had.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/samples.bash"

seconds=4

# hot NAME OPTIONS COMMAND... - HotSpots in two threads, its samples in text.
hot() {
	local name=$1 options=$2

	shift 2
	rm -f "$name.hprof"
	"$@" -Xmx64m -XX:+UseG1GC \
		"-agentpath:$agent=cpu=samples,file=$name.hprof,$options" \
		-cp "$classes" HotSpots $seconds 2 >out 2>err </dev/null ||
		die "$name: exit status $?"
	text "$name.hprof"
}

# check_all WHAT PERIODS_PER_MS - as many samples as there were periods: those of
# the methods, the rest of their threads, and up to 5 s in which the JVM starts.
check_all() {
	local total used

	total=$(samples_total)
	used=$(sed -n 's/^all //p' out)
	echo "$1: $total samples, $(samples_unknown) unknown, $used us"
	[ "$total" -ge $((used * $2 / 1000 * 90 / 100)) ] &&
		[ "$total" -le $(((used + 5000000) * $2 / 1000 * 105 / 100)) ] ||
		die "$1: $total samples of $used us"
}

# known WHAT - at most 5 % of the samples have no stack.
known() {
	[ "$(samples_unknown)" -le $(($(samples_total) * 5 / 100)) ] ||
		die "$1: too many samples without a stack"
}

# Where the sampler gets its processor seldom, it looks seldom, and a look counts for
# many samples: then shares are a matter of chance, and another run has others.
for try in 1 2 3 4; do
	hot thread interval=1,depth=8 java
	! (check_shares thread $((seconds * 1000))) || break
	[ $try != 4 ] || die "thread: wrong shares in each run"
done
check_all thread 1
known thread
grep -q 'sampler=thread' err || die "the bias is not told"

if ! on_x86; then
	java -Xmx64m "-agentpath:$agent=cpu=samples,sampler=async" \
		-cp "$classes" HotSpots 1 >out 2>err || die "no exit"
	grep -q 'no CPU samples with sampler=async: ' err || die "not refused"
	exit 0
fi

hot async interval=1,depth=8,sampler=async java
check_shares async $((seconds * 1000))
check_all async 1
known async

# Stacks end where threads begin.
grep -A9 'HotSpots.sixty(' text | grep -q 'java.lang.Thread.run(' ||
	die "no whole stack"

# With thread=y the stacks of the two threads are apart.
hot threads interval=1,depth=2,sampler=async,thread=y java
check_shares threads $((seconds * 1000))
[ "$(grep -c '^THREAD START .*burner' text)" = 2 ] || die "not two threads"
for id in $(sed -n 's/^THREAD START .*id = \([0-9]*\), name="burner.*/\1/p' text); do
	grep -A1 "^TRACE.*(thread=$id)" text | grep -q HotSpots.sixty ||
		die "no stack of thread $id"
done

# ---- where it cannot be had --------------------------------------------------

[ -n "${CC:-}" ] || exit 0
# shellcheck disable=SC2086 # a command with options
$CC -o no_perf "$srcdir/tests/jvm/no_perf.c" &&
	$CC -shared -fPIC -o own_handler.so "$srcdir/tests/jvm/own_handler.c" || {
	echo "no C compiler: timers and handlers were not tried"
	exit 0
}

# Without counters there are timers of POSIX, which tell what they missed.
if ./no_perf true; then
	hot timers interval=1,depth=8,sampler=async ./no_perf java
	grep -q ' 0 by perf_event_open, ' err || die "counters after all"
	check_shares timers $((seconds * 1000))
	check_all timers 1
	known timers
fi

# A program's own handler stays, and the program runs on.
LD_PRELOAD=$PWD/own_handler.so java -Xmx64m \
	"-agentpath:$agent=cpu=samples,sampler=async,file=own.hprof" \
	-cp "$classes" HotSpots 1 >out 2>err </dev/null || die "exit status $?"
grep -q 'no CPU samples with sampler=async: the program has a handler' err ||
	die "a handler is replaced"
grep -q 'own_handler: still there' err || die "the handler is gone"
