/* SPDX-License-Identifier: MIT */
/*
 * sql_table_rows.h - shared by the files that make rows.
 */
#ifndef TOOLS_SQL_TABLE_ROWS_H
#define TOOLS_SQL_TABLE_ROWS_H

#include "tools/tables/sql_tables.h"

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

/* A cell for an object or a row of classes; null if there is none. */
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
 * The place of a reference or value in its object. For an element it is the
 * index; for anything else it is the number of a row in the table of fields,
 * which is negative.
 */
enum {
	PLACE_SUPER = -1,
	PLACE_LOADER = -2,
	PLACE_SIGNERS = -3,
	PLACE_DOMAIN = -4,
	PLACE_FIRST = -5 /* fields that classes declare: from here down */
};

/*
 * The places of the first fields that a class declares. The next one is one
 * less.
 */
struct class_places {
	int64_t own; /* instance fields, without those of superclasses */
	int64_t statics;
	int64_t constants;
};

struct places {
	size_t count;
	struct class_places *classes; /* by row of classes */
};

/* Numbers all fields, and passes their rows on if that table is wanted. */
enum hprof_status places_make(const struct sql_tables_walk *walk,
			      struct hprof_cursor *cursor,
			      struct places *ret_places);
void places_done(struct places *places);

/* The cell for a value of a primitive type, given by its bits. */
struct sql_cell cell_value(unsigned type, uint64_t bits);

/*
 * The rows of single objects in the tables that the walk wants. CURSOR, PLACES
 * and WALK must outlive it. Free it with object_rows_free.
 */
struct object_rows;
enum hprof_status object_rows_new(const struct sql_tables_walk *walk,
				  struct hprof_cursor *cursor,
				  const struct places *places,
				  struct object_rows **ret_rows);
void object_rows_free(struct object_rows *rows);

/*
 * Passes the rows of object INDEX on. Of a large array, only those of some
 * elements from *AT on, which is 0 at first: then *AT says where to go on, and
 * is 0 again behind the last one.
 */
enum hprof_status object_rows_put(struct object_rows *rows, uint64_t index,
				  uint64_t *at);

/*
 * The depths of all objects in the dominator tree, 0 for those that are not in
 * it; NULL: no memory. Free them with free.
 */
uint32_t *retained_depths(const struct hprof_graph *graph);

/* The row of object I, whose depth is not 0; false: the walk has ended. */
bool retained_row_put(const struct sql_tables_walk *walk, uint64_t i,
		      uint32_t depth);
/* The row of object I, if it has one. */
bool strength_row_put(const struct sql_tables_walk *walk, uint64_t i);

/* Each of these makes the rows of one table or several. */
enum hprof_status sql_table_classes(const struct sql_tables_walk *walk);
enum hprof_status sql_table_roots(const struct sql_tables_walk *walk);
enum hprof_status sql_table_threads(const struct sql_tables_walk *walk,
				    struct hprof_error *error);
enum hprof_status sql_table_objects(const struct sql_tables_walk *walk,
				    struct hprof_cursor *cursor,
				    const struct places *places);
enum hprof_status sql_table_retained(const struct sql_tables_walk *walk);
enum hprof_status sql_table_strength(const struct sql_tables_walk *walk);
enum hprof_status sql_table_loaders(const struct sql_tables_walk *walk);
enum hprof_status sql_table_waste(const struct sql_tables_walk *walk);

#endif
