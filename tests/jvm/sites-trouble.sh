# SPDX-License-Identifier: MIT
# heap=sites and heap=all where it is hard: classes that are unloaded, an agent that
# comes late, a heap that is exhausted. The counts stay exact.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/sample.bash"

copies=60 each=50

# begin JAVA_OPTIONS... - the program waits for a line.
begin() {
	rm -f input out err
	mkfifo input
	java -Xmx64m -XX:+EnableDynamicAgentLoading "$@" -cp "$classes" \
		Unloaded $copies $each <input >out 2>err &
	pid=$!
	exec 3>input
	await said_or_gone ready out $pid
	grep -q '^ready' out || die "did not start: $*"
}

unload() {
	echo >&3
	await said_or_gone unloaded out $pid
	grep -q '^unloaded' out || die "no class was unloaded"
}

# exact FILE - all objects of all copies were counted, where they were made, and
# only those of the last copy are alive.
exact() {
	awk -v all=$((copies * each)) -v each=$each '
	/^TRACE / { trace = $2 + 0; first = 1; next }
	/^\t/ { if (first) place[trace] = $1; first = 0 }
	/^SITES BEGIN/ { on = 1 }
	on && $NF == "Unloaded$Unit" {
		if (place[$8] !~ /^Unloaded\$Unit\.make\(Unloaded\.java:[0-9]+\)$/)
			print "made at " place[$8]
		live += $5; made += $7
	}
	END { if (made != all || live != each)
		print made " were made, not " all "; " live " live, not " each
	}' "$1" >wrong
	[ ! -s wrong ] || { cat wrong; die "$1: wrong counts"; }
}

# ---- classes that are unloaded ------------------------------------------------------

for collector in Serial G1; do
	is_long || [ $collector = Serial ] || continue
	rm -f u.txt
	begin -XX:+Use${collector}GC \
		"-agentpath:$agent=heap=sites,cutoff=0,depth=3,format=a,file=u.txt"
	unload
	stop
	exact u.txt
done

# In a dump the objects that are left have the trace of their allocation.
begin -XX:+UseSerialGC "-agentpath:$agent=heap=all,cutoff=0,depth=3,file=u.hprof"
unload
stop
good u.hprof
java -cp "$classes" SiteCounts u.hprof objects >counts 2>err || die "SiteCounts"
grep -qx "make Unloaded[$]Unit $each" counts ||
	{ grep Unit counts; die "objects of the last copy"; }

# ---- an agent that comes late -------------------------------------------------------

# With and without objects; what was there before is early, what a new thread makes
# is counted exactly.
for heap in sites all; do
	is_long || [ $heap = all ] || continue
	rm -f l.txt early.txt
	begin -XX:+UseSerialGC
	attach "heap=$heap,cutoff=0,depth=3,format=a,file=early.txt,doe=n" ||
		die "heap=$heap was not loaded"
	unload
	attach "profile=report,live=y,cutoff=0,format=a,file=l.txt" || die "no report"
	stop
	exact l.txt
	awk '/^SITES BEGIN/ { on = 1 }
		on && $8 == 300000 && $NF == "java.lang.String" { early = $5 }
		END { exit !(early > 1000) }' l.txt || die "no early objects"
done
# hprof-prof has exact counts, too.
begin -XX:+UseSerialGC
hprof-prof --agent "$agent" --alloc --live --alloc-interval 0 --top 0 \
	--duration 3600 --json $pid >json 2>said &
profiler=$!
wait_for grep -q 'objects from before' said
unload
kill -TERM $profiler
wait $profiler || die "hprof-prof: $(cat said)"
stop
grep -q '"class": "Unloaded$Unit", "method": "Unloaded$Unit.make", "bytes": [0-9]*, "objects": '"$each"'[,}]' json ||
	{ grep Unit json; die "hprof-prof"; }

# ---- a heap that is exhausted -------------------------------------------------------

# The program sees what it sees without an agent; who filled the heap is known.
for how in exhaust crowd; do
	for heap in sites all; do
		is_long || [ $how$heap = exhaustsites ] ||
			[ $how$heap = crowdall ] || continue
		rm -f ./o.*
		run $how -Xmx24m -XX:+UseSerialGC \
			"-agentpath:$agent=heap=$heap,oome=y,doe=n,cutoff=0,file=o.hprof"
		grep -q '^caught [12]$' out || die "the program saw something else"
		good o.hprof
		hprof-stat --profile o.hprof >stat 2>&1 || die "$(cat stat)"
		# By live bytes, the first place is the program's.
		awk '/^ALLOCATION SITES/ { on = 1 } on && /^1\. / { getline; print; exit }' \
			stat | grep -q "AgentRun\.$how(" ||
			{ cat stat; die "$how, heap=$heap: not the first site"; }
	done
done
