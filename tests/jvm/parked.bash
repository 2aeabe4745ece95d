# SPDX-License-Identifier: MIT
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
		"$srcdir/tests/jvm/CheckConstants.java" \
		"$srcdir/tests/jvm/AlterDump.java"
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
	java -Xmx900m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp tools \
		CompareDumps "$@"
}
