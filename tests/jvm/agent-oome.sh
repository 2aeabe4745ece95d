# SPDX-License-Identifier: MIT
# The agent when the heap is exhausted: one dump, by the JVM itself where that is
# possible, else by a walk; and other dumps by the JVM (engine=vm).
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/sample.bash"

collections() {
	grep -c 'Pause Full' gc.log
}

# holds FILE CLASS LEAST - are there that many objects of the class?
holds() {
	hprof-stat --csv --top 0 "$1" | awk -F, -v class="$2" -v least="$3" '
		$1 == class { found = $2 >= least } END { exit !found }' ||
		die "$1 lacks objects of $2"
}

# ---- both engines --------------------------------------------------------------

for engine in auto walk; do
	run exhaust -Xcheck:jni \
		"-agentpath:$agent=file=o.hprof,oome=y,doe=n,engine=$engine"
	! grep -hA 2 WARNING out err || die "$engine: -Xcheck:jni"
	grep -q '^caught 2' out || die "the program saw something else"
	good o.hprof
	# Once, though it happened twice.
	case $engine in
	auto) said "o.hprof: $by_vm" ;;
	walk) said "o.hprof: $taken" ;;
	esac
	holds o.hprof 'byte[]' 200
	rm -f o.hprof
done

# What only class objects refer to is in a walk's dump, too: a static field may
# change meanwhile, but not many.
run exhaust "-agentpath:$agent=file=o.hprof,oome=y,doe=n,ids=4"
good o.hprof
said "o.hprof: $taken"
missing=$(hprof-check o.hprof |
	sed -n 's/.*dangling-ids: \([0-9]*\) .*/\1/p')
[ "${missing:-0}" -lt 20 ] || die "$missing objects are missing"
rm -f o.hprof

run exhaust "-agentpath:$agent=file=p.hprof,doe=n"
run large -Xmx64m "-agentpath:$agent=file=p.hprof,oome=y,doe=n"
grep -q '^caught 1' out || die "the program saw something else"
[ ! -e p.hprof ] || die "dumped without need"

# Where not even a small object can be made: each attempt would cost several
# full collections. The JVM's dump needs none, a walk few.
for gc in Serial Parallel G1; do
	is_long || [ $gc != Parallel ] || continue
	set -- -XX:+Use${gc}GC -Xmx24m -Xlog:gc:file=gc.log
	run crowd "$@"
	without=$(collections)
	for engine in auto walk; do
		is_long || [ $engine$gc != walkG1 ] || continue
		run crowd "$@" \
			"-agentpath:$agent=file=c.hprof,oome=y,doe=n,engine=$engine"
		grep -q '^caught 1' out || die "the program saw something else"
		good c.hprof
		holds c.hprof 'int[]' 500000
		case $engine in
		auto) said "c.hprof: $by_vm" ;;
		walk) said "c.hprof: $taken" ;;
		esac
		[ $gc != Serial ] ||
			[ "$(collections)" -le $((without + 5)) ] ||
			die "$(collections) full collections, and $without without a dump"
		rm -f c.hprof gc.log
	done
done

# ---- names ------------------------------------------------------------------------

# A name that is taken, a directory, a name that no character set has, a file to
# be replaced, with its mode, through a link.
crowd=(crowd -XX:+UseSerialGC -Xmx24m)
echo mine >n.hprof
run "${crowd[@]}" "-agentpath:$agent=file=n.hprof,oome=y,doe=n"
said "n.hprof.1: $by_vm"
good n.hprof.1
[ "$(cat n.hprof)" = mine ] || die "n.hprof was overwritten"

mkdir dumps
LC_ALL=C run "${crowd[@]}" "-agentpath:$agent=file=dumps,oome=y,doe=n"
good dumps/java_pid*.hprof
odd=$'dumps/\303\244\377.hprof'
LC_ALL=C run "${crowd[@]}" "-agentpath:$agent=file=$odd,oome=y,doe=n"
good "$odd"

chmod 640 n.hprof
ln -s n.hprof link
run "${crowd[@]}" \
	"-agentpath:$agent=file=link,oome=y,doe=n,force=y,verbose=n"
said
[ -L link ] || die "the link is gone"
[ "$(stat -c %a n.hprof)" = 640 ] || die "mode $(stat -c %a n.hprof)"
chmod 600 n.hprof
good n.hprof

# What a killed JVM left is removed; a directory of others is not touched.
mkdir -m 700 k.hprof.part.d
echo old | tee k.hprof.part k.hprof.part.d/heap >k.hprof.part.d/heap.p0
run "${crowd[@]}" "-agentpath:$agent=file=k.hprof,oome=y,doe=n"
said "k.hprof: $by_vm"
good k.hprof
[ ! -e k.hprof.part.d ] || die "k.hprof.part.d is left"
mkdir m.hprof.part.d
echo mine >m.hprof.part.d/mine
run "${crowd[@]}" "-agentpath:$agent=file=m.hprof,oome=y,doe=n"
said "the agent walks the heap, as the JVM cannot write it: *" \
	"m.hprof: $taken"
good m.hprof
[ "$(cat m.hprof.part.d/mine)" = mine ] || die "m.hprof.part.d/mine is gone"
rm -rf dumps link ./*.hprof*

# ---- what fails --------------------------------------------------------------------

(
	ulimit -f 512 # blocks of 1 KiB
	run "${crowd[@]}" "-agentpath:$agent=file=f.hprof,oome=y,doe=n"
) || exit 1
said "f.hprof: no dump: *"
no_files

# A pipe can only be filled by a walk.
mkfifo pipe
cat pipe >piped.hprof &
run "${crowd[@]}" "-agentpath:$agent=file=pipe,force=y,oome=y,doe=n"
said "pipe: $taken"
wait $!
chmod 600 piped.hprof
good piped.hprof
cat pipe >/dev/null &
run "${crowd[@]}" "-agentpath:$agent=file=pipe,force=y,doe=y,engine=vm"
said "the agent walks the heap, as the JVM cannot write it: it writes only files" \
	"pipe: $taken"
wait $!
rm -f pipe piped.hprof

# ---- the JVM asked to end ------------------------------------------------------------

# SIGTERM while the JVM writes: the dump is whole, and the JVM ends then.
java -Xmx300m -XX:+UseSerialGC "-agentpath:$agent=file=t.hprof,oome=y,doe=n" \
	-cp "$classes" AgentRun crowd >out 2>err </dev/null &
pid=$!
wait_for test -e t.hprof.part.d/heap
kill -TERM $pid
wait $pid
status=$?
[ $status = 143 ] || [ $status = 7 ] || die "exit status $status"
good t.hprof
said "t.hprof: $by_vm"
rm -f t.hprof

# ---- other dumps by the JVM -----------------------------------------------------------

run wait "-agentpath:$agent=file=e.hprof,engine=vm"
said "e.hprof: $by_vm"
good e.hprof
start wait "-agentpath:$agent=file=q.hprof,engine=vm,doe=n"
kill -QUIT $pid
wait_for test -e q.hprof
attach file=q.hprof,engine=vm,live=n || die "$(cat attach)"
stop
said "q.hprof: $by_vm" "q.hprof.1: $by_vm"
good q.hprof
good q.hprof.1
