/* SPDX-License-Identifier: MIT */
/* pattern.h - names with wildcards. */
#ifndef PF_PATTERN_H
#define PF_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Does TEXT, of SIZE bytes, match PATTERN? '*' is any number of bytes, '?' is
 * one; all others are themselves.
 */
bool pf_pattern_matches(const char *pattern, const char *text, size_t size);

#endif
