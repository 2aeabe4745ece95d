# SPDX-License-Identifier: MIT
# hprof-query of a real heap: the questions of its manual, tables of classes, and
# the sums of other programs.

. "$srcdir/tests/jvm/contents.bash"

command -v hprof-query >/dev/null || { echo "no SQLite here"; exit 77; }
fail() {
	echo "FAILED: $*"
	exit 1
}

dump_contents query.hprof

# One number.
ask() {
	hprof-query -q --format csv query.hprof "$1" | sed 1d | tr -d '\r'
}

map=$(ask 'SELECT object FROM "java.util.HashMap" ORDER BY size DESC LIMIT 1')
[ -n "$map" ] || fail "no map"
awk '/^\.Sh QUESTIONS/ { on = 1 }
	/^\.Sh FROM/ { exit }
	/^\.Ed/ { if (code) print "--"; code = 0 }
	code { gsub(/\\&/, ""); gsub(/\\e/, "\\"); print }
	on && /^\.Bd -literal/ { code = 1 }' "$srcdir/man/hprof-query.1" |
	sed "s/(100)/($map)/" >questions
questions=0 answers=0 question=
while IFS= read -r line; do
	if [ "$line" != -- ]; then
		question+=$line$'\n'
		continue
	fi
	hprof-query -q --format csv query.hprof "$question" >answer 2>error ||
		{ cat error; fail "$question"; }
	questions=$((questions + 1))
	[ "$(wc -l <answer)" -gt 1 ] && answers=$((answers + 1))
	question=
done <questions
echo "$questions questions, $answers with rows"
[ $questions = 40 ] && [ $answers -ge 30 ] || fail "too few"

# As many objects and bytes as hprof-stat counts.
total=$(hprof-stat --json query.hprof |
	sed -n '/"totals"/,/}/s/^ *"bytes": \([0-9]*\).*/\1/p')
[ "$(ask 'SELECT sum(shallow) FROM object')" = "$total" ] || fail "bytes"
for class in java.lang.String 'byte[]' java.util.HashMap java.lang.Thread; do
	[ "$(ask "SELECT count(*) = (SELECT sum(instances) FROM class
		WHERE name = '$class') AND sum(shallow) = (SELECT sum(shallow)
		FROM class WHERE name = '$class') FROM \"$class\"")" = 1 ] ||
		fail "$class"
done
# Collections have as many elements as they say.
[ "$(ask 'SELECT count(*) FROM "java.util.HashMap" m WHERE size <>
	(SELECT count(*) FROM elements(m.object))')" = 0 ] || fail "elements"
# A look-up by each condition gives what a scan gives: + hides the column.
[ "$(ask 'SELECT count(*) FROM (SELECT id FROM object WHERE id % 97 = 0) o
	JOIN object p ON p.id = o.id JOIN object q ON q.address = p.address
	WHERE q.id = o.id')" = "$(ask 'SELECT count(*) FROM object
	WHERE id % 97 = 0')" ] || fail "by id and address"
for target in "$map" 0 1000; do
	[ "$(ask "SELECT count(*), sum(source), sum(place) FROM reference
		WHERE target = $target")" = "$(ask "SELECT count(*), sum(source),
		sum(place) FROM reference WHERE +target = $target")" ] ||
		fail "references to $target"
done
[ "$(ask 'SELECT count(*), sum(id) FROM object WHERE id > 100 AND id <= 1000.5')" = \
	"$(ask 'SELECT count(*), sum(id) FROM object WHERE +id > 100 AND +id <= 1000.5')" ] ||
	fail "a range"
[ "$(ask "SELECT count(*), sum(object) FROM retained WHERE dominator = $map")" = \
	"$(ask "SELECT count(*), sum(object) FROM retained WHERE +dominator = $map")" ] ||
	fail "what $map dominates"
[ "$(ask "SELECT sum(d.retained) + (SELECT shallow FROM object WHERE id = $map)
	= (SELECT retained FROM retained WHERE object = $map) FROM dominated($map) d")" = 1 ] ||
	fail "the sizes below $map"
[ "$(ask "SELECT sum(o.shallow) = (SELECT retained FROM retained
	WHERE object = $map) FROM retained_set($map) s JOIN object o
	ON o.id = s.object")" = 1 ] || fail "the retained set of $map"
