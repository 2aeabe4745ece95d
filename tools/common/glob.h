/* SPDX-License-Identifier: MIT */
/*
 * glob.h - name patterns of --match.
 */
#ifndef TOOLS_GLOB_H
#define TOOLS_GLOB_H

#include <stdbool.h>

/*
 * True if the whole of TEXT fits PATTERN: "*" is any run of characters, also
 * none and also dots, "?" is one character. All else stands for itself.
 */
bool glob_matches(const char *pattern, const char *text);

#endif
