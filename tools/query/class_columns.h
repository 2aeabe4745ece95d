/* SPDX-License-Identifier: MIT */
/*
 * class_columns.h - the columns of a class table, and where each class has the
 * fields that they show.
 */
#ifndef TOOLS_QUERY_CLASS_COLUMNS_H
#define TOOLS_QUERY_CLASS_COLUMNS_H

#include <hprof.h>

/* The columns before those of the fields. */
enum {
	CLASS_COLUMN_OBJECT,
	CLASS_COLUMN_CLASS,
	CLASS_COLUMN_SHALLOW,
	CLASS_COLUMN_RETAINED,
	CLASS_COLUMN_LENGTH,
	CLASS_COLUMNS_FIRST
};

struct class_columns_key;

struct class_columns {
	const struct hprof_heap *heap;
	size_t of; /* the row of the class of the table */
	const struct hprof_field *fields; /* of the class of the table */
	size_t count;
	size_t shown; /* the first of them, as many as SQLite takes */
	/* For the class that was asked for last: */
	size_t row;
	size_t *places; /* of the fields in its layout; SIZE_MAX: has none */
	/* See class_columns.c; NULL: not needed yet. */
	size_t *totals;
	struct class_columns_key *keys;
	size_t key_count, *key_of;
};

/* False: no memory. */
bool class_columns_init(struct class_columns *columns,
			const struct hprof_heap *heap, size_t row);
void class_columns_done(struct class_columns *columns);

/* "CREATE TABLE x(...)"; NULL: no memory. Free it with sqlite3_free. */
char *class_columns_declare(const struct class_columns *columns);

/* Where objects of the class of ROW have field I; SIZE_MAX: they have none. */
size_t class_columns_place(struct class_columns *columns, size_t row, size_t i);

#endif
