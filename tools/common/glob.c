/* SPDX-License-Identifier: MIT */
/*
 * glob.c - not fnmatch(3): there "int[]" would be half a bracket expression,
 * "[][]" a whole one, and the locale would decide what a character is.
 *
 * A star needs to be tried again at later places only until the next one is
 * reached, so there is one place to go back to and no recursion.
 */
#include <stddef.h>

#include "tools/common/glob.h"

/* Behind the character at TEXT: bytes 10xxxxxx go on with it. */
static const char *next_character(const char *text)
{
	do
		text++;
	while (((unsigned char)*text & 0xC0) == 0x80);
	return text;
}

bool glob_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *again = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			again = text;
		} else if (*pattern == '?') {
			pattern++;
			text = next_character(text);
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
