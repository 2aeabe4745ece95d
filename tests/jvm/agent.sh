# SPDX-License-Identifier: MIT
# The agent at the start of a JVM: options, files, dumps at the end and on
# request. The program always goes its way.
. "$srcdir/tests/jvm/agent.bash"

# ---- options that are none: a message, no dump --------------------------------

options=(some=1 doe=yes ids=16 heap=some engine=vm,format=a file= doe=y, x
	engine=jvm engine=vm,ids=4)
messages=(
	'some=1: unknown option' 'doe=yes: must be y or n'
	'ids=16: must be 4 or 8' 'heap=some: must be dump, sites, all or life'
	'engine=vm: not with format=a: the JVM writes only format=b'
	'file=: must name a file' 'options: a comma too many'
	'x: unknown option' 'engine=jvm: must be auto, fork, vm or walk'
	'engine=vm: not with ids=4 or constpool=n'
)
# All in one JVM: each load is by itself.
loads=()
wanted=()
for i in "${!options[@]}"; do
	loads+=("-agentpath:$agent=${options[i]}")
	wanted+=("${messages[i]}; nothing is dumped; try help")
done
run wait "${loads[@]}"
said "${wanted[@]}"
no_files

java "-agentpath:$agent=help" -cp "$classes" AgentRun >out 2>err </dev/null
[ $? = 7 ] || die "exit status with help"
for word in heap=dump format=a file=FILE force= doe= oome= engine= live= ids= \
	constpool= verbose= hprof-agent\(7\); do
	grep -q -- "$word" out || die "help lacks $word"
done
grep -qx ready out || die "help, and then?"
said
no_files

# ---- a dump at the end -----------------------------------------------------------

run wait "-agentpath:$agent"
mv java_pid*.hprof default.hprof || die "no default name"
good default.hprof
said "java_pid*.hprof: $taken"
hprof-stat default.hprof | grep -q 'identifiers of 8 bytes' ||
	die "no identifiers of 8 bytes"
rm -f default.hprof

# By its name, from a directory of libraries.
(
	LD_LIBRARY_PATH=$(dirname "$agent")
	export LD_LIBRARY_PATH
	run wait -agentlib:hprof-agent=file=x.hprof,heap=dump,format=b,ids=4
) || exit 1
good x.hprof
said "x.hprof: $taken"
hprof-stat x.hprof | grep -q 'identifiers of 4 bytes' || die "no ids=4"

# The file is there: left alone, the next number.
cp x.hprof before
run wait "-agentpath:$agent=file=x.hprof"
cmp -s x.hprof before || die "x.hprof was overwritten"
good x.hprof.1
said "x.hprof.1: $taken"

# It is replaced, and in silence.
run wait "-agentpath:$agent=file=x.hprof,force=y,verbose=n,constpool=n"
cmp -s x.hprof before && die "force=y did not replace"
good x.hprof
said
[ "$(stat -c %s x.hprof)" -lt "$(stat -c %s x.hprof.1)" ] ||
	die "constpool=n leaves nothing out"
rm -f x.hprof*

run wait "-agentpath:$agent=file=p%p.hprof,doe=n"
said
no_files
run wait "-agentpath:$agent=file=p%p.hprof,live=n"
mv p[0-9]*.hprof all.hprof || die "no %p"
good all.hprof
rm -f all.hprof

# Several loads, each with its own options; a directory as the file.
mkdir dumps
run wait "-agentpath:$agent=file=a.hprof" "-agentpath:$agent=file=b.hprof" \
	"-agentpath:$agent=file=dumps" "-agentpath:$agent=doe=n" \
	"-agentpath:$agent=nonsense"
good a.hprof
good b.hprof
good dumps/java_pid*.hprof
[ "$(grep -c "bytes, pause" err)" = 3 ] || die "three dumps, other messages"
rm -rf a.hprof b.hprof dumps

# However it ends: killed, without a main class.
start wait "-agentpath:$agent=file=t.hprof"
kill -TERM $pid
wait $pid
[ $? = 143 ] || die "exit status after SIGTERM"
exec 3>&-
good t.hprof
java "-agentpath:$agent=file=t.hprof" -cp . NoSuchClass >out 2>err </dev/null
[ $? = 1 ] || die "exit status without a main class"
good t.hprof.1
java "-agentpath:$agent=file=t.hprof" -version >out 2>err </dev/null ||
	die "exit status of -version"
good t.hprof.2
rm -f t.hprof*

# ---- on request ------------------------------------------------------------------

start wait "-agentpath:$agent=file=q.hprof,doe=n"
kill -QUIT $pid
wait_for test -e q.hprof
kill -QUIT $pid
wait_for test -e q.hprof.1
if jcmd $pid help | grep -q JVMTI.data_dump; then
	jcmd $pid JVMTI.data_dump >/dev/null || die "no data dump"
	good q.hprof.2
fi
stop
good q.hprof
good q.hprof.1
[ ! -e q.hprof.3 ] || die "doe=n dumped at the end"
rm -f q.hprof*

echo "agent: good on $(java -version 2>&1 | head -n 1)"
