# SPDX-License-Identifier: MIT
# A leak of each kind, made by a real JVM, is the first suspect, and its path
# names the field or the frame that holds it; a program without a leak has none.

. "$srcdir/tests/await.bash"

# dump HOW - dumps a program that leaks in this way to HOW.hprof.
dump() {
	local pid input status

	rm -f input out
	mkfifo input
	java -Xmx128m -XX:+UseSerialGC -cp "$classes" Leaking "$1" <input >out 2>err &
	pid=$!
	exec {input}>input
	await said_or_gone ready out $pid
	grep -q ready out &&
		jcmd $pid GC.heap_dump "$PWD/$1.hprof" >/dev/null
	status=$?
	exec {input}>&-
	wait $pid
	return $status
}

# expect HOW TEXT... - the report of the first suspect has each TEXT.
expect() {
	local how=$1 text

	dump "$how" || { echo "$how: no dump"; cat err; failed=1; return; }
	shift
	hprof-stat --leaks "$how.hprof" |
		awk '/^2\. /{ exit } { print }' >"$how.txt"
	for text; do
		tr -s ' \n' '  ' <"$how.txt" | grep -qF -- "$text" && continue
		echo "$how: '$text' is missing in"
		cat "$how.txt"
		failed=1
	done
	hprof-check -q "$how.hprof" || failed=1
	rm -f "$how.hprof"
	echo "$how: done"
}

failed=0
expect none "no leak suspects"
expect map "1 leak suspect" "pile up in java.util.HashMap\$Node[" \
	"20,000 objects of class Leaking\$Session" "static REGISTRY" ".byNumber"
expect tree "1 leak suspect" "java.util.TreeMap\$Entry" "static SORTED"
expect queue "1 leak suspect" "linked to each other" "static QUEUE"
expect deque "1 leak suspect" "pile up in java.lang.Object[" \
	"20,000 objects of class Leaking\$Session" "static WAITING"
expect chain "1 leak suspect" "linked to each other" \
	"class Leaking\$Link hold one another" "static first"
expect shared "1 leak suspect" "20,000 objects of class Leaking\$Session keep" \
	"by way of" "static"
expect listener "1 leak suspect" \
	"250 objects of class Leaking\$Window\$1" ".listeners"
expect loader "1 leak suspect" "Class Leaking\$Copied is there 20 times" \
	Again "static KEPT"
expect buffer "1 leak suspect" "byte[20000000] keeps" "static buffer"
expect threadlocal "1 leak suspect" "objects of class java.lang.Thread keep" \
	'thread "worker-' ".threadLocals"
expect local "1 leak suspect" "Leaking\$Session" 'thread "collector"' \
	"local of Leaking."
exit $failed
