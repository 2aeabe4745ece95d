#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh - prints C source with files as arrays of characters, and the hashes by
# which a Content-Security-Policy knows them.
#
#   embed.sh HEADER NAME FILE [NAME FILE]...
#
# gives NAME, NAME_size and NAME_hash for each FILE; HEADER declares them.
set -e

# The base64 of a SHA-256 in hexadecimal: three digits are two characters, and
# the 64th digit is one more.
base64_of_hex()
{
	LC_ALL=C awk '{
		digits = "0123456789abcdef"
		letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		for (i = 1; i < 64; i += 3) {
			n = 0
			for (j = 0; j < 3; j++)
				n = n * 16 + index(digits, substr($1, i + j, 1)) - 1
			text = text substr(letters, int(n / 64) + 1, 1) \
				substr(letters, n % 64 + 1, 1)
		}
		n = index(digits, substr($1, 64, 1)) - 1
		print text substr(letters, n * 4 + 1, 1) "="
	}'
}

echo "/* Made by embed.sh. */"
echo "#include \"$1\""
shift
while [ $# -ge 2 ]; do
	hash=$(sha256sum <"$2" | base64_of_hex)
	echo
	echo "const char $1[] = {"
	od -An -v -tu1 "$2" | sed 's/^ *//; s/  */, /g; s/$/,/'
	echo "};"
	echo "const size_t $1_size = sizeof($1);"
	echo "const char $1_hash[] = \"sha256-$hash\";"
	shift 2
done
