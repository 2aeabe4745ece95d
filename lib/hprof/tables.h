/* SPDX-License-Identifier: MIT */
/*
 * hprof/tables.h - a dump as tables: their description, and their rows.
 *
 * hprof-tables(7) says what is in them. Databases, CSV files, SQL statements and
 * the Arrow streams of hprof/arrow.h have these tables and no others. A table is
 * a list of columns; rows are made one by one and passed to a function, so that
 * none stay in memory.
 *
 * Threads: nothing here changes a heap, graph or table. Walks may run in several
 * threads at the same time; whatever a new function returns belongs to one
 * thread at a time, except for places, which never change.
 */
#ifndef HPROF_TABLES_H
#define HPROF_TABLES_H

#include <hprof/leaks.h>
#include <hprof/waste.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented when a column changes its meaning or is removed. */
#define HPROF_TABLES_SCHEMA 2

enum hprof_table {
	HPROF_TABLE_DUMP,
	HPROF_TABLE_CLASS,
	HPROF_TABLE_FIELD,
	HPROF_TABLE_OBJECT,
	HPROF_TABLE_REFERENCE,
	HPROF_TABLE_DANGLING,
	HPROF_TABLE_VALUE,
	HPROF_TABLE_STRING,
	HPROF_TABLE_ROOT,
	HPROF_TABLE_THREAD,
	HPROF_TABLE_FRAME,
	HPROF_TABLE_RETAINED,
	HPROF_TABLE_STRENGTH,
	HPROF_TABLE_LOADER,
	HPROF_TABLE_WASTE,
	HPROF_TABLE_DUPLICATE,
	HPROF_TABLE_WASTE_MAP,
	HPROF_TABLE_SUSPECT,
	HPROF_TABLE_SUSPECT_PATH,
	HPROF_TABLE_SITE,
	HPROF_TABLE_SAMPLE,
	HPROF_TABLE_TRACE,
	HPROF_TABLE_COUNT
};

#define HPROF_TABLES_MOST 64   /* more than there will ever be */
#define HPROF_TABLE_COLUMNS 24 /* of a table, at most */

enum hprof_column_type {
	HPROF_COLUMN_NUMBER,
	HPROF_COLUMN_ADDRESS, /* an identifier of the dump */
	HPROF_COLUMN_TEXT,
	HPROF_COLUMN_ANY /* a number, which may have a fraction */
};

struct hprof_table_column {
	const char *name; /* NULL after the last */
	enum hprof_column_type type;
	bool repeats; /* few different texts for many rows */
	/*
	 * Of a row of the table of classes: what the column with the name of
	 * that class is called where there is one. Else NULL.
	 */
	const char *class_name;
};

struct hprof_table_info {
	const char *name;
	struct hprof_table_column columns[HPROF_TABLE_COLUMNS + 1];
	/*
	 * How many of the first columns form the key, by which the table is
	 * sorted. 0: the key is the first column.
	 */
	unsigned key;
};

/* The description of a table, a constant; NULL if there is no such table. */
HPROF_API const struct hprof_table_info *
hprof_table_info(enum hprof_table table);

/* How many columns a table has; 0 if there is no such table. */
HPROF_API unsigned hprof_table_width(enum hprof_table table);

/* The table with that name, or HPROF_TABLE_COUNT. */
HPROF_API enum hprof_table hprof_table_named(const char *name);

/* ---- cells --------------------------------------------------------------- */

enum hprof_cell_kind {
	HPROF_CELL_NULL,
	HPROF_CELL_NUMBER,
	HPROF_CELL_ADDRESS,
	HPROF_CELL_REAL,
	HPROF_CELL_TEXT
};

/* The value of a column in a row. Members that the kind does not have are 0. */
struct hprof_cell {
	enum hprof_cell_kind kind;
	int64_t number; /* for an address, its bits */
	double real;
	const char *text; /* UTF-8, unescaped; borrowed during the call */
};

static inline struct hprof_cell hprof_cell_make(enum hprof_cell_kind kind,
						int64_t number)
{
	struct hprof_cell cell;

	cell.kind = kind;
	cell.number = number;
	cell.real = 0;
	cell.text = NULL;
	return cell;
}

static inline struct hprof_cell hprof_cell_null(void)
{
	return hprof_cell_make(HPROF_CELL_NULL, 0);
}

static inline struct hprof_cell hprof_cell_number(int64_t number)
{
	return hprof_cell_make(HPROF_CELL_NUMBER, number);
}

static inline struct hprof_cell hprof_cell_address(uint64_t id)
{
	return hprof_cell_make(HPROF_CELL_ADDRESS, (int64_t)id);
}

/* NULL is null. */
static inline struct hprof_cell hprof_cell_text(const char *text)
{
	struct hprof_cell cell =
		hprof_cell_make(text ? HPROF_CELL_TEXT : HPROF_CELL_NULL, 0);

	cell.text = text;
	return cell;
}

/* An object's number, and a row of classes; null if there is none. */
static inline struct hprof_cell hprof_cell_object(uint64_t index)
{
	return index == HPROF_NO_OBJECT ? hprof_cell_null()
					: hprof_cell_number((int64_t)index);
}

static inline struct hprof_cell hprof_cell_class(size_t row)
{
	return row == SIZE_MAX ? hprof_cell_null()
			       : hprof_cell_number((int64_t)row);
}

/* The cell for a value of a primitive type, given by its bits. */
HPROF_API struct hprof_cell hprof_cell_value(unsigned type, uint64_t bits);

/* ---- rows ---------------------------------------------------------------- */

/* Takes a row; false ends the walk. */
typedef bool hprof_row_fn(void *user, enum hprof_table table,
			  const struct hprof_cell *cells);

struct hprof_tables_walk {
	size_t size;	  /* sizeof(struct hprof_tables_walk) */
	const char *path; /* for the column file of dump; may be NULL */
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;       /* NULL: no retained sizes */
	const struct hprof_waste_table *waste; /* NULL: none was looked for */
	const struct hprof_loader_use_table *loaders; /* the same */
	const struct hprof_leak_table *leaks;
	const struct hprof_allocation_table *allocations;
	hprof_row_fn *row;
	void *user;
	hprof_progress_fn *progress; /* may be NULL; false cancels */
	void *progress_user;
	bool wanted[HPROF_TABLES_MOST]; /* by table */
};

/*
 * Passes the rows of all wanted tables on, of several tables in turn, but each
 * table in the order of its key. Returns HPROF_OK after all rows, HPROF_END if
 * ROW ended the walk, or a failure.
 */
HPROF_API enum hprof_status
hprof_tables_walk(const struct hprof_tables_walk *walk,
		  struct hprof_error *ret_error);

/*
 * The numbers of fields, by which references and values name them. Owned by the
 * caller; free it with hprof_places_free. If the walk wants the table of fields,
 * its rows are passed on.
 */
struct hprof_places;
HPROF_API enum hprof_status
hprof_places_new(const struct hprof_tables_walk *walk,
		 struct hprof_cursor *cursor, struct hprof_places **ret_places);
HPROF_API void hprof_places_free(struct hprof_places *places);

/*
 * The rows of single objects in those wanted tables that have rows for them:
 * object, reference, dangling, value and string. WALK, CURSOR and PLACES must
 * outlive it. Free it with hprof_object_rows_free.
 */
struct hprof_object_rows;
HPROF_API enum hprof_status hprof_object_rows_new(
	const struct hprof_tables_walk *walk, struct hprof_cursor *cursor,
	const struct hprof_places *places, struct hprof_object_rows **ret_rows);
HPROF_API void hprof_object_rows_free(struct hprof_object_rows *rows);

/* Begins another walk: its texts are counted anew, see struct hprof_text_limit. */
HPROF_API void hprof_object_rows_restart(struct hprof_object_rows *rows);

/*
 * Passes the rows of object INDEX on. Of a large array, only those of some
 * elements from *AT on, which is 0 at first: then *AT says where to go on, and
 * is 0 again behind the last one. HPROF_END: the walk's function ended it; a
 * failure is described by the cursor's error.
 */
HPROF_API enum hprof_status
hprof_object_rows_put(struct hprof_object_rows *rows, uint64_t index,
		      uint64_t *at);

/*
 * The depths of all objects in the dominator tree, 0 for those that are not in
 * it; NULL: no memory. Free them with hprof_graph_depths_free.
 */
HPROF_API uint32_t *hprof_graph_depths(const struct hprof_graph *graph);
HPROF_API void hprof_graph_depths_free(uint32_t *depths);

/*
 * The row of object INDEX, whose depth is not 0, in the table of retained sizes,
 * and its row in that of strengths, if it has one. False: the walk has ended.
 */
HPROF_API bool hprof_retained_row_put(const struct hprof_tables_walk *walk,
				      uint64_t index, uint32_t depth);
HPROF_API bool hprof_strength_row_put(const struct hprof_tables_walk *walk,
				      uint64_t index);

/* ---- texts --------------------------------------------------------------- */

/*
 * How many characters of a text the rows of one walk have: HPROF_TEXT_MOST. But
 * strings can share their characters, and in a dump that means harm all of them
 * share all: their texts would be as long as the dump times the number of strings.
 * So once the texts of a walk are four times as long as the values in the dump and
 * another 16,777,216 UTF-16 units, which takes strings that share, each further one
 * has HPROF_TEXT_CUT characters.
 */
#define HPROF_TEXT_MOST (1 << 28)
#define HPROF_TEXT_CUT 200

/* Of one walk; in the hands of one thread. */
struct hprof_text_limit {
	uint64_t left; /* units before texts are cut */
};

HPROF_API struct hprof_text_limit
hprof_text_limit_of(const struct hprof_heap *heap);

/* The characters of the next text, for hprof_cursor_text. LIMIT may be NULL: none. */
HPROF_API size_t hprof_text_limit_next(const struct hprof_text_limit *limit);

/* Counts a text whose full length is LENGTH units. LIMIT may be NULL. */
HPROF_API void hprof_text_limit_take(struct hprof_text_limit *limit,
				     uint64_t length);

/* ---- words --------------------------------------------------------------- */

/* "JNI global"; "other" if TAG is no root. A constant. */
HPROF_API const char *hprof_root_name(unsigned tag);
/* The same as a word, such as "jni_global". Returns WORD. */
HPROF_API const char *hprof_root_word(unsigned tag, char word[32]);

/* "strong", "soft", "finalizer" ...; NULL: not known. A constant. */
HPROF_API const char *hprof_strength_name(enum hprof_strength strength);

/* "point", "group" ...; "queue", "soft" ... Constants. */
HPROF_API const char *hprof_leak_kind_name(enum hprof_leak_kind kind);
HPROF_API const char *hprof_backlog_kind_name(enum hprof_backlog_kind kind);

/* The name of a JVMTI thread state, such as "WAITING (parking)"; never NULL. */
HPROF_API const char *hprof_thread_state_name(uint32_t status);

#define HPROF_TIME_TEXT 40

/*
 * "2026-11-20 04:18:37 UTC" for milliseconds since 1970; SEPARATOR 'T' gives
 * "2026-11-20T04:18:37.155Z". Returns OUT, or NULL beyond the year 9999 and for 0, which
 * some writers put into the header for a time that they do not know.
 */
HPROF_API const char *hprof_time_text(uint64_t time_ms, char separator,
				      char out[HPROF_TIME_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
