# SPDX-License-Identifier: MIT
# libhprof-prof: allocations, releases, ages, collections, pools, classes,
# references and monitors are what Lives.java knows of itself.
. "$srcdir/tests/jvm/sample.bash"
library=$builddir/prof/.libs/libhprof-prof.so
[ -e "$library" ] || { echo "libhprof-prof was not built"; exit 77; }
cc=${CC:-cc}
command -v ${cc%% *} >/dev/null || { echo "no compiler"; exit 77; }
$cc -Wall -Wextra -O2 -shared -fPIC -I"$srcdir/prof" \
	-I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
	-o agent.so "$srcdir/tests/jvm/memory_agent.c" \
	-L"${library%/*}" -lhprof-prof -Wl,-rpath,"${library%/*}" || exit 1

failed=0
# run JAVA_OPTIONS...
run() {
	java -agentpath:"$PWD/agent.so" -XX:-DoEscapeAnalysis "$@" -cp "$classes" \
		Lives "$PWD/agent.so" >said 2>errors
	if [ $? != 0 ] || [ "$(cat said)" != end ] ||
		grep -vE '^(WARNING: |$)' errors; then
		echo "FAILED: $*"
		cat said errors
		failed=$((failed + 1))
	fi
}

run -XX:+UseSerialGC
run -XX:+UseG1GC
! is_long || run -XX:+UseParallelGC
! is_long || run -XX:+UseG1GC -Xcheck:jni
exit $((failed > 0))
