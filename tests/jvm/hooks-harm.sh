# SPDX-License-Identifier: MIT
# libhprof-prof in the hands of an agent that is hard on it, harm_agent.c, which is
# compiled as its manual says: hundreds of hooks of a method, kinds of methods that
# have none, full stacks, other agents that change the same classes, callbacks that
# change hooks or end their environment, virtual threads, all methods of all classes.
# And as an agent that is attached.
. "$srcdir/tests/jvm/sample.bash"
library=$builddir/prof/.libs/libhprof-prof.so
[ -e "$library" ] || { echo "libhprof-prof was not built"; exit 77; }
${CC:-cc} -Wall -Wextra -O2 -shared -fPIC -I"$srcdir/prof" \
	-I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
	-o agent.so "$srcdir/tests/jvm/harm_agent.c" \
	-L"${library%/*}" -lhprof-prof -Wl,-rpath,"${library%/*}" || {
	echo "no compiler"
	exit 77
}

# A method that has no room for calls, and one that has.
{
	echo 'public class HarmedLong {'
	echo 'static int huge(int x) {'
	for ((i = 0; i < 8190; i++)); do
		echo 'x = x * 31 + 7;'
	done
	echo 'return x; }'
	echo 'static int small(int x) { return x; } }'
} >HarmedLong.java
javac -nowarn -d . HarmedLong.java || exit 1

failed=0 only= quiet=
# run JAVA_OPTIONS... - what it says besides "end" is wrong.
run() {
	java -agentpath:"$PWD/agent.so" "$@" -cp "$classes:." Harmed \
		"$PWD/agent.so" $only >said 2>errors
	if [ $? != 0 ] || [ "$(cat said)" != end ] ||
		grep -vE "^(WARNING: |$quiet\$)" errors; then
		echo "FAILED: $*"
		head -n 40 said errors
		failed=$((failed + 1))
	fi
}

# Each class that the JVM gets is verified.
run -XX:+UnlockDiagnosticVMOptions -XX:+BytecodeVerificationLocal \
	-XX:+BytecodeVerificationRemote
! is_long || run -XX:+UseSerialGC
! is_long || run -Xcomp

# Beside our own agent, which has its own class called by each method.
only=everything quiet='hprof-agent: .*|'
run "-agentpath:$agent=cpu=times,format=a,file=profile.txt"
grep -q '^CPU TIME (ms) BEGIN' profile.txt || {
	echo "FAILED: no profile beside hooks"
	failed=$((failed + 1))
}

. "$srcdir/tests/jvm/waiter.bash"
start -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading
jcmd $pid JVMTI.agent_load "$PWD/agent.so" >attached 2>&1 || cat attached
await grep -q '^late$' out || fail "no agent was attached"
! grep -h BAD out jvm.err || fail "attached late"
finish
exit $((failed > 0))
