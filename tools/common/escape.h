/* SPDX-License-Identifier: MIT */
/*
 * escape.h - prints text that comes from a dump, escaped as text/escape.h has
 * it: all output of the programs goes through here.
 */
#ifndef TOOLS_ESCAPE_H
#define TOOLS_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

#include "text/escape.h"

void escape_write(FILE *out, const char *text, enum escape_form form);

/*
 * The terminal form of TEXT as a string that the caller frees. It is cut after
 * LIMIT characters (0: never), and three dots mark the cut.
 */
char *escape_copy(const char *text, size_t limit);

/* Prints a CSV field: guarded, and in quotes where RFC 4180 requires them. */
void escape_csv_field(FILE *out, const char *text);

/*
 * "'" if a spreadsheet would take TEXT for a formula and run it, or if TEXT
 * begins with one itself, so that it can be undone; else "". It stands before
 * TEXT in a CSV field.
 */
const char *escape_csv_guard(const char *text);

/*
 * The columns that the terminal form of TEXT takes. It may have that form
 * already.
 */
size_t escape_width(const char *text, size_t size);

#endif
