# SPDX-License-Identifier: MIT
# await.bash - waiting for what is to come. To be sourced.

# await CONDITION... - until it is true. False after ten minutes: then it hangs,
# however busy the machine is.
await() {
	local limit=$((SECONDS + 600))

	until "$@"; do
		[ $SECONDS -lt $limit ] || return 1
		sleep 0.05
	done
}

# said_or_gone TEXT FILE PID - the process has written a line that begins so, or
# it is there no more.
said_or_gone() {
	grep -qs "^$1" "$2" || ! kill -0 "$3" 2>/dev/null
}
