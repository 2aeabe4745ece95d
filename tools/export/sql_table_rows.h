/* SPDX-License-Identifier: MIT */
/*
 * sql_table_rows.h - what the files that make rows share.
 */
#ifndef TOOLS_SQL_TABLE_ROWS_H
#define TOOLS_SQL_TABLE_ROWS_H

#include "tools/export/sql_tables.h"

static inline struct sql_cell cell_null(void)
{
	return (struct sql_cell){ .kind = CELL_NULL };
}

static inline struct sql_cell cell_number(int64_t number)
{
	return (struct sql_cell){ .kind = CELL_NUMBER, .number = number };
}

static inline struct sql_cell cell_address(uint64_t id)
{
	return (struct sql_cell){ .kind = CELL_ADDRESS, .number = (int64_t)id };
}

static inline struct sql_cell cell_text(const char *text)
{
	return (struct sql_cell){ .kind = text ? CELL_TEXT : CELL_NULL,
				  .text = text };
}

/* Of an object or a row of classes: none gives null. */
static inline struct sql_cell cell_object(uint64_t index)
{
	return index == HPROF_NO_OBJECT ? cell_null()
					: cell_number((int64_t)index);
}

static inline struct sql_cell cell_class(size_t row)
{
	return row == SIZE_MAX ? cell_null() : cell_number((int64_t)row);
}

/*
 * Places: where a reference or a value stands. That of an element is its
 * number; all others are numbers of rows of the table of fields, below 0.
 */
enum {
	PLACE_SUPER = -1,
	PLACE_LOADER = -2,
	PLACE_SIGNERS = -3,
	PLACE_DOMAIN = -4,
	PLACE_FIRST = -5 /* of the fields of classes */
};

/* The fields of a class, as places: of the first; the next is one less. */
struct class_places {
	int64_t own; /* of instances, without those of superclasses */
	int64_t statics;
	int64_t constants;
};

struct places {
	size_t count;
	struct class_places *classes; /* by row */
};

/* Numbers all fields; hands out rows if they are wanted. */
enum hprof_status places_make(const struct sql_tables_walk *walk,
			      struct hprof_cursor *cursor,
			      struct places *ret_places);
void places_done(struct places *places);

/* The value of a primitive type by its bits. */
struct sql_cell cell_value(unsigned type, uint64_t bits);

/* Rows of one table or several. */
enum hprof_status sql_table_classes(const struct sql_tables_walk *walk);
enum hprof_status sql_table_roots(const struct sql_tables_walk *walk);
enum hprof_status sql_table_threads(const struct sql_tables_walk *walk,
				    struct hprof_error *error);
enum hprof_status sql_table_objects(const struct sql_tables_walk *walk,
				    struct hprof_cursor *cursor,
				    const struct places *places);
enum hprof_status sql_table_retained(const struct sql_tables_walk *walk);

#endif
