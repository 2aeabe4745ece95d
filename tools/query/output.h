/* SPDX-License-Identifier: MIT */
/*
 * output.h - the rows of a statement, for people or programs.
 */
#ifndef TOOLS_QUERY_OUTPUT_H
#define TOOLS_QUERY_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/query/sqlite.h"

/* In the order of the words of --format. */
enum query_format {
	QUERY_TABLE, /* columns with a head line */
	QUERY_CSV,   /* RFC 4180, made harmless as hprof-tables(7) says */
	QUERY_JSON,  /* an array of objects */
	QUERY_LINES  /* NAME = VALUE, a blank line between rows */
};

/*
 * Runs STATEMENT and prints its rows. Returns SQLITE_DONE, or the code of the
 * failure; rows before it are printed.
 */
int query_output(FILE *out, sqlite3_stmt *statement, enum query_format format);

#endif
