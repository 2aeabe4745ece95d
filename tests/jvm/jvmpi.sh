# SPDX-License-Identifier: MIT
# The events of JVMPI: each row of the table in hprof_prof(3) has a test here or in
# another script, or cannot be observed for the reason that the row gives. This list is
# compared with the rows.
rows='
METHOD_ENTRY            hooks, hooks-harm
METHOD_ENTRY2           hooks; its receiver here
METHOD_EXIT             hooks, hooks-harm
OBJECT_ALLOC            memory-events: lives
OBJECT_FREE             memory-events: lives
OBJECT_MOVE             none
ARENA_NEW               memory-events: pools
ARENA_DELETE            none
GC_START                memory-events: collections
GC_FINISH               memory-events: collections
HEAP_DUMP               levels
OBJECT_DUMP             requests
MONITOR_CONTENDED_ENTER memory-events: monitors
MONITOR_CONTENDED_ENTERED memory-events: monitors
MONITOR_WAIT            memory-events: monitors; sleeps here
MONITOR_WAITED          memory-events: monitors
MONITOR_CONTENDED_EXIT  none
MONITOR_DUMP            monitors, requests
RAW_MONITOR_*           none
JNI_GLOBALREF_ALLOC     memory-events: refs
JNI_GLOBALREF_FREE      memory-events: refs
JNI_WEAK_GLOBALREF_ALLOC memory-events: refs
JNI_WEAK_GLOBALREF_FREE memory-events: refs
CLASS_LOAD              memory-events: classes
CLASS_UNLOAD            memory-events: classes
CLASS_LOAD_HOOK         here
COMPILED_METHOD_LOAD    here
COMPILED_METHOD_UNLOAD  here
THREAD_START            here
THREAD_END              here
DATA_DUMP_REQUEST       here
JVM_INIT_DONE           here
JVM_SHUT_DOWN           here
DATA_RESET_REQUEST      none of the JVM; agent-net: CONTROL
'
library=$builddir/prof/.libs/libhprof-prof.so
[ -e "$library" ] || { echo "libhprof-prof was not built"; exit 77; }
. "$srcdir/tests/await.bash"

die() {
	echo "FAILED: $*"
	cat out err 2>/dev/null
	exit 1
}

sed -n '/^.Sh EVENTS OF JVMPI/,/^.Sh SEE/s/^\.It Sy //p' \
	"$srcdir/man/hprof_prof.3" | tr -d ' ' | tr ',' '\n' | sort >manual
awk 'NF { print $1 }' <<<"$rows" | sort >table
diff manual table || die "the manual has other rows"
# What the list names is there.
for each in $(awk 'NF { $1 = ""; print }' <<<"$rows" | tr -d ',;' |
	grep -oE '^ [a-z-]+|(hooks-harm|requests)' | sort -u); do
	case $each in
	here | none) ;;
	*) [ -e "$srcdir/tests/jvm/$each.sh" ] || die "no script $each" ;;
	esac
done

${CC:-cc} -Wall -Wextra -O2 -shared -fPIC -I"$srcdir/prof" \
	-I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
	-o agent.so "$srcdir/tests/jvm/jvmpi_agent.c" \
	-L"${library%/*}" -lhprof-prof -Wl,-rpath,"${library%/*}" || {
	echo "no compiler"
	exit 77
}
mkfifo input
java "-agentpath:$PWD/agent.so" -cp "$classes" Jvmpi "$PWD/agent.so" \
	<input >out 2>err &
pid=$!
trap end_children EXIT
exec {input}>input
await said_or_gone ready out $pid
kill -QUIT $pid
# The JVM tells agents after it has printed the dump.
await said_or_gone 'told of the dump' err $pid
exec {input}>&-
wait $pid || die "exit status $?"

# at_least ROW N
at_least() {
	awk -v row="$1" -v least="$2" '$1 == row && $2 >= least { ok = 1 }
		END { exit !ok }' out || die "$1: $(grep "^$1 " out)"
}
for row in THREAD_START THREAD_END COMPILED_METHOD_LOAD COMPILED_METHOD_UNLOAD \
	CLASS_LOAD_HOOK DATA_DUMP_REQUEST JVM_INIT_DONE JVM_SHUT_DOWN METHOD_ENTRY2; do
	at_least $row 1
done
feature=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$JAVA_HOME/release")
[ "${feature:-0}" -lt 19 ] || at_least SLEEP 1
exit 0
