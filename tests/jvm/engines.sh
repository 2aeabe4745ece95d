# SPDX-License-Identifier: MIT
# The ways to a dump: hprof-dump with both engines, the agent that lets the JVM
# write, and the agent at the exit of a JVM that was started with it. What they write is what jcmd writes, object
# by object, and has the values that the program prints.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }
. "$srcdir/tests/jvm/parked.bash"

make_natives

failed=0
bad() {
	echo "FAILED: $*"
	failed=$((failed + 1))
}

start() {
	park everything -Xmx128m -Xlog:disable -XX:+IgnoreUnrecognizedVMOptions \
		-XX:+EnableDynamicAgentLoading \
		${natives:+-Dnatives=$natives} "$@" -cp "$classes" Everything ||
		{ cat everything.err; exit 1; }
}

# dump FILE ENGINE OPTIONS...
dump() {
	local with=(--engine "$2")

	[ "$2" = vm ] || with+=(--agent "$agent")
	hprof-dump "${with[@]}" -o "$1" "${@:3}" "$pid" 2>err ||
		bad "hprof-dump for $1: $(cat err)"
	cat err
}

# by_agent FILE - the agent lets the JVM write.
by_agent() {
	jcmd $pid JVMTI.agent_load "$agent" "\"file=$PWD/$1,engine=vm\"" |
		grep -q '^return code: 0' || bad "the agent for $1"
}

start
# What the JVM loads for this is loaded before it counts.
dump first-walk.hprof walk
dump first-vm.hprof vm
by_agent first-agent-vm.hprof
jcmd $pid GC.class_histogram >/dev/null
jcmd $pid GC.run >/dev/null
jcmd $pid GC.run >/dev/null
dump walk.hprof walk
dump vm.hprof vm
jcmd $pid GC.heap_dump "$PWD/jcmd.hprof" >/dev/null
by_agent agent-vm.hprof
dump walk-all.hprof walk --all
dump vm-all.hprof vm --all
jcmd $pid GC.heap_dump -all "$PWD/jcmd-all.hprof" >/dev/null
unpark || bad "exit status $?"

# compare OURS THEIRS OPTIONS...
compare() {
	compare_dumps "${@:3}" "$1" "$2" >compared 2>&1 ||
		{ bad "$1 and $2 differ"; cat compared; }
	echo "$1, $2: $(head -n 1 compared)"
}

compare vm.hprof jcmd.hprof --exact
compare agent-vm.hprof jcmd.hprof --exact
compare walk.hprof jcmd.hprof --live
compare vm-all.hprof jcmd-all.hprof --exact
compare walk-all.hprof jcmd-all.hprof

# values FILE
values() {
	hprof-check --for jdk,mat,visualvm "$1" >checked 2>&1 ||
		bad "$1: $(cat checked)"
	# shellcheck disable=SC2086
	compare_dumps --show "$1" $everything >shown
	sed '/^ready/d; /^WARNING/d; /^Warning: SIG/d; /^Running in non-i/d; /^Signal Handlers/d; /^SIG[A-Z0-9]*: /d' everything.out |
		diff - shown >difference ||
		bad "$1: not the values of the program: $(head difference)"
}

values walk.hprof
values walk-all.hprof

# The JVM looks at how the agent uses JNI, too.
for ids in 4 8; do
	start "-agentpath:$agent=file=exit$ids.hprof,ids=$ids,constpool=n" -Xcheck:jni
	unpark || bad "exit status $? with the agent from the start"
	values exit$ids.hprof
	grep -E '(FATAL ERROR|WARNING) in native' everything.out everything.err &&
		bad "-Xcheck:jni"
done

java -cp "$classes" CheckConstants walk.hprof >constants || bad "constants"
cat constants
[ "$(sed -n 's/.*: \([0-9]*\) right.*/\1/p' constants)" -gt 1000 ] ||
	bad "few constants"
java -cp "$classes" CheckConstants exit8.hprof | grep -q ': 0 right, 0 wrong' ||
	bad "constants in spite of constpool=n"
[ "$(wc -l <shown)" -gt 200 ] || bad "little shown"
[ $failed = 0 ]
