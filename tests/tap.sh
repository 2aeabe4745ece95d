# SPDX-License-Identifier: MIT
# tap.sh - what the *.tap programs share. To be sourced; bash.
#
# Prints the Test Anything Protocol: ok, not_ok, skip, and at the end finish.
# A group that runs no test at all fails.
#
# In a build with sanitizers every report goes to a file of its own in
# $sanitizer_logs, and finish fails for each. That is the only reliable
# sign: a test in a child process, or one that expects a failure, would hide
# the exit status.

set -u
shopt -s lastpipe # "... | not_ok NAME" counts in this shell
export LC_ALL=C TZ=UTC

: "${top_srcdir:?run this with make check}" "${top_builddir:?}"
group=$(basename "$0" .tap)
tap_count=0

sanitizer_logs=$top_builddir/tests/sanitizer/$group
if [ "${SANITIZERS:-no}" != no ]; then
	rm -rf "$sanitizer_logs"
	mkdir -p "$sanitizer_logs"
	ASAN_OPTIONS=log_path=$sanitizer_logs/log:detect_leaks=1
	ASAN_OPTIONS+=:detect_stack_use_after_return=1:strict_string_checks=1
	ASAN_OPTIONS+=:allocator_may_return_null=1
	UBSAN_OPTIONS=log_path=$sanitizer_logs/log:print_stacktrace=1
	# Leaks count only by their logs: a leak in Criterion itself must not
	# change an exit status.
	LSAN_OPTIONS=exitcode=0
	# A report must not end a test; its log is enough.
	TSAN_OPTIONS=log_path=$sanitizer_logs/log:exitcode=0
	TSAN_OPTIONS+=:second_deadlock_stack=1:history_size=4
	export ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS
fi

# Older run-time libraries of ThreadSanitizer know of 28 random bits in
# addresses and give up where a kernel uses more.
if [ "${SANITIZERS:-no}" = thread ] && [ -z "${HPROF_FIXED_ADDRESSES:-}" ]; then
	export HPROF_FIXED_ADDRESSES=1
	if setarch -R true 2>/dev/null; then
		exec setarch -R bash "$0" "$@"
	fi
	echo "# setarch -R is not allowed here; if all fails with" \
		"\"unexpected memory mapping\": sysctl vm.mmap_rnd_bits=28"
fi

# $programs is where the programs are. Libtool's wrappers around them take ten
# times as long to start as they do, which was half the time of some groups.
programs=$top_builddir/tools
if grep -qs 'temporary wrapper' "$programs/hprof-stat" &&
	[ -x "$programs/.libs/hprof-stat" ]; then
	programs=$programs/.libs
	LD_LIBRARY_PATH=$top_builddir/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
fi

ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

# not_ok NAME: text from standard input becomes comments.
not_ok() {
	tap_count=$((tap_count + 1))
	echo "not ok $tap_count - $1"
	sed 's/^/#   /'
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# scratch_dir NAME - makes an empty directory for one test and prints its path.
scratch_dir() {
	local dir=$top_builddir/tests/scratch/$group/$1

	rm -rf "$dir"
	mkdir -p "$dir"
	echo "$dir"
}

check_sanitizer_logs() {
	local log

	[ "${SANITIZERS:-no}" != no ] || return 0
	for log in "$sanitizer_logs"/*; do
		# Criterion leaks 96 bytes of its own now and then. A report
		# without any line of our sources is not about us.
		if [ -f "$log" ] && grep -q LeakSanitizer "$log" &&
			! grep -qE '/(lib|tools|tests|agent|doc)/[^ ]*\.[ch]:[0-9]' "$log"; then
			echo "# not ours: $(tail -n 1 "$log")"
			rm -f "$log"
			continue
		fi
		[ -e "$log" ] || continue
		not_ok "sanitizer report $(basename "$log")" <"$log"
	done
}

finish() {
	check_sanitizer_logs
	if [ $tap_count = 0 ]; then
		not_ok "$group runs at least one test" </dev/null
	fi
	echo "1..$tap_count"
	exit 0 # the lines above say what failed
}
