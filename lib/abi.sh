#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# abi.sh write|check LIBRARY STORED - the binary interface of a shared library.
#
# LIBRARY is a build with debug information whose public headers go by the
# name of public-NAME.h in it: see lib/local.mk. "write" prints the interface
# as text, "check" compares it with the file STORED, DIRECTORY/NAME.abi, using
# libabigail; the public headers are in DIRECTORY/hprof. The check also fails if
# that file lacks something new, since the removal of what it does not have would
# go unnoticed.
set -eu
export LC_ALL=C

what=$1
library=$2
stored=$3
folder=$(dirname "$stored")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

command -v abidiff >/dev/null || {
	echo "abi.sh: please install libabigail's tools (abigail-tools)" >&2
	exit 2
}

# Types are public if they are declared in a header of such a name. The tools
# compare only the last part of a path, and hidden headers have the same.
mkdir "$dir/headers"
for header in "$folder"/hprof/*.h; do
	cp "$header" "$dir/headers/public-$(basename "$header")"
done

# What depends on the machine, on options of configure or on where the
# sources are is left out.
write() {
	abidw --headers-dir "$dir/headers" --drop-private-types \
		--exported-interfaces-only --no-architecture \
		--no-corpus-path --no-comp-dir-path --no-show-locs \
		--no-elf-needed --no-parameter-names \
		--no-write-default-sizes "$library" |
		sed "/<abi-instr /s, path='[^']*/\(lib\|prof\)/, path='\1/,"
}

# Bits of the exit status: 1 trouble, 2 usage, 4 change, 8 incompatible change.
# A changed structure has only 4, so every change but a new function counts as
# incompatible.
compare() {
	abidiff --no-architecture "$@" "$stored" "$dir/now.abi" || return $?
}

case $what in
write)
	write
	;;
check)
	[ -s "$stored" ] || {
		echo "no $stored; run make update-abi" >&2
		exit 1
	}
	write >"$dir/now.abi"
	compare --no-added-syms || {
		status=$?
		[ $((status & 3)) = 0 ] || exit 2
		echo "The binary interface changed. If that is meant to be," \
			"raise the version in ${folder##*/}/local.mk as" \
			"libtool's manual has it and run make update-abi."
		exit 1
	}
	compare || {
		echo "The binary interface got larger: run make update-abi."
		exit 1
	}
	;;
*)
	echo "usage: abi.sh write|check LIBRARY STORED" >&2
	exit 2
	;;
esac
