#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh list|pointers|map TOP_SRCDIR - the public functions of the library.
#
# They are what the headers declare with HPROF_API. "list" prints their
# names, "pointers" the names of those that take a pointer, "map" a linker
# version script.
set -eu

what=$1
top=$2

list() {
	cat "$top"/lib/hprof/*.h | awk -v pointers="${1:-}" '
	# One line of text without comments and preprocessor lines.
	/^[ \t]*#/ { while (sub(/\\$/, "")) getline; next }
	{ text = text " " $0 }
	END {
		while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//))
			text = substr(text, 1, RSTART - 1) " " \
			       substr(text, RSTART + RLENGTH)
		count = split(text, statement, ";")
		for (i = 1; i <= count; i++) {
			s = statement[i]
			if (!match(s, /HPROF_API/))
				continue
			s = substr(s, RSTART + RLENGTH)
			if (pointers && !match(s, /\(.*\*/))
				continue
			sub(/\(.*/, "", s)
			sub(/\[.*/, "", s)
			sub(/[ \t]+$/, "", s)
			sub(/.*[ \t*]/, "", s)
			print s
		}
	}' | LC_ALL=C sort -u
}

case $what in
list)
	list
	;;
pointers)
	list pointers
	;;
map)
	echo '/* SPDX-License-Identifier: MIT */'
	echo '/* Made by "make update-map". */'
	echo 'LIBHPROF_0.1 {'
	echo 'global:'
	list | sed 's/.*/	&;/'
	echo 'local:'
	echo '	*;'
	echo '};'
	;;
*)
	echo "usage: symbols.sh list|pointers|map TOP_SRCDIR" >&2
	exit 2
	;;
esac
