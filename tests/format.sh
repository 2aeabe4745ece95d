#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# format.sh [all] - checks that lines of C are formatted as .clang-format says.
#
# Other versions of clang-format differ, so this one comes from the Python
# Package Index, into the directory HPROF_FORMAT_VENV. Without "all" it looks at
# lines changed since HPROF_FORMAT_BASE; or else since the last release or the
# last change of the rules, whichever is later, since what was written before
# could not know of them. Prints what to change; exit status 77 if it could not
# look.
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

# The later of two commits in the history of HEAD.
base() {
	local rules tag

	if [ -n "${HPROF_FORMAT_BASE:-}" ]; then
		git rev-parse --verify "$HPROF_FORMAT_BASE^{commit}"
		return
	fi
	rules=$(git log -1 --format=%H -- .clang-format)
	tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || tag=
	if [ -n "$tag" ] && git merge-base --is-ancestor "$rules" "$tag"; then
		rules=$(git rev-parse "$tag^{commit}")
	fi
	[ -n "$rules" ] && echo "$rules"
}

# whole FILE... - prints what would change in these files.
whole() {
	local file

	for file; do
		"$venv/bin/clang-format" "$file" |
			diff -u --label "$file" --label "$file formatted" \
				"$file" - || :
	done
}

git rev-parse --git-dir >/dev/null 2>&1 || skip "no git repository"
install_formatter
if [ "${1:-}" = all ]; then
	git ls-files -z '*.[ch]' >"$dir/files"
	mapfile -d '' -t files <"$dir/files"
	whole "${files[@]}" >"$dir/diff"
	echo "format.sh: ${#files[@]} files"
else
	from=$(base) || skip "history does not go back far enough"
	# Files that were moved do not count as new.
	git diff -U0 -M --no-color --no-ext-diff --src-prefix=a/ \
		--dst-prefix=b/ "$from" -- '*.[ch]' >"$dir/changes"
	"$venv/bin/clang-format-diff.py" -p1 \
		-binary "$venv/bin/clang-format" \
		<"$dir/changes" >"$dir/diff" || [ $? = 1 ]
	git ls-files -z --others --exclude-standard '*.[ch]' >"$dir/files"
	mapfile -d '' -t files <"$dir/files"
	whole "${files[@]}" >>"$dir/diff"
	echo "format.sh: $(grep -c '^+[^+]' "$dir/changes") lines changed" \
		"since $(git log -1 --format='%h %cs' "$from")"
fi
cat "$dir/diff"
! [ -s "$dir/diff" ]
