# SPDX-License-Identifier: MIT
# A leak of each kind, made by a real JVM, is the first suspect, and its path
# names the field or the frame that holds it; a program without a leak has none.
# So is a backlog of each kind found, and none in a program that is tidy.

. "$srcdir/tests/jvm/parked.bash"

# dump HOW[-HOW...] - dumps a program that leaks in these ways to HOW.hprof, in place of
# the last one.
dump() {
	rm -f ./*.hprof
	# shellcheck disable=SC2086 # words
	dump_parked "$1" -Xmx128m -XX:+UseSerialGC -cp "$classes" \
		Leaking ${1//-/ }
}

# expect HOW TEXT... - the report of the first suspect has each TEXT.
expect() {
	local how=$1 text

	dump "$how" || { echo "$how: no dump"; cat "$how.err"; failed=1; return; }
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
	echo "$how: done"
}

# expect_not HOW TEXT - what was expected last has no TEXT.
expect_not() {
	grep -qF -- "$2" "$1.txt" || return 0
	echo "$1: '$2' is in"
	cat "$1.txt"
	failed=1
}

# expect_page HOW TEXT - the page of what was expected last names TEXT first.
expect_page() {
	local first

	first=$(hprof-report -q --sections suspects "$1.hprof" |
		sed 's/<wbr>//g' | grep -o '<h3[^>]*>[^<]*' | head -n 1)
	[[ $first == *"$2"* ]] && return
	echo "$1: '$2' is not what the page begins with: $first"
	failed=1
}

failed=0
expect none "no leak suspects"
expect map "1 leak suspect" \
	"Leaking\$Registry.byNumber: HashMap of 20,000 Leaking\$Session" \
	"pile up in java.util.HashMap\$Node[" "class Leaking.REGISTRY"
expect_page map "Leaking\$Registry.byNumber: HashMap of 20,000"
expect tree "1 leak suspect" \
	"Leaking.SORTED: TreeMap of 20,000 Leaking\$Session" "static SORTED"
expect queue "1 leak suspect" "linked to each other" "static QUEUE" \
	"Leaking.QUEUE: ConcurrentLinkedQueue of 20,000 Leaking\$Session"
expect deque "1 leak suspect" "pile up in java.lang.Object[" \
	"Leaking.WAITING: ArrayDeque of 20,000 Leaking\$Session"
expect blocking "1 leak suspect" "linked to each other" \
	"Leaking.TASKS.workQueue: LinkedBlockingQueue of 6,000 Leaking\$Session"
expect chain "1 leak suspect" "linked to each other" \
	"class Leaking\$Link hold one another" \
	"Leaking.first: 20,000 Leaking\$Link, linked to each other"
expect nested "1 leak suspect" "pile up in java.lang.Object[" \
	"Leaking\$Tree.kids: ArrayList of 6,000 Leaking\$Tree"
expect shared "1 leak suspect" "ArrayList of 20,000 Leaking\$Session" \
	"by way of" "static"
expect listener "1 leak suspect" \
	"Leaking\$Button.listeners: ArrayList of 250 Leaking\$Window\$1"
expect loader "1 leak suspect" "Class Leaking\$Copied is there 20 times" \
	"20 class loaders (Again) that each loaded Leaking\$Copied" \
	"20 Leaking.KEPT"
expect buffer "1 leak suspect" "Leaking.buffer: byte[20000000]" \
	"static buffer"
expect threadlocal "1 leak suspect" "12 of the threads keep" \
	'ThreadLocal Leaking.SCRATCH of 12 threads "worker-*": 12 ArrayList' \
	"(ThreadLocal Leaking.SCRATCH)" 'thread "worker-' ".threadLocals"
expect local "1 leak suspect" 'thread "collector"' \
	"ArrayList of 20,000 Leaking\$Session" "local of Leaking."
expect pollers "1 leak suspect" '120 threads "poller-*"' \
	"120 of them are in Leaking."
expect finalizers "1 backlog:" "objects wait for finalizers" \
	'"Finalizer" is busy in Backlogs$Slow.finalize' \
	"at java.lang.ref.Finalizer.runFinalizer" 'Backlogs$Slow' "no leak suspects"
expect_page finalizers "objects wait for finalizers"
expect map-finalizers "1 backlog:" "1 leak suspect"
expect_page map-finalizers "Leaking\$Registry.byNumber: HashMap of 20,000"
expect references "1 backlog:" "1,500 references wait in an undrained queue (Backlogs.QUEUE)" \
	'Backlogs$Ticket' "belongs to class Backlogs" "static QUEUE"
expect cleaners "1 backlog:" "300 Cleaners hold their own objects" \
	'Backlogs$Handle$$Lambda' "no leak suspects"
expect soft "1 backlog:" "objects are held only softly" "byte[]" Backlogs \
	"no leak suspects"
expect_page soft "objects are held only softly"
expect soft-blocking "1 backlog:" "1 leak suspect"
expect_page soft-blocking "objects are held only softly"
expect tidy "all objects" "no leak suspects"
expect_not tidy backlog
exit $failed
