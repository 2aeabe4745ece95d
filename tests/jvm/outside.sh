# SPDX-License-Identifier: MIT
# Memory outside of the heap: hprof-stat --native counts the buffers that the
# JVM's own BufferPoolMXBean does, views and closed ones not, and names the
# holder, and for netty's pools sums for each allocator.
. "$srcdir/tests/jvm/parked.bash"
. "$srcdir/tests/jvm/classes.bash"

# Uncomments what this JDK has.
compile() {
	if [ "$java_feature" -ge 22 ]; then
		sed 's,//22,,' "$srcdir/tests/jvm/Outside.java" >Outside.java
	else
		cp "$srcdir/tests/jvm/Outside.java" .
	fi
	javac -nowarn -d . Outside.java "$srcdir/tests/jvm/Pools.java" >javac.out 2>&1
}

# expect KIND OBJECTS BYTES HOLDER - what Outside itself holds.
expect() {
	grep -qE "^ *$2 +${3} +$1 +$4" report && return
	echo "'$1' should be $2 objects, $3 bytes, held by $4"
	failed=1
}

# "objects bytes" of KIND, whoever holds them.
sum() {
	sed -n '/^objects.*of it/,/^$/p' report | tr -d , |
		awk -v kind="$1" 'index($0, kind) { print $1, $2 }'
}

compile || { cat javac.out; exit 1; }
dump_parked dump -Xmx128m -cp . Outside || { cat dump.err; exit 1; }
hprof-stat --native --width 120 dump.hprof >report || exit 1
failed=0
direct=$(awk '$1 == "pool" && $2 == "direct" { print $3, $4 }' dump.out)
[ "$(sum "direct buffers")" = "$direct" ] ||
	{ echo "the JVM counts $direct direct buffers"; failed=1; }
# No one field leads to the largest, of which there are views.
expect "direct buffers" 50 1,275,000 "class Outside@"
expect "mapped files" 1 300,000 "static Outside.mapped"
expect inflaters.* 39 1,727,232 "static Outside.INFLATERS"
expect deflaters.* 6 1,572,864 "static Outside.DEFLATERS"
[ "$java_feature" -lt 22 ] || expect "memory segments" 1 700,000 "(class|static) Outside"
sum "thread stacks" | grep -q " 3145728$" ||
	{ echo "the stack of 3 MiB is missing"; failed=1; }
# The file of the JDK's modules is in no sum.
total=$(awk '/^objects.*of it/ { kinds = 1; next } kinds && NF == 0 { exit }
	kinds { gsub(",", ""); sum += $2 } END { print sum }' report)
hprof-stat --native --json dump.hprof >json
grep -A 1 '"native": {' json | grep -q "\"bytes\": $total," &&
	! grep -q jimage report ||
	{ echo "the sum is not $total"; failed=1; }
[ $failed = 0 ] || cat dump.out report
# The report without options has what the JVM counted, without a graph.
hprof-stat --json dump.hprof >json
for pool in direct mapped; do
	awk -v pool=$pool '$1 == "pool" && $2 == pool && NF == 4 {
		printf "{\"kind\": \"%s\", \"bytes\": %s, \"buffers\": %s}",
			pool, $4, $3 }' dump.out >wanted
	[ -s wanted ] && grep -qFf wanted json || {
		echo "the JVM counts $(cat wanted), but:"
		grep -A 6 '"outside"' json
		failed=1
	}
done
hprof-stat dump.hprof | grep -q '^outside .* outside of the heap' ||
	{ echo "no line in the report without options"; failed=1; }
hprof-stat --leaks dump.hprof | grep -q "^Outside of the heap: .*--native" ||
	{ echo "no line with the sum"; failed=1; }
rm -f dump.hprof mapped.file

# ---- pools -------------------------------------------------------------------

dump_parked dump -Xmx64m -cp . shaded.netty.buffer.Pools ||
	{ cat dump.err; exit 1; }
hprof-stat --native --width 120 dump.hprof | tee report |
	sed -n '/^arenas/,/^$/p' | sed 's/@.*//; s/  */ /g; s/^ //' >pools
diff - pools <<END || { cat report; failed=1; }
arenas chunks bytes free allocator
2 4 400,000 103,000 shaded.netty.buffer.PooledByteBufAllocator
1 1 70,000 7 shaded.netty.buffer.PooledByteBufAllocator
1 2 50,000 20,000 shaded.netty.buffer.AdaptivePoolingAllocator

END
grep -qE '^ *5 +470,000 +direct buffers +shaded.*PooledByteBufAllocator' report ||
	{ echo "no owner of chunks"; cat report; failed=1; }
rm -f dump.hprof
exit $failed
