/* SPDX-License-Identifier: MIT */
/*
 * arrow_stream.c - a table as a stream of batches.
 *
 * Tables that go by object are made while the stream is read: each batch visits
 * objects until it is full. The other tables, which have a row for a class, a
 * root, a thread and the like, are made when the first batch is asked for, and
 * wait in a queue.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "columns/arrow_export.h"

enum { ROWS_DEFAULT = 65536, TEXT_FULL = 64 << 20 };

struct batch {
	struct ArrowArray array;
	struct batch *next;
};

struct stream {
	struct hprof_tables_walk walk;
	enum hprof_table table;
	struct hp_column columns[HPROF_TABLE_COLUMNS + 1];
	size_t column_count, rows, batch_rows;
	bool no_memory;
	uint64_t first, end, next;
	/* Of tables that go by object. */
	struct hprof_cursor *cursor;
	struct hprof_places *places;
	struct hprof_object_rows *maker;
	uint32_t *depths;
	uint64_t part; /* > 0: the object has more rows */
	/* Of the others. */
	bool is_made;
	struct batch *queue, **last;
	/* Once a call has failed, the later ones fail as well. */
	enum hprof_status status;
	struct hprof_error error;
	void (*released)(void *user);
	void *released_user;
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

static void add_column(struct stream *s, const char *name,
		       enum hp_column_form form, unsigned cell)
{
	s->columns[s->column_count++] =
		(struct hp_column){ .name = name, .form = form, .cell = cell };
}

static bool add_columns_named(struct stream *s, const char *name)
{
	const struct hprof_table_info *info = hprof_table_info(s->table);
	size_t before = s->column_count;

	for (unsigned i = 0; info->columns[i].name; i++) {
		const struct hprof_table_column *column = &info->columns[i];
		bool any = column->type == HPROF_COLUMN_ANY;

		if (!name || strcmp(name, column->name) == 0)
			add_column(s, column->name, form_of(column), i);
		if (any && (!name || strcmp(name, "real") == 0))
			add_column(s, "real", HP_COLUMN_DOUBLE, i);
	}
	return s->column_count > before;
}

static enum hprof_status choose_columns(struct stream *s,
					const char *const *names,
					struct hprof_error *error)
{
	if (!names)
		add_columns_named(s, NULL);
	for (size_t i = 0; names && names[i]; i++) {
		if (i > HPROF_TABLE_COLUMNS)
			return hp_bad_argument(error, "columns",
					       "has too many names");
		if (!add_columns_named(s, names[i]))
			return hp_bad_argument(error, "columns",
					       "names one that is not there");
	}
	return HPROF_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static enum hprof_status queue_batch(struct stream *s)
{
	struct batch *batch = hp_calloc(1, sizeof *batch);

	if (!batch || hp_arrow_batch(s->columns, s->column_count, s->rows,
				     &batch->array) != HPROF_OK) {
		hp_free(batch);
		return HPROF_E_NOMEM;
	}
	*s->last = batch;
	s->last = &batch->next;
	s->rows = 0;
	return HPROF_OK;
}

static bool add_row(struct stream *s, const struct hprof_cell *cells)
{
	for (size_t i = 0; i < s->column_count && !s->no_memory; i++)
		s->no_memory = !hp_column_add(&s->columns[i],
					      &cells[s->columns[i].cell]);
	s->rows += !s->no_memory;
	return !s->no_memory;
}

static bool take_row(void *user, enum hprof_table table,
		     const struct hprof_cell *cells)
{
	struct stream *s = user;

	(void)table;
	return add_row(s, cells);
}

static bool is_full(const struct stream *s)
{
	if (s->rows >= s->batch_rows)
		return true;
	for (size_t i = 0; i < s->column_count; i++)
		if (s->columns[i].texts.used >= TEXT_FULL)
			return true;
	return false;
}

/* A row of a table that does not go by object. */
static bool take_small_row(void *user, enum hprof_table table,
			   const struct hprof_cell *cells)
{
	struct stream *s = user;
	uint64_t position = s->next++;

	(void)table;
	if (position < s->first)
		return true;
	if (position >= s->end)
		return false;
	if (!add_row(s, cells))
		return false;
	if (is_full(s))
		s->no_memory = queue_batch(s) != HPROF_OK;
	return !s->no_memory;
}

static enum hprof_status make_queue(struct stream *s)
{
	enum hprof_status status;

	s->walk.row = take_small_row;
	s->walk.user = s;
	s->is_made = true;
	s->next = 0;
	status = hprof_tables_walk(&s->walk, &s->error);
	if (status >= 0 && !s->no_memory && s->rows)
		s->no_memory = queue_batch(s) != HPROF_OK;
	if (s->no_memory)
		return hp_no_memory(&s->error);
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status next_of_queue(struct stream *s, struct ArrowArray *ret)
{
	struct batch *batch;

	if (!s->is_made)
		HP_TRY(make_queue(s));
	batch = s->queue;
	if (!batch)
		return HPROF_END;
	*ret = batch->array;
	s->queue = batch->next;
	hp_free(batch);
	return HPROF_OK;
}

/* ---- rows by object ------------------------------------------------------ */

static enum hprof_status begin_objects(struct stream *s)
{
	s->walk.row = take_row;
	s->walk.user = s;
	s->is_made = true;
	if (s->table == HPROF_TABLE_STRENGTH)
		return HPROF_OK;
	if (s->table == HPROF_TABLE_RETAINED) {
		s->depths = hprof_graph_depths(s->walk.graph);
		return s->depths ? HPROF_OK : hp_no_memory(&s->error);
	}
	HP_TRY(hprof_cursor_new(s->walk.heap, &s->cursor, &s->error));
	if (hprof_places_new(&s->walk, s->cursor, &s->places) != HPROF_OK)
		return hp_no_memory(&s->error);
	if (hprof_object_rows_new(&s->walk, s->cursor, s->places, &s->maker) !=
	    HPROF_OK)
		return hp_no_memory(&s->error);
	return HPROF_OK;
}

static enum hprof_status put_object(struct stream *s)
{
	enum hprof_status status = HPROF_OK;

	if (s->table == HPROF_TABLE_STRENGTH)
		hprof_strength_row_put(&s->walk, s->next);
	else if (s->table == HPROF_TABLE_RETAINED && s->depths[s->next])
		hprof_retained_row_put(&s->walk, s->next, s->depths[s->next]);
	else if (s->maker)
		status = hprof_object_rows_put(s->maker, s->next, &s->part);
	if (s->no_memory || status == HPROF_E_NOMEM)
		return hp_no_memory(&s->error);
	if (status < 0)
		s->error = *hprof_cursor_error(s->cursor);
	else if (s->part == 0)
		s->next++;
	return status;
}

static enum hprof_status next_of_objects(struct stream *s,
					 struct ArrowArray *ret)
{
	if (!s->is_made)
		HP_TRY(begin_objects(s));
	if (s->walk.progress &&
	    !s->walk.progress(s->walk.progress_user, "columns",
			      s->next - s->first, s->end - s->first))
		return hp_cancelled(&s->error);
	while (s->next < s->end && !is_full(s))
		HP_TRY(put_object(s));
	if (s->rows == 0)
		return HPROF_END;
	if (hp_arrow_batch(s->columns, s->column_count, s->rows, ret) !=
	    HPROF_OK)
		return hp_no_memory(&s->error);
	s->rows = 0;
	return HPROF_OK;
}

/* ---- the interface ------------------------------------------------------- */

static int number_of(const struct stream *s)
{
	switch (s->status) {
	case HPROF_E_NOMEM:
		return ENOMEM;
	case HPROF_E_CANCELLED:
		return ECANCELED;
	case HPROF_E_USAGE:
		return EINVAL;
	case HPROF_E_SYS:
		return s->error.sys_errno ? s->error.sys_errno : EIO;
	default:
		return EIO;
	}
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct stream *s = stream->private_data;

	if (hp_arrow_schema(s->columns, s->column_count, out) == HPROF_OK)
		return 0;
	hp_no_memory(&s->error);
	return ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct stream *s = stream->private_data;

	if (s->status == HPROF_OK)
		s->status = goes_by_object(s->table) ? next_of_objects(s, out)
						     : next_of_queue(s, out);
	if (s->status == HPROF_END)
		memset(out, 0, sizeof *out);
	return s->status < 0 ? number_of(s) : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct stream *s = stream->private_data;

	return s->error.text[0] ? s->error.text : NULL;
}

static void free_stream(struct stream *s)
{
	for (size_t i = 0; i < s->column_count; i++)
		hp_column_clear(&s->columns[i]);
	while (s->queue) {
		struct batch *batch = s->queue;

		s->queue = batch->next;
		batch->array.release(&batch->array);
		hp_free(batch);
	}
	hprof_object_rows_free(s->maker);
	hprof_places_free(s->places);
	hprof_cursor_free(s->cursor);
	hprof_graph_depths_free(s->depths);
	hp_free(s);
}

static void release(struct ArrowArrayStream *stream)
{
	struct stream *s = stream->private_data;
	void (*released)(void *user) = s->released;
	void *user = s->released_user;

	free_stream(s);
	stream->release = NULL;
	stream->private_data = NULL;
	if (released)
		released(user);
}

/* ---- making one ---------------------------------------------------------- */

static enum hprof_status check_needs(const struct hprof_tables_walk *walk,
				     enum hprof_table table,
				     struct hprof_error *error)
{
	if (!hprof_table_info(table))
		return hp_bad_argument(error, "table", "is none");
	if (walk->size != sizeof *walk)
		return hp_bad_argument(error, "walk", "has a wrong size");
	if (!walk->heap)
		return hp_bad_argument(error, "heap", "is NULL");
	if ((table == HPROF_TABLE_RETAINED || table == HPROF_TABLE_STRENGTH) &&
	    !walk->graph)
		return hp_bad_argument(error, "graph", "is NULL");
	if ((table == HPROF_TABLE_WASTE || table == HPROF_TABLE_DUPLICATE ||
	     table == HPROF_TABLE_WASTE_MAP) &&
	    !walk->waste)
		return hp_bad_argument(error, "waste", "is NULL");
	if (table == HPROF_TABLE_LOADER && !walk->loaders)
		return hp_bad_argument(error, "loaders", "is NULL");
	return HPROF_OK;
}

static void set_range(struct stream *s, const struct hprof_arrow_options *how)
{
	uint64_t span = hprof_arrow_span(&s->walk, s->table);

	s->end = how->end && how->end < span ? how->end : span;
	s->first = how->first < s->end ? how->first : s->end;
	s->next = s->first;
}

static enum hprof_status make(const struct hprof_tables_walk *walk,
			      enum hprof_table table,
			      const struct hprof_arrow_options *how,
			      struct stream **ret, struct hprof_error *error)
{
	struct stream *s;
	enum hprof_status status = check_needs(walk, table, error);

	if (status != HPROF_OK)
		return status;
	s = hp_calloc(1, sizeof *s);
	if (!s)
		return hp_no_memory(error);
	s->walk = *walk;
	s->table = table;
	s->last = &s->queue;
	s->batch_rows = how->batch_rows ? how->batch_rows : ROWS_DEFAULT;
	memset(s->walk.wanted, 0, sizeof s->walk.wanted);
	s->walk.wanted[table] = true;
	set_range(s, how);
	status = choose_columns(s, how->columns, error);
	if (status != HPROF_OK) {
		free_stream(s);
		return status;
	}
	s->released = how->released;
	s->released_user = how->released_user;
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
	struct stream *s = NULL;

	HP_NEED(ret_error, walk);
	HP_NEED(ret_error, ret_stream);
	if (!HP_OPTIONS_TAKE(options, &how))
		return hp_bad_options(ret_error);
	HP_TRY(make(walk, table, &how, &s, ret_error));
	*ret_stream = (struct ArrowArrayStream){
		.get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = release,
		.private_data = s,
	};
	return HPROF_OK;
}

uint64_t hprof_arrow_span(const struct hprof_tables_walk *walk,
			  enum hprof_table table)
{
	if (!walk || !walk->heap)
		return 0;
	return goes_by_object(table) ? hprof_heap_count(walk->heap)
				     : UINT64_MAX;
}
