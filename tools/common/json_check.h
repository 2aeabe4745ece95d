/* SPDX-License-Identifier: MIT */
/*
 * json_check.h - is a text that came from elsewhere one JSON value (RFC 8259)?
 */
#ifndef TOOL_JSON_CHECK_H
#define TOOL_JSON_CHECK_H

#include <stdbool.h>

/* With nothing before and after it but blanks, and at most 64 levels deep. */
bool json_is_whole(const char *text);

#endif
