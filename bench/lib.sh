# SPDX-License-Identifier: MIT
# lib.sh - what scripts that make dumps share; they source it.
#
# JDKS names the JDKs; the last one, the newest, is used.

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jdk=${JDKS:-}
jdk=${jdk##*:}

fail() {
	echo "bench: $*" >&2
	exit 1
}

has() {
	command -v "$1" >/dev/null 2>&1
}

# check_disk DIR MIB WHAT_TO_DO
check_disk() {
	local free
	free=$(df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "${free:-$2}" -ge "$2" ] ||
		fail "$1 has $free MiB free, but the dumps need $2 MiB: $3"
}

# check_memory MIB WHAT_TO_DO
check_memory() {
	local free
	free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo \
		2>/dev/null || true)
	[ "${free:-$1}" -ge "$1" ] ||
		fail "$free MiB of memory are free, but the JVM needs $1: $2"
}

# The state of a class that makes a dump: when it changes, so does the dump.
version() {
	cksum <"$bench/$1.java"
}

# make_dump DIR CLASS MIB JVM_OPTIONS ARGUMENT...: runs CLASS in a JVM that
# may take so many MiB. Its dumps are DIR/part.*.
make_dump() {
	local dir=$1 class=$2 mib=$3 options=$4
	shift 4
	[ -n "$jdk" ] || fail "no JDK was found when this was configured"
	unset _JAVA_OPTIONS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS
	"$jdk/bin/javac" -d "$dir/classes" "$bench/$class.java"
	# shellcheck disable=SC2086 # several options
	"$jdk/bin/java" "-Xmx${mib}m" $options -cp "$dir/classes" \
		"$class" "$@" >&2
	rm -r "$dir/classes"
	chmod u+rw,go+r "$dir"/part.*
}
