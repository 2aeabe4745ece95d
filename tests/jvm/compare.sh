# SPDX-License-Identifier: MIT
# The judge of dumps, judged: CompareDumps finds two dumps by one JVM equal,
# prints what the program says about itself, and finds every kind of change.
. "$srcdir/tests/jvm/parked.bash"
. "$srcdir/tests/jvm/sample.bash"

park everything -Xmx128m -cp "$classes" Everything || { cat everything.err; exit 77; }
# Loads what the JVM needs to answer.
jcmd $pid GC.class_histogram >/dev/null
jcmd $pid GC.heap_dump "$PWD/one.hprof" &&
	jcmd $pid GC.heap_dump "$PWD/two.hprof"
unpark
[ -s two.hprof ] || { cat everything.err; exit 1; }

compare_dumps two.hprof one.hprof || exit 1

# The JVM writes all NaN alike, so they are left out.
# shellcheck disable=SC2086
compare_dumps --show two.hprof $everything >shown || exit 1
without_nan() {
	grep -vE '[Nn]an = |(float|double)\[\] of 3 ' "$1"
}
sed '/^ready/d' everything.out >printed
[ "$(wc -l <printed)" -gt 200 ] || { echo "little printed"; exit 1; }
diff <(without_nan printed) <(without_nan shown) || exit 1

failed=0
changes=(static string dangling loader "frame root")
is_long && changes+=(value shadowed element null another super frame thread)
for what in "${changes[@]}"; do
	java -cp "$classes" AlterDump two.hprof altered.hprof "$what" || exit 1
	cmp -s two.hprof altered.hprof && { echo "not altered: $what"; exit 1; }
	compare_dumps altered.hprof one.hprof >found 2>&1
	status=$?
	echo "$what: exit status $status"
	sed -n '/^differences/,$p' found | head -n 4
	[ $status = 1 ] || { echo "NOT FOUND: $what"; failed=1; }
done
exit $failed
