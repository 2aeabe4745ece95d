# SPDX-License-Identifier: MIT
# heap=life: the table says of KnownLives.java exactly how many objects lived
# through how many collections, as text and as JSON.
. "$srcdir/tests/jvm/sample.bash"
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

die() {
	echo "FAILED: $*"
	cat out err
	head -n 20 life.txt life.json
	exit 1
}

# run FILE OPTIONS JAVA_OPTIONS...
run() {
	local file=$1 options=$2

	shift 2
	rm -f "$file"
	java -XX:-DoEscapeAnalysis "$@" \
		"-agentpath:$agent=heap=life,depth=1,file=$file$options" \
		-cp "$classes" KnownLives >out 2>err || die "$*: exit status $?"
	[ "$(cat out)" = end ] || die "$*: the program said something else"
	[ -s "$file" ] || die "$*: no $file"
}

# 900 objects: 600 lived through one collection, of which 100 are left; the last
# 100 are garbage that was not collected.
collectors='-XX:+UseSerialGC -XX:+UseG1GC'
! is_long || collectors+=' -XX:+UseParallelGC'
for collector in $collectors; do
	run life.txt ,force=y $collector
	row=$(awk '/^LIFE BEGIN/ { on = 1 } /^LIFE END/ { on = 0 }
		on && $NF == "KnownLives$Kept" {
			print $2, $3, $4, $5, $6, $7, $8, $9 }' life.txt)
	[ "$row" = '900 700 600 400 300 0 600 100' ] ||
		die "$collector: the row is '$row'"
	trace=$(awk '$NF == "KnownLives$Kept" && NF == 11 { print $10 }' life.txt)
	grep -A1 "^TRACE $trace:" life.txt | grep -q 'KnownLives.makeKept' ||
		die "$collector: its trace"
done

# Collectors that run beside the program have several pauses in a cycle, each of them
# a collection here: ages are higher, and what is made and left is the same.
for collector in Z Shenandoah; do
	java -XX:+Use${collector}GC -version >/dev/null 2>&1 || continue
	run life.txt ,force=y -XX:+Use${collector}GC
	awk '$NF == "KnownLives$Kept" && NF == 11 {
		ok = $2 == 900 && $9 == 100 && $3 >= 700 && $3 <= 900
		for (i = 4; i <= 7; i++)
			ok = ok && $i <= $(i - 1)
	}
	END { exit !ok }' life.txt || die "$collector: $(grep KnownLives.Kept life.txt)"
done

run life.json '' -XX:+UseSerialGC
wanted='"class": "KnownLives$Kept", "objects": 900, "bytes": '
grep -qF "$wanted" life.json || die "JSON: objects"
wanted='"survived": [700, 600, 400, 300, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],'
wanted+=' "late_garbage": 600, "live_objects": 100, "live_bytes": '
grep -F 'KnownLives$Kept"' life.json | grep -qF "$wanted" || die "JSON: survivors"
grep -F 'KnownLives$Kept"' life.json | grep -q '"method": "makeKept", "source": "KnownLives.java", "line": [1-9]' ||
	die "JSON: frames"
if command -v python3 >/dev/null; then
	python3 -m json.tool life.json >pretty || die "JSON: not valid"
fi

# Estimated from one in 4 KiB: a valid table.
run life.txt ,force=y,sites-interval=4k -XX:+UseSerialGC
grep -q '^LIFE END$' life.txt || die "sampled: no table"
exit 0
