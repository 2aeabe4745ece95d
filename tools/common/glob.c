/* SPDX-License-Identifier: MIT */
/*
 * glob.c - see glob.h.
 *
 * fnmatch(3) does not serve: it would take "[]" in "int[]" for the start of a
 * bracket expression, and the locale would decide what a character is.
 *
 * When a match fails, only the last star has to be tried with a longer run of
 * characters. So there is one place to go back to, and no recursion.
 */
#include <stddef.h>

#include "tools/common/glob.h"

/* Skips the character at TEXT; bytes of the form 10xxxxxx continue it. */
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
