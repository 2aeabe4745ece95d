# SPDX-License-Identifier: MIT
# hprof-show of collections: what it prints of each is what the program printed of
# it, row by row, in the order of the iterator where the dump tells that.

. "$srcdir/tests/jvm/contents.bash"

dump_contents contents.hprof

# The rows of the section "entries" or "elements", without sizes and identifiers.
rows() {
	awk '
	/^(entries|elements)$/ { on = 1; next }
	/^$/ { on = 0 }
	on && /^ +(retained|entry|element)/ { next }
	on && /^  \(/ { print; next }
	on {
		number = match($0, /^ *\[[0-9]+\] /) ? $1 " " : ""
		if (number != "") sub(/^ *\[[0-9]+\] */, "")
		sub(/^ *([0-9.]+ (bytes|byte|KiB|MiB))? */, "")
		gsub(/@0x[0-9a-f]+/, "")
		print "  " number $0
	}' | sed 's/ *$//'
}

sed '/^ready/d' out >expected
hprof-show --json contents.hprof Contents >class.json
while read -r name; do
	id=$(sed -n 's/.*"name": *"'"$name"'",.*"ref": *{"id": *"\(0x[0-9a-f]*\)".*/\1/p' \
		class.json | head -n 1)
	[ -n "$id" ] || { echo "$name: not in the dump"; continue; }
	echo "$name"
	case $name in
	any*) order='sort' ;;
	*) order='cat' ;;
	esac
	hprof-show --wide --top 0 contents.hprof "@$id" | rows |
		LC_ALL=C $order
done < <(grep '^[a-z]' expected) >shown
diff expected shown || exit 1
[ "$(wc -l <shown)" -gt 700 ] || { echo "few rows: $(wc -l <shown)"; exit 1; }
echo "$(wc -l <shown) rows agree"
