# SPDX-License-Identifier: MIT
# sample.bash - how much of a long list a script tries. To be sourced.

# True if scripts try all of it, false if a sample.
is_long() {
	[ "${HPROF_LONG:-0}" = 1 ]
}
