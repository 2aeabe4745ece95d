# SPDX-License-Identifier: MIT
# Heap dumps as text, format=a: of defaults=old alone, to a file, to a connection,
# and what happens where there is no room. The text has the objects that the
# binary dump of another agent in the same JVM has.
. "$srcdir/tests/jvm/agent.bash"

# by_class FILE - how many objects there are of each class, or type of an array.
by_class() {
	sed -n 's/^OBJ .*, class=\(.*\)@[0-9a-f]*)$/\1/p
		s/^ARR .*, elem type=\(.*\)@[0-9a-f]*)$/\1[]/p
		s/^ARR .*, elem type=\([^@]*\))$/\1[]/p' "$1" |
		LC_ALL=C sort | uniq -c
}

# whole FILE - the section counts right, and what is referred to is there.
whole() {
	[ -f "$1" ] || die "no $1"
	[ "$(stat -c %a "$1")" = 600 ] || die "$1: mode $(stat -c %a "$1")"
	awk '
	/^HEAP DUMP BEGIN/ { said = substr($4, 2); heaps++ }
	/^HEAP DUMP END/ { ends++ }
	/^(OBJ|ARR|CLS) / { here[$2] = 1; n++ }
	/^(OBJ|ARR) / { match($0, /sz=[0-9]+/)
		bytes += substr($0, RSTART + 3, RLENGTH - 3) }
	/^\t.*\t[0-9a-f]+$/ && heaps > ends { wanted[$NF] = 1; edges++ }
	/^ROOT / { roots++ }
	/^TRACE [0-9]+:/ { trace[$2 + 0] = 1 }
	/^(OBJ|ARR|CLS) / { match($0, /trace=[0-9]+/)
		used[substr($0, RSTART + 6, RLENGTH - 6)] = 1 }
	END {
		if (heaps != 1 || ends != 1 || said != n || !roots || !bytes)
			print "said " said ", are " n, heaps, ends, roots
		for (id in wanted) if (!(id in here)) missing++
		for (t in used) if (t != 0 && !(t in trace)) lost++
		if (missing || lost || edges < 1000)
			print missing + 0 " missing, " lost + 0 " traces, " edges
	}' "$1" >check
	[ ! -s check ] || { cat check; die "$1 is not whole"; }
}

# ---- defaults=old, and nothing else ----------------------------------------------

run fill "-agentpath:$agent=defaults=old" \
	"-agentpath:$agent=heap=dump,file=same.hprof"
whole java.hprof.txt
said "java.hprof.txt: $taken" "same.hprof: $taken"
head -n 1 java.hprof.txt | grep -q '^JAVA PROFILE 1.0.1, created ' ||
	die "$(head -n 1 java.hprof.txt)"
for section in 'HEAP DUMP' SITES; do
	grep -q "^$section BEGIN" java.hprof.txt || die "no $section"
done
grep -q '^THREAD START (obj=.*, name="main", group="main")$' java.hprof.txt ||
	die "no thread main"
# Objects have the traces of their allocation.
grep -q '^OBJ .*trace=30[0-9]*, class=' java.hprof.txt || die "no traces"
# The same objects, but for the few that the first dump itself has made.
hprof-convert -q --to text same.hprof same.txt || die "not converted"
by_class java.hprof.txt >ours
by_class same.txt >theirs
[ "$(wc -l <ours)" -gt 100 ] || die "$(wc -l <ours) classes"
awk 'NR == FNR { n[$2] = $1; next } { d = n[$2] - $1; delete n[$2] }
	d > 20 || d < -20 { print $2, d }
	{ all += $1; apart += d < 0 ? -d : d }
	END { for (c in n) if (n[c] > 20) print c, n[c]
	      if (apart > all / 100) print "apart " apart " of " all }' \
	ours theirs >differ
[ ! -s differ ] || { cat differ; die "other objects than the binary dump"; }
# It is replaced: force=y is a default, too.
run fill "-agentpath:$agent=defaults=old,heap=dump"
whole java.hprof.txt
grep -q '^SITES BEGIN' java.hprof.txt && die "replaced by nothing"
ls | grep -q 'java.hprof.txt.' && die "$(ls)"
rm -f ./*.txt ./*.hprof

# ---- where objects come from -----------------------------------------------------

# A clone gets its header after the JVM has reported it: it is known, and alive,
# nevertheless; by the interpreter and by compiled code, with and without a stack.
for flags in -Xint -Xcomp; do
	for depth in 4 0; do
		java $flags -Xmx64m \
			"-agentpath:$agent=defaults=old,depth=$depth,cutoff=0" \
			-cp "$classes" Cloned >out 2>err || die "Cloned"
		whole java.hprof.txt
		awk '$NF == "Cloned" { live += $5; made += $7 }
			END { exit !(live == 1000 && made == 1002) }' \
			java.hprof.txt ||
			die "$(grep ' Cloned$' java.hprof.txt)"
		[ $depth = 4 ] || continue
		# What the JVM makes by itself is not reported: threads that
		# attach, with their names, and the constants of classes.
		awk '/^(OBJ|ARR) / {
			all++
			if ($0 !~ /trace=3[0-9][0-9][0-9][0-9][0-9],/) {
				unknown++
				if ($0 ~ /class=Cloned@/) clones++
			}
		}
		END { print unknown " of " all ", " clones + 0 " clones"
			exit !(unknown * 200 < all && !clones) }' \
			java.hprof.txt >check || die "$(cat check)"
	done
done
rm -f ./*.txt

# ---- with other profiles ----------------------------------------------------------

run fill "-agentpath:$agent=heap=dump,monitor=y,cpu=samples,file=x.txt"
whole x.txt
grep ' BEGIN' x.txt | sed 's/ BEGIN.*//' >order
printf '%s\n' 'MONITOR DUMP' 'HEAP DUMP' 'CPU SAMPLES' >wanted
grep -v '^MONITOR TIME$' order | cmp -s - wanted || die "$(cat order)"
# In the binary format, too, the samples are in the dump.
run fill "-agentpath:$agent=heap=dump,cpu=samples,file=x.hprof"
good x.hprof
hprof-stat --profile x.hprof | grep -q '^CPU SAMPLES' || die "no samples"
rm -f x.*

# ---- no room -----------------------------------------------------------------------

# The dump does not fit, or its text; the program goes on, and nothing is left.
for blocks in 200 3000; do
	rm -f out err
	(
		ulimit -f $blocks
		run fill -XX:-UsePerfData "-agentpath:$agent=format=a,file=x.txt"
	) || exit 1
	grep -q '^hprof-agent: .*x.txt.*: no dump: ' err || die "no message"
	[ -z "$(find . -name 'x.txt*' -o -name 'hprof-agent*')" ] ||
		die "left: $(ls)"
done

# ---- over a network ----------------------------------------------------------------

# listen_text OPTIONS... - hprof-dump waits for a connection; its port is in port.
listen_text() {
	rm -f heard
	hprof-dump --listen 0 "$@" 2>heard &
	listening=$!
	wait_for grep -q 'listening on' heard
	port=$(sed -n 's/.*listening on 127.0.0.1://p' heard)
}

# Asked for, it is the heap alone, and the JVM goes on.
listen_text -o asked.txt
start fill "-agentpath:$agent=net=127.0.0.1:$port,defaults=old,doe=n"
wait $listening || die "$(cat heard)"
stop
whole asked.txt
grep -q '^SITES BEGIN' asked.txt && die "sites that nobody asked for"
grep -Eq '[0-9,]+ objects' heard || die "$(cat heard)"
# At the end of the JVM, all of it, compressed as it comes.
listen_text --wait -o all.txt.gz
run fill "-agentpath:$agent=net=127.0.0.1:$port,defaults=old"
wait $listening || die "$(cat heard)"
gzip -dc all.txt.gz >all.txt
chmod 600 all.txt
whole all.txt
grep -q '^SITES END' all.txt || die "no sites"
# A profile without a heap, and one that cannot be blanked.
listen_text --wait -o times.txt
run fill "-agentpath:$agent=net=127.0.0.1:$port,cpu=times"
wait $listening || die "$(cat heard)"
grep -q '^CPU TIME (ms) END' times.txt || die "no times"
listen_text --redact strings -o blank.txt
start fill "-agentpath:$agent=net=127.0.0.1:$port,defaults=old,doe=n"
wait $listening
[ $? = 2 ] || die "redacted text"
grep -q 'format=a' heard || die "$(cat heard)"
[ ! -e blank.txt ] || die "blank.txt"
stop

# From an agent that listens: the heap as it is when it is asked for, and with a
# profile beside it; twice, and the JVM goes on.
start fill "-agentpath:$agent=listen=0,token=token,heap=all,format=a"
wait_for grep -q 'listening on 127.0.0.1:' err
port=$(sed -n 's/.*listening on 127.0.0.1://p' err)
for name in got.txt got.txt.gz; do
	hprof-dump -q --token-file token -o $name 127.0.0.1:$port 2>heard ||
		die "$name: $(cat heard)"
done
gzip -dc got.txt.gz >again.txt
chmod 600 again.txt
stop
for name in got.txt again.txt; do
	whole $name
	[ "$(grep -c '^JAVA PROFILE' $name)" = 1 ] || die "$(head $name)"
	grep -q '^OBJ .*trace=30[0-9]*, class=' $name || die "$name: no traces"
done
# With a profile that has no heap, too, the heap is what it gets.
start wait "-agentpath:$agent=listen=0,token=token,cpu=samples,format=a"
wait_for grep -q 'listening on 127.0.0.1:' err
port=$(sed -n 's/.*listening on 127.0.0.1://p' err)
hprof-dump -q --token-file token -o heap.txt 127.0.0.1:$port 2>heard ||
	die "$(cat heard)"
stop
whole heap.txt

# The commands of a front end: each section by itself.
sites=03 summary=04 control=08
frame() {
	printf '%s00000000%08x%s' "$1" $((${#2} / 2)) "$2"
}
rm -f front
tcp-peer -l "send=$(frame $sites 000000000000)" \
	"send=$(frame $summary '')$(frame $control 0002)" send=ff rest=rest.txt >front 2>&1 &
front=$!
wait_for test -s front
start fill "-agentpath:$agent=net=127.0.0.1:$(head -n 1 front),heap=sites,format=a,doe=n"
wait_for grep -q 'HEAP SUMMARY does nothing: it has no form in text' err
stop
wait $front
[ "$(grep -c '^SITES BEGIN' rest.txt)" = 1 ] || die "$(head rest.txt)"
[ "$(grep -c '^JAVA PROFILE' rest.txt)" = 1 ] || die "$(head rest.txt)"
