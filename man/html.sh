#!/bin/sh
# SPDX-License-Identifier: MIT
# html.sh DIRECTORY PAGE... - the manual as a folder that any web server can
# show: a file for each page and one for each name that a page has besides its
# own, a style sheet, and index.html, a list with what each page is about and the
# pictures of the README.
set -eu

out=$1
shift
mandoc=${MANDOC:-mandoc}
here=$(dirname "$0")
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# mandoc links to pages that are in its directory.
cp "$@" "$work"
cp "$here/style.css" "$here/../doc/pictures/tree.png" \
	"$here/../doc/pictures/narrow.png" "$out"

# head TITLE
head_of() {
	cat <<EOF
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="style.css">
<title>$1</title>
</head>
<body>
EOF
}

# show PAGE - as part of a whole page.
show() {
	head_of "${1##*/}"
	echo '<nav><a href="index.html">libhprof</a></nav>'
	(cd "$work" && "$mandoc" -T html \
		-O 'fragment,toc,man=%N.%S.html;https://manpages.debian.org/%N.%S' \
		"${1##*/}")
	echo '</body></html>'
}
for page; do
	show "$page" >"$out/${page##*/}.html"
done

# The functions: pages that lead to the one that describes them.
functions() {
	for page; do
		case $page in *.3) sh "$here/links.sh" "$page" ;; esac
	done
}
functions "$@" | while read -r name page; do
	cat >"$out/$name.html" <<EOF
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>$name</title>
<meta http-equiv="refresh" content="0; url=$page.html">
<a href="$page.html">$page</a></html>
EOF
done

# list SECTION TITLE PAGE... - those of the section.
list() {
	section=$1
	echo "<h2>$2</h2>"
	echo '<dl>'
	shift 2
	for page; do
		[ "${page##*.}" = "$section" ] || continue
		name=${page##*/}
		echo "<dt><a href=\"$name.html\">${name%.*}</a></dt>"
		sed -n 's/^\.Nd //p' "$page" |
			sed 's/&/\&amp;/g; s/</\&lt;/g; s/.*/<dd>&<\/dd>/'
	done
	echo '</dl>'
}

# pictures - with the texts that the README has for them.
pictures() {
	echo '<p class="pictures">'
	sed -n '/^<img /{s,doc/pictures/,,g;p;}' "$here/../README.md"
	echo '</p>'
}
{
	head_of libhprof
	echo '<h1>libhprof</h1>'
	pictures
	list 1 Programs "$@"
	list 7 'Agent, tables, JSON' "$@"
	list 5 'The format' "$@"
	list 3 'The library' "$@"
	echo '</body></html>'
} >"$out/index.html"
