/* SPDX-License-Identifier: MIT */
/*
 * table.h - text tables whose columns are as wide as they need to be.
 *
 * Cells are given row by row, left to right. The last column is not padded,
 * so that long names may run over the right edge.
 */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct table_column {
	const char *title; /* NULL or "": none; all without: no head line */
	enum { TABLE_LEFT, TABLE_RIGHT } align;
};

struct table;

/* COLUMNS must outlive the table. */
struct table *table_new(const struct table_column *columns, size_t count);
void table_free(struct table *table);

/* The next cell; TEXT is copied and must be escaped already. */
void table_text(struct table *table, const char *text);
void table_count(struct table *table, uint64_t count);
void table_share(struct table *table, uint64_t part, uint64_t whole);

/* At the begin of a row: a line of its own, as wide as it is. */
void table_line(struct table *table, const char *text);

/* Prints every line behind INDENT blanks. */
void table_print(const struct table *table, FILE *out, unsigned indent);

#endif
