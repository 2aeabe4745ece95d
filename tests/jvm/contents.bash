# SPDX-License-Identifier: MIT
# contents.bash - a dump of Contents, which prints to the file out what it holds.
# To be sourced.
. "$srcdir/tests/await.bash"
trap end_children EXIT

# dump_contents FILE
dump_contents() {
	local pid

	rm -f input out
	mkfifo input
	LC_ALL=C.UTF-8 java -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 \
		-Xmx64m -XX:+UseSerialGC -cp "$classes" Contents \
		<input >out 2>err &
	pid=$!
	exec {input}>input
	await said_or_gone ready out $pid
	grep -q ready out &&
		jcmd $pid GC.heap_dump "$PWD/$1" >/dev/null ||
		{ echo "no dump"; cat err; exit 1; }
	exec {input}>&-
	wait $pid
}
