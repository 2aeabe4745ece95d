# SPDX-License-Identifier: MIT
# heap=sites and heap=all: Allocations.java makes known numbers of objects in
# every way there is, and the agent must count exactly so many, with each
# collector. SiteCounts.java reads the counts.
. "$srcdir/tests/jvm/sample.bash"
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

natives=none
if ${CC:-cc} -fPIC -shared -I"$JAVA_HOME/include" \
	-I"$JAVA_HOME/include/linux" -o libnative.so \
	"$srcdir/tests/jvm/AllocationsNative.c" 2>cc.err; then
	natives=$PWD/libnative.so
else
	echo "no C compiler: JNI is left out"
fi

die() {
	echo "FAILED: $*"
	tail -n 20 err
	exit 1
}

# profile OPTIONS COUNT JAVA_OPTIONS... - leaves p.hprof, and in expected what the
# program made.
profile() {
	local options=$1 count=$2

	shift 2
	rm -f p.hprof
	java -Xmx128m "$@" "-agentpath:$agent=file=p.hprof,$options" \
		-cp "$classes" Allocations "$count" "$natives" >out 2>err ||
		die "$options $*: exit status $?"
	[ -e p.hprof ] || die "$options $*: no profile"
	LC_ALL=C sort out >expected
	hprof-check -q p.hprof >said || { cat said; die "$options $*: hprof-check"; }
}

# The lines of expected that the profile has for the same method and class, and the
# number of lines that are not there.
compare() {
	java -cp "$classes" SiteCounts p.hprof "$@" >counts 2>err ||
		die "the profile cannot be read"
	# The names of hidden classes are cut; an array's class is its own.
	LC_ALL=C sort counts >found
}

exact() {
	profile "heap=sites,depth=12,cutoff=0" 20000 "$@"
	compare
	LC_ALL=C comm -23 expected found >missing
	[ ! -s missing ] || { cat missing; echo "but:"
		cut -d ' ' -f 1,2 missing | grep -Ff - found
		die "counts differ: $*"; }
	compared=$((compared + $(wc -l <expected)))
}

# Is there such a collector?
can_use() {
	java "$@" -version >/dev/null 2>&1
}

# A JVM with ZGC stops it before the end, and nobody may ask it for a collection.
collectors=(-XX:+UseSerialGC -XX:+UseG1GC -XX:+UseZGC)
! is_long || collectors+=(-XX:+UseParallelGC -Xint
	-XX:TieredStopAtLevel=1)
compared=0
for each in "${collectors[@]}"; do
	! can_use "$each" || exact "$each"
done
[ $compared -ge 40 ] || die "only $compared numbers compared"
echo "$compared numbers are exact"
hprof-stat --profile p.hprof >shown || die "hprof-stat"
grep -q 'Allocations.makeHeld' shown || die "no makeHeld in hprof-stat"

# Objects from before the agent could count are there, and nothing is twice.
java -cp "$classes" SiteCounts p.hprof | grep -q '^- java/lang/String' ||
	die "no early objects"

# With the trace of its allocation, every object in a dump; and the counts.
profile "heap=all,depth=12,cutoff=0" 2000 -XX:+UseSerialGC
compare
LC_ALL=C comm -23 expected found | grep . && die "counts differ with heap=all"
compare objects
grep -qx 'makeHeld Allocations[$]Held 200' found ||
	die "the objects of makeHeld have other traces"

# Estimates: some 370 of 1,000,000 objects of 24 or 16 bytes are reported, so the
# number is within 30 % but for one run in a billion.
profile "heap=sites,depth=12,cutoff=0,sites-interval=65536" 1000000 -XX:+UseG1GC
grep -q 'estimated from one in 65536 bytes' err || die "nothing says: estimated"
compare
awk '$1 == "makePlain" && $2 == "Allocations$Plain" {
	seen = 1; exit !($3 > 700000 && $3 < 1300000) }
	END { if (!seen) exit 1 }' found || { grep makePlain found
	die "the estimate is wrong"; }
