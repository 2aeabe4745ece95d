/* SPDX-License-Identifier: MIT */
/*
 * sql_tables.h - a dump as tables: what SQLite and CSV files are filled with.
 *
 * hprof-tables(7) describes the tables for those who ask them. A
 * table is a list of columns; relation_walk hands out rows, of several tables
 * in turn, each table in the order of its key. Nothing of them is kept.
 */
#ifndef TOOLS_SQL_TABLES_H
#define TOOLS_SQL_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <hprof.h>

/* Counts up when a column changes its meaning or goes away. */
#define RELATION_SCHEMA 2

enum relation {
	RELATION_DUMP,
	RELATION_CLASS,
	RELATION_FIELD,
	RELATION_OBJECT,
	RELATION_REFERENCE,
	RELATION_DANGLING,
	RELATION_VALUE,
	RELATION_STRING,
	RELATION_ROOT,
	RELATION_THREAD,
	RELATION_FRAME,
	RELATION_RETAINED,
	RELATION_COUNT
};

#define RELATION_COLUMNS 24 /* of a table, at most */

enum relation_type {
	RELATION_NUMBER,
	RELATION_ADDRESS, /* an identifier of the dump; hexadecimal in text */
	RELATION_TEXT,
	RELATION_ANY /* a number, maybe with a fraction */
};

struct relation_column {
	const char *name; /* NULL behind the last */
	enum relation_type type;
};

struct relation_info {
	const char *name;
	struct relation_column columns[RELATION_COLUMNS + 1];
	/*
	 * How many columns are the key; 0: the first one is, a whole number.
	 * A key of several is what the table is stored by.
	 */
	unsigned key;
};

extern const struct relation_info relations[RELATION_COUNT];

unsigned relation_width(enum relation relation);

/* The table called NAME, or RELATION_COUNT. */
enum relation relation_named(const char *name);

/* The value of a column. */
struct relation_cell {
	enum {
		CELL_NULL,
		CELL_NUMBER,
		CELL_ADDRESS,
		CELL_REAL,
		CELL_TEXT
	} kind;
	int64_t number; /* of an address its bits */
	double real;
	const char *text; /* UTF-8 */
};

/* Takes a row; false ends the walk. */
typedef bool relation_row_fn(void *user, enum relation relation,
			     const struct relation_cell *cells);

struct relation_walk {
	const char *path; /* as the dump is called */
	const struct hprof_heap *heap;
	const struct hprof_graph *graph; /* NULL: no retained sizes */
	bool wanted[RELATION_COUNT];
	relation_row_fn *row;
	void *user;
	hprof_progress_fn *progress;
	void *progress_user;
};

/*
 * HPROF_OK if all rows were handed out, HPROF_END if ROW ended it, or a
 * failure, of which *RET_ERROR has the details.
 */
enum hprof_status relation_walk(const struct relation_walk *walk,
				struct hprof_error *ret_error);

#endif
