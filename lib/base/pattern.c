/* SPDX-License-Identifier: MIT */
/* pattern.c - see pattern.h. */
#include "base/pattern.h"

#include <string.h>

bool hp_pattern_match(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t size = strlen(name), head, tail;

	if (!star)
		return strcmp(pattern, name) == 0;
	head = (size_t)(star - pattern);
	tail = strlen(star + 1);
	return size >= head + tail && strncmp(pattern, name, head) == 0 &&
	       strcmp(star + 1, name + size - tail) == 0;
}
