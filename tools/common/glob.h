/* SPDX-License-Identifier: MIT */
/*
 * glob.h - patterns for names of classes.
 */
#ifndef TOOLS_GLOB_H
#define TOOLS_GLOB_H

#include <stdbool.h>

/*
 * True if the whole of TEXT matches PATTERN. "*" matches any run of characters,
 * dots included, and the empty run; "?" matches one character. Every other
 * character matches itself.
 */
bool glob_matches(const char *pattern, const char *text);

#endif
