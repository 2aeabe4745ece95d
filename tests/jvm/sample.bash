# SPDX-License-Identifier: MIT
# sample.bash - how much of a long list a script tries. To be sourced.

# True if scripts try all of it, false if a sample.
is_long() {
	[ "${HPROF_LONG:-0}" = 1 ]
}

# try_ways COMMAND LEAST WAY... - runs the command with each of the lists of
# options. It counts in $compared what it could try; LEAST must be possible, and
# none may fail.
try_ways() {
	local command=$1 least=$2 failed=0 options

	shift 2
	compared=0
	for options; do
		# shellcheck disable=SC2086 # a list
		$command $options || failed=$((failed + 1))
	done
	echo "$compared compared, $failed failed"
	[ $failed = 0 ] && [ $compared -ge "$least" ]
}
