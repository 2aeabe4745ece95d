# SPDX-License-Identifier: MIT
# sample.bash - how much of a long list a script tries. To be sourced.

# True: all of it; else a sample.
is_long() {
	[ "${HPROF_LONG:-0}" = 1 ]
}
