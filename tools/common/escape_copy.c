/* SPDX-License-Identifier: MIT */
/*
 * escape_copy.c - escaped text as a string. It is apart from escape.c because
 * this file needs the memory of cli.c, which needs escape.c for its messages.
 */
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"

char *escape_copy(const char *text, size_t limit)
{
	size_t size = strlen(text), used = 0, room = size + ESCAPE_MAX;
	char *copy = cli_realloc(NULL, room, 1);

	for (size_t count = 0; size; count++) {
		if (room - used < ESCAPE_MAX + 4)
			copy = cli_realloc(copy, room *= 2, 1);
		if (limit && count == limit) {
			memcpy(copy + used, "...", 3);
			used += 3;
			break;
		}
		used += escape_next(&text, &size, ESCAPE_TERMINAL, copy + used);
	}
	copy[used] = 0;
	return copy;
}
