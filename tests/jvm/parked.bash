# parked.bash - a JVM that stands still while it is dumped. To be sourced.

# park NAME JAVA_ARGUMENTS...: starts a JVM and waits until it prints ready;
# $pid is it. Output goes to NAME.out and NAME.err. 1 if it does not start.
park() {
	local name=$1

	shift
	rm -f "$name.input"
	mkfifo "$name.input"
	java "$@" <"$name.input" >"$name.out" 2>"$name.err" &
	pid=$!
	exec {parked_input}>"$name.input"
	for _ in $(seq 300); do
		grep -q '^ready' "$name.out" && return 0
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	unpark
	return 1
}

# Lets the JVM end; its exit status.
unpark() {
	exec {parked_input}>&-
	wait "$pid"
}

# Compiles what Everything.java needs, and the programs that compare dumps.
compile_everything() {
	javac -nowarn -d . "$srcdir/tests/jvm/Everything.java" || return 1
	# Not every Java has records.
	javac -nowarn -d . "$srcdir/tests/jvm/EverythingRecord.java" \
		>/dev/null 2>&1 || true
	javac -nowarn -d tools -sourcepath "$srcdir/tests/jvm" \
		"$srcdir/tests/jvm/CompareDumps.java" \
		"$srcdir/tests/jvm/AlterDump.java"
}

# The classes that Everything prints, in its order.
everything=$(printf 'Everything$%s ' Statics Hierarchies Arrays Strings \
	References Loaded Threads Root Left Right Base Middle Leaf Twin Colour)

compare_dumps() {
	java -Xmx900m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp tools \
		CompareDumps "$@"
}
