# SPDX-License-Identifier: MIT
# Three dumps of a program that grows: the class that grows is the first row,
# what holds it is the first path, whatever kind of leak it is, and limits
# detect it. Dumps of an idle program hardly differ.
. "$srcdir/tests/await.bash"
trap end_children EXIT
. "$srcdir/tests/jvm/sample.bash"
trap '' PIPE
failed=0

complain() {
	echo "FAILED: $*"
	failed=1
}

grown_or_gone() {
	[ "$(grep -c grown out)" -ge $1 ] || ! kill -0 $2 2>/dev/null
}

# grow HOW OPTION... - leaves 1.hprof, 2.hprof, 3.hprof.
grow() {
	local pid input n how=$1

	shift
	rm -f input out ./*.hprof
	mkfifo input
	java -Xmx128m "$@" -cp "$classes" Growing "$how" <input >out 2>err &
	pid=$!
	exec {input}>input
	for n in 1 2 3; do
		await grown_or_gone $n $pid
		jcmd $pid GC.heap_dump "$PWD/$n.hprof" >/dev/null ||
			complain "$how: no dump $n: $(cat err)"
		echo >&$input
	done
	exec {input}>&-
	wait $pid
}

# has FILE TEXT... - runs of blanks count as one.
has() {
	local file=$1 text

	shift
	for text; do
		tr -s ' \n' '  ' <"$file" | grep -qF -- "$text" && continue
		complain "'$text' is missing in"
		cat "$file"
	done
}

# expect HOW CLASS TEXT... - CLASS leads, the first path has each TEXT.
expect() {
	local how=$1 class=$2

	shift 2
	grow "$how" -XX:+UseSerialGC
	hprof-diff --wide 1.hprof 2.hprof 3.hprof >all.txt ||
		complain "$how: status $?"
	awk '/^ *bytes 1/ { getline; print; exit }' all.txt >row.txt
	has row.txt "grows $class"
	hprof-diff --retained --top 1 1.hprof 3.hprof |
		sed -n '/^What changed/,$p' >path.txt
	has path.txt "$@"
	hprof-diff --retained --top 1 1.hprof 2.hprof 3.hprof |
		sed -n '/^What changed/,$p' >path.txt
	has path.txt "$@" ", grows ("
	hprof-diff --fail-if "class $class* instances > +1000" \
		1.hprof 2.hprof >/dev/null 2>failure.txt
	[ $? = 1 ] || complain "$how: it passes the gate"
	has failure.txt "class $class"
	hprof-diff --fail-if "class $class* instances > +100000" \
		--fail-if 'bytes < -10%' 1.hprof 3.hprof >/dev/null 2>&1 ||
		complain "$how: it does not pass the gate"
	hprof-diff --retained 2.hprof 2.hprof | grep -q "no class differs" ||
		complain "$how: a dump differs from itself"
	echo "$how: done"
}

item='Growing$Item'
expect map "$item" "class Growing static MAP java.util.HashMap" \
	".table java.util.HashMap\$Node[]" "objects of $item"
is_long && expect list "$item" "class Growing static LIST java.util.ArrayList" \
	".elementData java.lang.Object[] [] $item"
is_long && expect cache "$item" "class Growing static CACHE Growing\$Cache" \
	".entries java.util.LinkedHashMap" "objects of $item"
expect nested "$item" "static USERS java.util.HashMap" "Growing\$User" \
	".history java.util.HashMap" "objects of $item"
is_long && expect listener 'Growing$Window' "class Growing static BUTTON Growing\$Button" \
	".listeners java.util.ArrayList" "[] Growing\$Window"
expect chain 'Growing$Link' "class Growing static first Growing\$Link"
expect threadlocal "$item" "GC root: thread object java.lang.Thread" \
	".threadLocals" ".value java.util.ArrayList" "[] $item"
is_long && expect loader "$item" "class Growing static PLUGINS" "objects of $item"
expect local "$item" "GC root: local of Growing.main java.util.ArrayList" \
	".elementData java.lang.Object[] [] $item"

# With collectors that move objects in other ways, too.
collectors=(UseG1GC)
is_long && collectors+=(UseSerialGC UseParallelGC)
for gc in "${collectors[@]}"; do
	grow idle -XX:+$gc
	hprof-diff --csv 2.hprof 3.hprof >rows.txt
	hprof-diff --retained 2.hprof 3.hprof >idle.txt
	rows=$(($(wc -l <rows.txt) - 1))
	echo "idle, $gc: $rows rows"
	[ $rows -le 5 ] || { complain "$gc: $rows rows"; cat idle.txt; }
	paths=$(hprof-diff --retained --json 2.hprof 3.hprof |
		grep -c '"kept"')
	echo "idle, $gc: $paths paths"
	[ "$paths" -le 5 ] || { complain "$gc: $paths paths"; cat idle.txt; }
done
exit $failed
