# SPDX-License-Identifier: MIT
# await.bash - waits for events, and ends what a test has started. To be sourced.

# await CONDITION... - waits until the command succeeds. Fails after ten
# minutes, since even on a busy machine something hangs then.
await() {
	local limit=$((SECONDS + 600))

	until "$@"; do
		[ $SECONDS -lt $limit ] || return 1
		sleep 0.05
	done
}

# said_or_gone TEXT FILE PID - waits until FILE has a line that begins with
# TEXT, or the process has ended.
said_or_gone() {
	grep -qs "^$1" "$2" || ! kill -0 "$3" 2>/dev/null
}

# end_children - kills those that still run, for the end of a test. Of one that has
# ended the number may be that of a process of somebody else.
end_children() {
	local running

	running=$(jobs -rp)
	# shellcheck disable=SC2086 # a list
	[ -z "$running" ] || kill -KILL $running 2>/dev/null
}
