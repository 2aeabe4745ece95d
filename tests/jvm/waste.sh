# SPDX-License-Identifier: MIT
# What hprof-stat --waste says of a program that wastes known amounts of each
# kind: exactly that, of its classes, whether memory is limited or not.
. "$srcdir/tests/jvm/parked.bash"

# Rows of the report as the program prints them, of its own classes.
found() {
	sed -n '/"waste": {/,/"strings": \[/p' | sed -n '/"rows"/,/^    ]/{
		s/"holder": null/"holder": {"class": "-", "field": "-"/
		s/.*"kind": "\([^"]*\)", "class": "\([^"]*\)", "objects": \([0-9]*\), "bytes": \([0-9]*\), "saved": \([0-9]*\), "holder": {"class": "\([^"]*\)", "field": \("[^"]*"\|null\).*/\1 \2 \3 \4 \5 \6.\7/p
	}' | tr -d '"' | sed 's/ -\.-$/ -/' | grep 'Wasteful' |
		grep -v ' Wasteful\.' | LC_ALL=C sort
}

dump_parked heap -Xmx64m -XX:+UseSerialGC \
	--add-opens java.base/java.lang=ALL-UNNAMED -cp "$classes" Wasteful ||
	{ cat heap.err; exit 1; }
grep -v ready heap.out | LC_ALL=C sort >wanted
[ "$(cut -d ' ' -f 1 wanted | sort -u | wc -l)" = 20 ] ||
	{ echo "not all kinds are planted"; exit 1; }
hprof-stat --waste --json heap.hprof | found >found
hprof-stat --waste --json --memory 64M heap.hprof | found >limited
cmp found limited || exit 1
diff wanted found || exit 1
# The map with collisions, down to the class of its keys.
hprof-stat --waste --json heap.hprof |
	grep -c '"collisions", .* "entries": 64, "buckets": 1, "deepest": 64, "key_class": "Wasteful$Bad", "holder": {"class": "Wasteful$Colliding", "field": "map"' |
	grep -qx 2 || { echo "no deep buckets"; exit 1; }
rm -f heap.hprof
