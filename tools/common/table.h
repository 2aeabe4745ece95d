/* SPDX-License-Identifier: MIT */
/*
 * table.h - text tables whose columns are as wide as their contents.
 *
 * Cells are added row by row, from left to right. The last column is not
 * padded: long names may extend beyond the right edge of the terminal.
 */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct table_column {
	/* NULL or "": none. If no column has one, there is no head line. */
	const char *title;
	enum { TABLE_LEFT, TABLE_RIGHT } align;
};

struct table;

/* COLUMNS must outlive the table. */
struct table *table_new(const struct table_column *columns, size_t count);
void table_free(struct table *table);

/* Adds the next cell. TEXT is copied; it must be escaped already. */
void table_text(struct table *table, const char *text);
void table_count(struct table *table, uint64_t count);
void table_share(struct table *table, uint64_t part, uint64_t whole);

/*
 * Called at the beginning of a row: adds a line of text that does not count for
 * the widths of the columns.
 */
void table_line(struct table *table, const char *text);

/* Prints the table, each line after INDENT blanks. */
void table_print(const struct table *table, FILE *out, unsigned indent);

#endif
