/* SPDX-License-Identifier: MIT */
/*
 * pattern.c - see pattern.h. Only the last '*' is tried again, so that the time
 * is at most the product of the two lengths.
 */
#include "prof/pattern.h"

bool pf_pattern_matches(const char *pattern, const char *text, size_t size)
{
	const char *star = NULL;
	size_t at = 0, again = 0;

	while (at < size) {
		if (*pattern == '*') {
			star = ++pattern;
			again = at;
		} else if (*pattern &&
			   (*pattern == '?' || *pattern == text[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star;
			at = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
