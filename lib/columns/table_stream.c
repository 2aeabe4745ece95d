/* SPDX-License-Identifier: MIT */
/*
 * table_stream.c - hprof_arrow_table: a table as a stream. Tables that go by
 * object are made while the stream is read; those that have a row for a class,
 * a root, a thread and the like, all at once.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "columns/stream.h"

struct table {
	enum hprof_table table;
	/* Of tables that go by object. */
	struct hprof_cursor *cursor;
	struct hprof_places *places;
	struct hprof_object_rows *maker;
	uint32_t *depths;
	uint64_t part; /* > 0: the object has more rows */
};

static bool goes_by_object(enum hprof_table table)
{
	switch (table) {
	case HPROF_TABLE_OBJECT:
	case HPROF_TABLE_REFERENCE:
	case HPROF_TABLE_DANGLING:
	case HPROF_TABLE_VALUE:
	case HPROF_TABLE_STRING:
	case HPROF_TABLE_RETAINED:
	case HPROF_TABLE_STRENGTH:
		return true;
	default:
		return false;
	}
}

/* ---- columns ------------------------------------------------------------- */

static enum hp_column_form form_of(const struct hprof_table_column *column)
{
	switch (column->type) {
	case HPROF_COLUMN_ADDRESS:
		return HP_COLUMN_UINT64;
	case HPROF_COLUMN_TEXT:
		return column->repeats ? HP_COLUMN_WORD : HP_COLUMN_TEXT;
	default:
		return HP_COLUMN_INT64;
	}
}

/*
 * A column of any numbers is two, since each of Arrow's has one type; and a row
 * of classes is followed by the name of that class.
 */
static bool add_columns_named(struct hp_stream *s, const char *name)
{
	const struct table *t = s->state;
	const struct hprof_table_info *info = hprof_table_info(t->table);
	size_t before = s->column_count;

	for (unsigned i = 0; info->columns[i].name; i++) {
		const struct hprof_table_column *column = &info->columns[i];
		bool any = column->type == HPROF_COLUMN_ANY;
		const char *class = column->class_name;

		if (!name || strcmp(name, column->name) == 0)
			hp_stream_add_column(s, column->name, form_of(column),
					     i);
		if (any && (!name || strcmp(name, "real") == 0))
			hp_stream_add_column(s, "real", HP_COLUMN_DOUBLE, i);
		if (class && (!name || strcmp(name, class) == 0))
			hp_stream_add_column(s, class, HP_COLUMN_CLASS, i);
	}
	return s->column_count > before;
}

/* ---- rows all at once ---------------------------------------------------- */

static bool take_small_row(void *user, enum hprof_table table,
			   const struct hprof_cell *cells)
{
	(void)table;
	return hp_stream_queue_row(user, cells);
}

static enum hprof_status queue_all(struct hp_stream *s)
{
	s->walk.row = take_small_row;
	s->walk.user = s;
	return hprof_tables_walk(&s->walk, &s->error);
}

/* ---- rows by object ------------------------------------------------------ */

static bool take_row(void *user, enum hprof_table table,
		     const struct hprof_cell *cells)
{
	(void)table;
	return hp_stream_add_row(user, cells);
}

static enum hprof_status begin_objects(struct hp_stream *s)
{
	struct table *t = s->state;

	s->walk.row = take_row;
	s->walk.user = s;
	if (t->table == HPROF_TABLE_STRENGTH)
		return HPROF_OK;
	if (t->table == HPROF_TABLE_RETAINED) {
		t->depths = hprof_graph_depths(s->walk.graph);
		return t->depths ? HPROF_OK : hp_no_memory(&s->error);
	}
	HP_TRY(hprof_cursor_new(s->walk.heap, &t->cursor, &s->error));
	if (hprof_places_new(&s->walk, t->cursor, &t->places) != HPROF_OK)
		return hp_no_memory(&s->error);
	if (hprof_object_rows_new(&s->walk, t->cursor, t->places, &t->maker) !=
	    HPROF_OK)
		return hp_no_memory(&s->error);
	return HPROF_OK;
}

static enum hprof_status put_object(struct hp_stream *s)
{
	struct table *t = s->state;
	enum hprof_status status = HPROF_OK;

	if (t->table == HPROF_TABLE_STRENGTH)
		hprof_strength_row_put(&s->walk, s->next);
	else if (t->table == HPROF_TABLE_RETAINED && t->depths[s->next])
		hprof_retained_row_put(&s->walk, s->next, t->depths[s->next]);
	else if (t->maker)
		status = hprof_object_rows_put(t->maker, s->next, &t->part);
	if (status < 0 && status != HPROF_E_NOMEM)
		s->error = *hprof_cursor_error(t->cursor);
	else if (t->part == 0)
		s->next++;
	return status;
}

static void table_done(struct hp_stream *s)
{
	struct table *t = s->state;

	if (!t)
		return;
	hprof_object_rows_free(t->maker);
	hprof_places_free(t->places);
	hprof_cursor_free(t->cursor);
	hprof_graph_depths_free(t->depths);
	hp_free(t);
}

static const struct hp_stream_kind by_object = { begin_objects, put_object,
						 table_done };
static const struct hp_stream_kind at_once = { queue_all, NULL, table_done };

/* ---- the interface ------------------------------------------------------- */

/* The member of the walk that the table is made of besides the heap. */
static const char *missing(const struct hprof_tables_walk *walk,
			   enum hprof_table table)
{
	switch (table) {
	case HPROF_TABLE_RETAINED:
	case HPROF_TABLE_STRENGTH:
		return walk->graph ? NULL : "graph";
	case HPROF_TABLE_WASTE:
	case HPROF_TABLE_DUPLICATE:
	case HPROF_TABLE_WASTE_MAP:
		return walk->waste ? NULL : "waste";
	case HPROF_TABLE_LOADER:
		return walk->loaders ? NULL : "loaders";
	case HPROF_TABLE_SUSPECT:
	case HPROF_TABLE_SUSPECT_PATH:
		return walk->leaks ? NULL : "leaks";
	case HPROF_TABLE_SITE:
		return walk->allocations ? NULL : "allocations";
	default:
		return NULL;
	}
}

static enum hprof_status check_needs(const struct hprof_tables_walk *walk,
				     enum hprof_table table,
				     struct hprof_error *error)
{
	const char *lost;

	if (!hprof_table_info(table))
		return hp_bad_argument(error, "table", "is none");
	if (walk->size != sizeof *walk)
		return hp_bad_argument(error, "walk", "has a wrong size");
	if (!walk->heap)
		return hp_bad_argument(error, "heap", "is NULL");
	lost = missing(walk, table);
	return lost ? hp_bad_argument(error, lost, "is NULL") : HPROF_OK;
}

static enum hprof_status make(const struct hprof_tables_walk *walk,
			      enum hprof_table table,
			      const struct hprof_arrow_options *how,
			      struct hp_stream **ret, struct hprof_error *error)
{
	struct table *t = hp_calloc(1, sizeof *t);
	struct hp_stream *s = NULL;

	if (t)
		s = hp_stream_new(goes_by_object(table) ? &by_object : &at_once,
				  walk, how, 2 * (size_t)HPROF_TABLE_COLUMNS,
				  hprof_arrow_span(walk, table));
	if (!s) {
		hp_free(t);
		return hp_no_memory(error);
	}
	s->state = t;
	t->table = table;
	memset(s->walk.wanted, 0, sizeof s->walk.wanted);
	s->walk.wanted[table] = true;
	*ret = s;
	return HPROF_OK;
}

enum hprof_status hprof_arrow_table(const struct hprof_tables_walk *walk,
				    enum hprof_table table,
				    const struct hprof_arrow_options *options,
				    struct ArrowArrayStream *ret_stream,
				    struct hprof_error *ret_error)
{
	struct hprof_arrow_options how;
	struct hp_stream *s = NULL;

	HP_NEED(ret_error, walk);
	HP_NEED(ret_error, ret_stream);
	if (!HP_OPTIONS_TAKE(options, &how))
		return hp_bad_options(ret_error);
	HP_TRY(check_needs(walk, table, ret_error));
	HP_TRY(make(walk, table, &how, &s, ret_error));
	return hp_stream_export(s, &how, add_columns_named, ret_stream,
				ret_error);
}

uint64_t hprof_arrow_span(const struct hprof_tables_walk *walk,
			  enum hprof_table table)
{
	if (!walk || !walk->heap)
		return 0;
	return goes_by_object(table) ? hprof_heap_count(walk->heap)
				     : UINT64_MAX;
}
