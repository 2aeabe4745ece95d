# SPDX-License-Identifier: MIT
# agent.bash - what the tests of the agent share. To be sourced; the test is
# in a directory of its own.
. "$srcdir/tests/await.bash"
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

# Whatever happens, no JVM stays, nor anything that waits for one.
trap end_children EXIT

die() {
	echo "FAILED: $*"
	echo "--- out"; tail -n 5 out
	echo "--- err"; tail -n 20 err
	exit 1
}

# run WHAT JAVA_OPTIONS... - runs it to its end with no input. The program
# must do what it always does.
run() {
	local what=$1 status

	shift
	java -Xmx64m "$@" -cp "$classes" AgentRun "$what" >out 2>err </dev/null
	status=$?
	[ $status = 7 ] || die "exit status $status: $*"
	grep -qx ready out || die "not ready: $*"
}

# start WHAT JAVA_OPTIONS... - the same in the background, until stop.
start() {
	local what=$1

	shift
	rm -f input out err
	mkfifo input
	java -Xmx64m "$@" -cp "$classes" AgentRun "$what" <input >out 2>err &
	pid=$!
	exec 3>input
	await said_or_gone ready out $pid
	grep -q '^ready' out || die "did not start: $*"
}

stop() {
	local status

	exec 3>&-
	wait $pid
	status=$?
	[ $status = 7 ] || die "exit status $status in the end"
}

# writes_to FILE - is the JVM writing to it?
writes_to() {
	[ -n "$(find /proc/$pid/fd -lname "*/$1" 2>/dev/null)" ]
}

# wait_for CONDITION...
wait_for() {
	await "$@" || die "waited for: $*"
}

# attach OPTIONS - loads the agent. True if Agent_OnAttach returned 0; what
# jcmd said is in the file attach. The quotes are for jcmd, which else splits
# the options at their first "=".
attach() {
	jcmd $pid JVMTI.agent_load "$agent" "\"$1\"" >attach 2>&1 || {
		cat attach
		die "jcmd failed"
	}
	grep -q '^return code: 0' attach
}

# attach_fork OPTIONS - the same with engine=fork.
attach_fork() {
	attach "$1,engine=fork"
}

# good FILE - it is a whole dump, nobody else may read it, and no part is left.
good() {
	[ -f "$1" ] || die "no $1"
	[ "$(stat -c %a "$1")" = 600 ] || die "$1: mode $(stat -c %a "$1")"
	[ ! -e "$1.part" ] || die "$1.part is left"
	hprof-check --for jdk,mat,visualvm -q "$1" >check 2>&1 || {
		head -n 20 check
		die "$1 is no good dump"
	}
}

# said TEXT... - exactly these lines came from the agent; * stands for anything.
said() {
	local line wanted

	mapfile -t lines < <(grep '^hprof-agent: ' err)
	[ ${#lines[@]} = $# ] || die "${#lines[@]} messages, not $#"
	for line in "${lines[@]}"; do
		wanted="hprof-agent: $1"
		# shellcheck disable=SC2053 # a pattern
		[[ $line == $wanted ]] || die "no message '$1'"
		shift
	done
}

no_files() {
	local file

	for file in *.hprof* *.part; do
		[ ! -e "$file" ] || die "$file is there"
	done
}

taken='* objects, * bytes, pause * ms, * ms in all'
by_vm='* bytes, written by the JVM, * ms in all'
