#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# format.sh - checks that all C is formatted as .clang-format says, and prints
# what to change.
#
# Other versions of clang-format differ, so this one comes from the Python
# Package Index, into the directory HPROF_FORMAT_VENV. Exit status 77 if it
# could not look.
set -eu
export LC_ALL=C

version=18.1.8

top=$(cd "$(dirname "$0")/.." && pwd)
venv=${HPROF_FORMAT_VENV:-$top/build/format}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$top"

skip() {
	echo "format.sh: skipped: $*"
	exit 77
}

git() {
	command git -c safe.directory='*' -c core.quotePath=off "$@"
}

install_formatter() {
	[ "$("$venv/bin/clang-format" --version 2>/dev/null |
		sed 's/.*version \([0-9.]*\).*/\1/')" = "$version" ] && return
	rm -rf "$venv"
	python3 -m venv "$venv" >"$dir/log" 2>&1 &&
		"$venv/bin/pip" install -q --disable-pip-version-check \
			"clang-format==$version" >>"$dir/log" 2>&1 || {
		cat "$dir/log"
		skip "no clang-format $version"
	}
}

git rev-parse --git-dir >/dev/null 2>&1 || skip "no git repository"
install_formatter
git ls-files -z --cached --others --exclude-standard '*.[ch]' >"$dir/files"
mapfile -d '' -t files <"$dir/files"
[ ${#files[@]} -gt 0 ] || skip "no files"

# One process looks at many files; the few that differ are shown one by one.
status=0
xargs -0 -n 200 "$venv/bin/clang-format" --dry-run --Werror <"$dir/files" \
	>/dev/null 2>"$dir/said" || status=$?
if [ $status != 0 ]; then
	sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: error: .*/\1/p' "$dir/said" |
		sort -u >"$dir/differing"
	while IFS= read -r file; do
		"$venv/bin/clang-format" "$file" |
			diff -u --label "$file" --label "$file formatted" \
				"$file" - || :
	done <"$dir/differing"
	# Anything else that it said, such as a file that is not there.
	[ -s "$dir/differing" ] || cat "$dir/said"
fi
echo "format.sh: ${#files[@]} files"
[ $status = 0 ]
