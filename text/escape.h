/* SPDX-License-Identifier: MIT */
/*
 * escape.h - makes text that comes from a dump or a JVM safe to print.
 *
 * Names and strings are chosen by whoever wrote the program. If printed as they
 * are, they could move the cursor, hide lines or break a row of CSV. The result
 * is UTF-8 in every locale.
 */
#ifndef TEXT_ESCAPE_H
#define TEXT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

enum escape_form {
	/*
	 * For people: control characters, and those that change how the rest of
	 * the line is shown, are written as \n \t \u001b \u{e0041}, and a byte
	 * that is not UTF-8 as \xff. A backslash stays as it is, since nothing
	 * has to undo this form.
	 */
	ESCAPE_TERMINAL,
	/*
	 * Inside a JSON string: exact, but for bytes that are not UTF-8, which
	 * become U+FFFD.
	 */
	ESCAPE_JSON,
	/*
	 * Inside a quoted CSV field: like ESCAPE_TERMINAL, quotes doubled;
	 * backslashes too, so that it can be undone.
	 */
	ESCAPE_CSV
};

/* No escaped character is longer. (A surrogate pair in JSON has 12 bytes.) */
#define ESCAPE_MAX 32

/*
 * Returns the length of the UTF-8 character at BYTES, and its code point in
 * *RET_POINT. Returns 0 if there is no valid one within SIZE bytes: overlong
 * forms, surrogates and numbers beyond U+10FFFF are invalid.
 */
size_t escape_decode(const char *bytes, size_t size, uint32_t *ret_point);

/*
 * Writes the next character of *TEXT in its escaped form to OUT, without NUL,
 * and moves *TEXT and *SIZE past it. Returns the length in OUT.
 */
size_t escape_next(const char **text, size_t *size, enum escape_form form,
		   char out[ESCAPE_MAX]);

#endif
