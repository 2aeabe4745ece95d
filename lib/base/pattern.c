/* SPDX-License-Identifier: MIT */
/* pattern.c - see pattern.h. */
#include "base/pattern.h"

#include <string.h>

/* Most names differ at once from most patterns that they are held against. */
bool hp_pattern_match(const char *pattern, const char *name)
{
	size_t size, tail;

	for (; *pattern && *pattern != '*' && *pattern == *name; pattern++)
		name++;
	if (*pattern != '*')
		return *pattern == *name; /* both are at their end */
	pattern++;
	size = strlen(name);
	tail = strlen(pattern);
	return size >= tail && strcmp(pattern, name + size - tail) == 0;
}
