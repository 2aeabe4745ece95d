/* SPDX-License-Identifier: MIT */
/*
 * table.h - text tables whose columns are as wide as their contents, but not
 * wider than the screen (screen.h).
 *
 * Cells are added row by row, from left to right. In a table that would be too
 * wide, cells of the columns that are aligned left are shortened (shorten.h),
 * those of the widest column first. Columns that are aligned right have numbers
 * and stay as they are. The widest column should be the last one: if the others
 * leave too little of the line for it, its cells get lines of their own, above
 * the rest of their rows.
 */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include <stdbool.h>
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
/* The same for words of the program's own, which are never shortened. */
void table_words(struct table *table, const char *text);
/* The same, in the last column, for what may be longer than the line. */
void table_tail(struct table *table, const char *text);
/*
 * The same for the path of a file: if some path does not fit into the last
 * column, all get lines of their own, where what is too long loses its
 * beginning.
 */
void table_file(struct table *table, const char *path);
void table_count(struct table *table, uint64_t count);
void table_share(struct table *table, uint64_t part, uint64_t whole);

/*
 * Called at the beginning of a row: adds a line of text that does not count for
 * the widths of the columns, but is shortened like a cell.
 */
void table_line(struct table *table, const char *text);

/*
 * Whether all columns will fit side by side after INDENT blanks, with some room
 * for names: called when all cells are there, it helps to choose the columns.
 */
bool table_has_room(struct table *table, unsigned indent);

/* Prints the table, each line after INDENT blanks. This may shorten cells. */
void table_print(struct table *table, FILE *out, unsigned indent);

#endif
