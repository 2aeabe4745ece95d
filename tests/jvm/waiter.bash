# SPDX-License-Identifier: MIT
# waiter.bash - what the tests of hprof-dump share: a Java program that waits.
. "$srcdir/tests/await.bash"

# Here, where another user and another /tmp can have it.
cp "$classes"/Waiter*.class . || exit 1
trap 'end_children; rm -f /tmp/.java_pid"$pid"' EXIT
pid=0
prefix=()

fail() {
	echo "FAILED: $*"
	exit 1
}

# start OPTION... - a JVM, in $pid; its input is $input, its output file out.
# $prefix is a command before java, which must not fork.
start() {
	rm -f input out
	mkfifo input
	"${prefix[@]}" java -Xmx64m -XX:TieredStopAtLevel=1 "$@" -cp "$PWD" \
		Waiter <input >out 2>jvm.err &
	pid=$!
	exec {input}<>input # which does not wait for a JVM that does not come
	await said_or_gone ready out $pid
	grep -q '^ready' out && return
	cat out jvm.err
	fail "no JVM with $*"
}

# It answers, still.
alive() {
	local before
	before=$(grep -c alive out)
	echo >&"$input"
	await answered "$before" || fail "it does not go on: $*"
}

answered() {
	[ "$(grep -c alive out)" -gt "$1" ]
}

# It ends by itself, and well.
finish() {
	exec {input}>&-
	wait "$pid" || fail "the JVM ended with $?"
	rm -f "/tmp/.java_pid$pid" # which may be of another
	pid=0
}

# Nothing of ours lies around.
clean() {
	await nothing_left || fail "left behind: $left"
}

nothing_left() {
	left=$(ls -d "/tmp/.attach_pid$pid" "/tmp/hprof-dump-$pid-"* \
		2>/dev/null)
	[ -z "$left" ]
}

# refuses SENTENCE OPTION... - hprof-dump fails with that, and no file.
refuses() {
	local sentence=$1 status
	shift
	rm -f refused refused.part
	hprof-dump -o refused "$@" >refused.out 2>refused.err
	status=$?
	cat refused.err
	[ $status = 2 ] || fail "exit status $status with $*"
	grep -qF -- "$sentence" refused.err || fail "no word of '$sentence'"
	[ -e refused ] && fail "there is a file"
	[ -s refused.out ] && fail "something on standard output"
	return 0
}

# count FILE CLASS - its instances.
count() {
	hprof-stat --csv --top 0 "$1" 2>/dev/null |
		awk -F , -v name="$2" '
			NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
			$column["class"] == name { n = $column["instances"] }
			END { print n + 0 }'
}
