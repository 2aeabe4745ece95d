/* SPDX-License-Identifier: MIT */
/*
 * sql_tables.h - a dump as tables, from which databases and CSV files are
 * filled, and which queries read.
 *
 * hprof-tables(7) describes the tables. A table is a list of columns.
 * sql_tables_walk passes rows to a function, of several tables in turn, but
 * each table in the order of its key. No rows stay in memory.
 */
#ifndef TOOLS_SQL_TABLES_H
#define TOOLS_SQL_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <hprof.h>

/* Incremented when a column changes its meaning or is removed. */
#define SQL_TABLES_SCHEMA 2

enum sql_table {
	SQL_TABLE_DUMP,
	SQL_TABLE_CLASS,
	SQL_TABLE_FIELD,
	SQL_TABLE_OBJECT,
	SQL_TABLE_REFERENCE,
	SQL_TABLE_DANGLING,
	SQL_TABLE_VALUE,
	SQL_TABLE_STRING,
	SQL_TABLE_ROOT,
	SQL_TABLE_THREAD,
	SQL_TABLE_FRAME,
	SQL_TABLE_RETAINED,
	SQL_TABLE_STRENGTH,
	SQL_TABLE_LOADER,
	SQL_TABLE_WASTE,
	SQL_TABLE_DUPLICATE,
	SQL_TABLE_WASTE_MAP,
	SQL_TABLE_COUNT
};

#define SQL_COLUMNS_MAX 24 /* of a table, at most */

enum sql_type {
	SQL_NUMBER,
	SQL_ADDRESS, /* an identifier of the dump; hexadecimal in text */
	SQL_TEXT,
	SQL_ANY /* a number, which may have a fraction */
};

struct sql_column {
	const char *name; /* NULL after the last */
	enum sql_type type;
};

struct sql_table_info {
	const char *name;
	struct sql_column columns[SQL_COLUMNS_MAX + 1];
	/*
	 * How many of the first columns form the key, by which the table is
	 * stored. 0: the key is the first column, an integer.
	 */
	unsigned key;
};

extern const struct sql_table_info sql_tables[SQL_TABLE_COUNT];

/* CREATE VIEW statements: views that join these tables. */
extern const char sql_views[];

unsigned sql_table_width(enum sql_table table);

/* The table with that name, or SQL_TABLE_COUNT. */
enum sql_table sql_table_named(const char *name);

/* The value of a column in a row. */
struct sql_cell {
	enum {
		CELL_NULL,
		CELL_NUMBER,
		CELL_ADDRESS,
		CELL_REAL,
		CELL_TEXT
	} kind;
	int64_t number; /* for an address, its bits */
	double real;
	const char *text; /* UTF-8 */
};

/* Takes a row; false ends the walk. */
typedef bool sql_row_fn(void *user, enum sql_table table,
			const struct sql_cell *cells);

struct sql_tables_walk {
	const char *path; /* the path as given on the command line */
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;       /* NULL: no retained sizes */
	const struct hprof_waste_table *waste; /* NULL: none was looked for */
	const struct hprof_loader_use_table *loaders; /* the same */
	bool wanted[SQL_TABLE_COUNT];
	sql_row_fn *row;
	void *user;
	hprof_progress_fn *progress;
	void *progress_user;
};

/*
 * Returns HPROF_OK after all rows, HPROF_END if ROW ended the walk, or a
 * failure, which *RET_ERROR describes.
 */
enum hprof_status sql_tables_walk(const struct sql_tables_walk *walk,
				  struct hprof_error *ret_error);

#endif
