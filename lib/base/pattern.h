/* SPDX-License-Identifier: MIT */
/*
 * pattern.h - names of classes that a table has, whole or but for a part.
 */
#ifndef HP_PATTERN_H
#define HP_PATTERN_H

#include <stdbool.h>

/* Does NAME match PATTERN, in which the first '*' stands for any text? */
bool hp_pattern_match(const char *pattern, const char *name);

#endif
