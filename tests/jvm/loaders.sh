# SPDX-License-Identifier: MIT
# hprof-stat --loaders: the tree of a real JVM, with as many classes for each loader
# as the JVM says, and what holds those that leak.

. "$srcdir/tests/await.bash"
trap end_children EXIT

rm -f input out
mkfifo input
mkdir -p shop/WEB-INF/classes
cp "$classes/Loaders\$Plugin.class" shop/WEB-INF/classes
java -Xmx64m -XX:+UseSerialGC -cp "$classes" Loaders <input >out 2>err &
pid=$!
exec {input}>input
await said_or_gone ready out $pid
grep -q ready out && jcmd $pid GC.heap_dump "$PWD/loaders.hprof" >/dev/null &&
	jcmd $pid VM.classloader_stats >said ||
	{ echo "no dump"; cat err; exit 1; }
exec {input}>&-
wait $pid

failed=0
hprof-stat -q --loaders --width 200 loaders.hprof >shown

# expect TEXT... - a line has the first text, and that or the next one the others.
expect() {
	local first=$1 text lines

	lines=$(grep -F -A 1 -- "$first" shown | tr -s ' \n' '  ')
	for text; do
		[[ $lines == *"$text"* ]] && continue
		echo "'$text' is missing at '$first'"
		failed=1
	done
}

expect "static-plugin" leaked "held by Loaders.kept"
expect "local-plugin" leaked "ThreadLocal Loaders.CONTEXT of thread \"worker\""
expect "thread-plugin" leaked 'held by contextClassLoader of thread "keeper"'
expect "/shop (URLClassLoader@" alive "held by Loaders.OPEN"
expect "open-plugin" alive "held by Loaders.OPEN"
expect "but alive:" "but alive: 3"
grep -q '^ *5  Loaders[$]Plugin$' shown || { echo "no duplicates"; failed=1; }
# Their parent is the platform loader, that of the application is no relative.
grep -q "     platform$" shown || { echo "no platform loader"; failed=1; }

# "class classes" of all loaders but the boot loader, of which the JVM counts the
# classes of arrays as well.
awk '$1 ~ /^0x/ && $NF !~ />$|loader>/ { print $NF, $4 }' said | sort >theirs
hprof-stat -q --json --loaders loaders.hprof | awk '
/"class_loaders"/ { on = 1 }
on && /"class":/ { name = $2; gsub(/[",]/, "", name) }
on && /"classes":/ { sub(/,/, "", $2); if (name != "null") print name, $2 }
on && /"duplicate_count"/ { exit }' | sort >ours
[ "$(wc -l <theirs)" -ge 6 ] || { echo "the JVM told nothing"; failed=1; }
diff theirs ours || failed=1
[ $failed = 0 ] || cat shown
exit $failed
