# SPDX-License-Identifier: MIT
# parked.bash - a JVM that stands still while it is dumped. To be sourced.
. "$srcdir/tests/await.bash"
trap end_children EXIT

# park NAME JAVA_ARGUMENTS...: starts a JVM and waits until it prints ready;
# $pid is it. Output goes to NAME.out and NAME.err. 1 if it does not start.
park() {
	local name=$1

	shift
	rm -f "$name.input" "$name.out" "$name.err"
	mkfifo "$name.input"
	java "$@" <"$name.input" >"$name.out" 2>"$name.err" &
	pid=$!
	exec {parked_input}>"$name.input"
	await said_or_gone ready "$name.out" "$pid"
	grep -q '^ready' "$name.out" && return 0
	unpark
	return 1
}

# Lets the JVM end; its exit status.
unpark() {
	exec {parked_input}>&-
	wait "$pid"
}

# dump_parked NAME JAVA_ARGUMENTS...: the same, dumped by the JVM to NAME.hprof.
dump_parked() {
	local status

	park "$@" || return 1
	jcmd "$pid" GC.heap_dump "$PWD/$1.hprof" >/dev/null
	status=$?
	unpark
	return $status
}

# Sets $natives to a library with EverythingNative.c, if there is a compiler.
make_natives() {
	natives=$PWD/natives.so
	${CC:-cc} -shared -fPIC -I"$JAVA_HOME/include" \
		-I"$JAVA_HOME/include/linux" -o "$natives" \
		"$srcdir/tests/jvm/EverythingNative.c" || natives=
}

# Sets $jar to a signed one, if this JDK can make it.
make_signed_jar() {
	jar=$PWD/signed.jar
	mkdir signed
	javac -d signed "$srcdir/tests/jvm/Signed.java" &&
		jar cf "$jar" -C signed Signed.class &&
		keytool -genkeypair -alias test -keyalg RSA -dname CN=test \
			-keystore keys -storepass password >/dev/null 2>&1 &&
		jarsigner -keystore keys -storepass password "$jar" test \
			>/dev/null || jar=
}

# The classes that Everything prints, in its order.
everything=$(printf 'Everything$%s ' Statics Hierarchies Arrays Strings \
	References Loaded Threads Root Left Right Base Middle Leaf Twin Colour)

compare_dumps() {
	java -Xmx900m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$classes" \
		CompareDumps "$@"
}
