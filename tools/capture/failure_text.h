/* SPDX-License-Identifier: MIT */
/*
 * failure_text.h - why something could not be done, as one sentence for people.
 *
 * Lower case, no full stop; it is printed after the name of the program and of
 * the process or file. It may contain text from outside, which cli_message
 * escapes.
 */
#ifndef TOOLS_FAILURE_TEXT_H
#define TOOLS_FAILURE_TEXT_H

#include <stdbool.h>

struct reason {
	char text[1024];
};

/* Fills REASON and returns false, so that a failure is one statement. */
bool reason_set(struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, followed by ": " and the text of errno. */
bool reason_errno(struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
