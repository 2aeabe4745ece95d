/* SPDX-License-Identifier: MIT */
/*
 * escape.h - prints text that came from somebody else's file.
 *
 * Names and strings in a dump are chosen by whoever ran the JVM. Printed as
 * they are, they could move the cursor, hide lines or break a CSV row. All
 * output of the tools goes through here; it is UTF-8 whatever the locale.
 */
#ifndef TOOLS_ESCAPE_H
#define TOOLS_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum escape_form {
	/*
	 * For people: control characters, and those that change how the rest
	 * of the line is shown, as \n \t \u001b \u{e0041}; a byte that is no
	 * UTF-8 as \xff. A backslash stays one: it is not meant to be undone.
	 */
	ESCAPE_TERMINAL,
	/* Inside a JSON string: exact, but U+FFFD for what is no UTF-8. */
	ESCAPE_JSON,
	/* Inside a quoted CSV field: like ESCAPE_TERMINAL, quotes doubled. */
	ESCAPE_CSV
};

/* More than one character ever becomes (a surrogate pair in JSON, 12). */
#define ESCAPE_MAX 32

/*
 * The length of the UTF-8 character at BYTES, its number in *RET_POINT;
 * 0 if there is none within SIZE bytes (overlong forms, surrogates and
 * numbers above 10FFFF are none).
 */
size_t escape_decode(const char *bytes, size_t size, uint32_t *ret_point);

/*
 * The next character of *TEXT in its escaped form, in OUT, without NUL;
 * moves *TEXT and *SIZE behind it. Returns the length in OUT.
 */
size_t escape_next(const char **text, size_t *size, enum escape_form form,
		   char out[ESCAPE_MAX]);

void escape_write(FILE *out, const char *text, enum escape_form form);

/*
 * The terminal form of TEXT as a string of its own, cut behind LIMIT
 * characters (0: never) and then marked with three dots. Free it with free.
 */
char *escape_copy(const char *text, size_t limit);

/* A CSV field, in quotes where RFC 4180 wants them. */
void escape_csv_field(FILE *out, const char *text);

/* Columns that the terminal form of TEXT takes, one for each character. */
size_t escape_width(const char *text);

#endif
