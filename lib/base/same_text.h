/* SPDX-License-Identifier: MIT */
/*
 * same_text.h - whether two texts are equal that may be missing, and whether one begins
 * with another.
 */
#ifndef HP_SAME_TEXT_H
#define HP_SAME_TEXT_H

#include <stdbool.h>
#include <string.h>

/* NULL is equal only to NULL. */
static inline bool hp_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Neither is missing. */
static inline bool hp_begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

#endif
