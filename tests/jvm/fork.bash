# SPDX-License-Identifier: MIT
# fork.bash - the forked process of a dump, for the tests that look at it. To be
# sourced after agent.bash.

# The processes that the JVM has made and not waited for.
children() {
	sed -n "s/^PPid:[[:space:]]*$pid\$/&/p" /proc/[0-9]*/status 2>/dev/null |
		wc -l
}
is_alone() {
	[ "$(children)" = 0 ]
}

# The forked process, if there is one now.
child() {
	local each

	for each in $(grep -lsx hprof-fork /proc/[0-9]*/comm); do
		each=${each#/proc/}
		! grep -qsx "PPid:[[:space:]]*$pid" "/proc/${each%/comm}/status" ||
			echo "${each%/comm}"
	done
}

# fork_into_pipe OPTIONS - a dump, of which only the first megabytes are read: the
# forked process, $child, waits for the rest to be read, and can be looked at.
# The JVM itself writes what comes first. $asking is who asked for it.
waits() {
	grep -q '^State:.S' /proc/$child/status
}
fork_into_pipe() {
	rm -f pipe
	mkfifo pipe
	exec 4<>pipe
	attach "file=pipe,force=y,engine=fork$1" &
	asking=$!
	head -c 8000000 <&4 >/dev/null
	child=$(child)
	[ -n "$child" ] || die "no process"
	await waits || die "it does not wait"
}
