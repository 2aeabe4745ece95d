# SPDX-License-Identifier: MIT
# libhprof-prof: hooks, samples and stacks are what Hooked.java counts itself, and
# each function gives the errors that it should. With every class verified, and
# once with calls of JNI checked.
. "$srcdir/tests/jvm/sample.bash"
library=$builddir/prof/.libs/libhprof-prof.so
[ -e "$library" ] || { echo "libhprof-prof was not built"; exit 77; }
${CC:-cc} -Wall -Wextra -O2 -shared -fPIC -I"$srcdir/prof" \
	-I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
	-o agent.so "$srcdir/tests/jvm/prof_agent.c" \
	"$srcdir/tests/jvm/prof_errors.c" -pthread \
	-L"${library%/*}" -lhprof-prof -Wl,-rpath,"${library%/*}" || {
	echo "no compiler"
	exit 77
}

failed=0
# run JAVA_OPTIONS... - "said" and "errors" have what is wrong.
run() {
	java -agentpath:"$PWD/agent.so" -XX:CompileCommand=quiet \
		-XX:CompileCommand=dontinline,Hooked.worked "$@" -cp "$classes" Hooked \
		"$PWD/agent.so" ${times:+"$times"} >said 2>errors
	if [ $? != 0 ] || [ "$(cat said)" != end ] ||
		grep -vE '^(hprof-prof: |WARNING: |$)' errors; then
		echo "FAILED: $*"
		cat said errors
		failed=$((failed + 1))
	fi
	grep -q '^hprof-prof: no samples: the program has a handler of SIGPROF' errors || {
		echo "FAILED: the verbose flag does not say why there are no samples"
		failed=$((failed + 1))
	}
	grep -q '^hprof-prof: Hooked: [1-9][0-9]* classes changed$' errors || {
		echo "FAILED: the verbose flag says nothing"
		failed=$((failed + 1))
	}
}

times=
! is_long || times=300
run -XX:+UnlockDiagnosticVMOptions -XX:+BytecodeVerificationLocal \
	-XX:+BytecodeVerificationRemote
! is_long || run -Xcheck:jni
exit $((failed > 0))
