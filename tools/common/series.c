/* SPDX-License-Identifier: MIT */
/*
 * series.c - see series.h.
 */
#include "tools/common/series.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_number(const char *at)
{
	while (is_digit(*at))
		at++;
	return at;
}

/* All numbers are as one digit, which is compared with other characters. */
int series_compare(const char *a, const char *b)
{
	while (*a && *b) {
		char x = is_digit(*a) ? '0' : *a, y = is_digit(*b) ? '0' : *b;

		if (x != y)
			return (unsigned char)x < (unsigned char)y ? -1 : 1;
		a = is_digit(*a) ? skip_number(a) : a + 1;
		b = is_digit(*b) ? skip_number(b) : b + 1;
	}
	return (*a != 0) - (*b != 0);
}

int series_order(const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);

	return x != y ? (x < y ? -1 : 1) : strcmp(a, b);
}
