# SPDX-License-Identifier: MIT
# hprof-dump: the dump is whole and has what is in the heap, by each engine
# and in each form; the JVM goes on.
. "$srcdir/tests/jvm/waiter.bash"

# holds FILE GARBAGE - a good dump of a Waiter, with so many garbage objects.
holds() {
	local items garbage
	hprof-check -q "$1" || fail "$1 is no good dump"
	items=$(count "$1" 'Waiter$Item')
	garbage=$(count "$1" 'Waiter$Garbage')
	echo "$1: $items items, $garbage garbage"
	[ "$items" = 5000 ] || fail "items in $1"
	case $2 in
	0) [ "$garbage" = 0 ] ;;
	*) [ "$garbage" -gt 0 ] ;;
	esac || fail "garbage in $1"
}

# told FILE ENGINE - the closing line, as it must be.
told() {
	grep -qE "^hprof-dump: $1: [0-9,]+ objects, [0-9.]+ MiB( \([0-9.]+ (MiB|KiB) compressed\))? in [0-9.]+ s; engine $2, paused for [0-9]+\.[0-9]{3} s\$" err ||
		{ cat err; fail "the closing line of $1"; }
}

engines=vm
[ -n "$agent" ] && engines="vm walk"

for engine in $engines; do
	rm -f ./*.hprof dump.*
	start
	# The garbage first: --live makes the JVM collect it.
	hprof-dump --engine $engine --all -o all.hprof $pid 2>err || { cat err; fail all; }
	told all.hprof $engine
	holds all.hprof some
	hprof-dump --engine $engine -o live.hprof $pid 2>err || { cat err; fail live; }
	told live.hprof $engine
	holds live.hprof 0
	[ "$(stat -c %a live.hprof)" = 600 ] || fail "its mode"
	# What is printed is what is there.
	objects=$(sed -n 's/.*: \([0-9,]*\) objects.*/\1/p' err | tr -d ,)
	hprof-check live.hprof | tail -n 1
	hprof-check live.hprof | grep -q "($objects objects," ||
		fail "$objects objects are not those in the file"
	alive "after $engine"
	clean
	for form in gz zst xz; do
		hprof-dump -q --engine $engine -o dump.$form $pid 2>err ||
			{ cat err; fail $form; }
		[ -s err ] && fail "-q says something"
		holds dump.$form 0
	done
	[ "$(head -c 2 dump.gz | od -An -tx1)" = " 1f 8b" ] || fail gz
	[ "$(head -c 4 dump.zst | od -An -tx1)" = " 28 b5 2f fd" ] || fail zst
	[ "$(head -c 6 dump.xz | od -An -tx1)" = " fd 37 7a 58 5a 00" ] || fail xz
	hprof-dump --engine $engine $pid -o - 2>err | hprof-stat --top 0 - >stat ||
		{ cat err stat; fail "a pipe"; }
	grep -q '^dump  *whole' stat || { cat stat; fail "not whole by a pipe"; }
	hprof-dump -q --engine $engine $pid -c zst -o - | hprof-check -q - ||
		fail "a compressed pipe"
	hprof-dump -q --engine $engine $pid -o /dev/null || fail /dev/null
	alive "after pipes by $engine"
	finish
	clean
done

# Names: the default one, which is not replaced unless it is wanted.
start
hprof-dump -q $pid || fail "no name given"
holds java_pid$pid.hprof 0
cp java_pid$pid.hprof before
hprof-dump $pid 2>err && fail "it was replaced"
grep -qF "java_pid$pid.hprof: exists (--force replaces it)" err || { cat err; fail sentence; }
cmp before java_pid$pid.hprof || fail "it was changed"
hprof-dump -f -q $pid || fail --force
cmp -s before java_pid$pid.hprof && fail "it was not replaced"
holds java_pid$pid.hprof 0
hprof-dump -q -c gz --compress-level 9 -j 2 $pid || fail "--compress"
holds java_pid$pid.hprof.gz 0
ls ./*.part 2>/dev/null && fail "a part is left"

# The list.
hprof-dump --list >list || fail --list
cat list
grep -qE "^ *$pid +$(id -un) .* of 64\.00 MiB  Waiter +vm, walk\$" list ||
	fail "it is not in the list"
hprof-dump --list --json >json || fail --json
grep -qE "\"pid\": $pid, .*\"program\": \"Waiter\", .*\"engines\": \[\"vm\", \"walk\"\], \"why_not\": null" json ||
	{ cat json; fail "it is not in the JSON"; }
alive "after the list"

# How it looks from inside.
hprof-dump -v -f -o x.hprof $pid 2>err || fail -v
grep -q 'the engine is vm: ' err || fail "why that engine"
grep -q 'through a pipe' err || fail "which way"
hprof-dump -f --progress always -o x.hprof $pid 2>err || fail --progress
finish
clean
