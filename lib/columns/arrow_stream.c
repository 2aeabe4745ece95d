/* SPDX-License-Identifier: MIT */
/*
 * arrow_stream.c - see stream.h; and the functions of Arrow's C stream
 * interface.
 *
 * Most rows go by position, for example one object after the other: each batch
 * visits positions until it is full. Others are made all at once, when the first
 * batch is asked for, and wait in a queue.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "columns/arrow_export.h"
#include "columns/stream.h"

enum {
	ROWS_DEFAULT = 65536,
	TEXT_FULL = 64 << 20,
	ROOM_MOST = 4 << 20 /* cells that get room before there are rows */
};

struct hp_batch {
	struct ArrowArray array;
	struct hp_batch *next;
};

/* ---- making one ---------------------------------------------------------- */

struct hp_stream *hp_stream_new(const struct hp_stream_kind *kind,
				const struct hprof_tables_walk *walk,
				const struct hprof_arrow_options *how,
				size_t columns, uint64_t span)
{
	struct hp_stream *s = hp_calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->columns = hp_calloc(columns + 1, sizeof *s->columns);
	if (!s->columns) {
		hp_free(s);
		return NULL;
	}
	s->kind = kind;
	s->walk = *walk;
	s->last = &s->queue;
	s->batch_rows = how->batch_rows ? how->batch_rows : ROWS_DEFAULT;
	s->end = how->end && how->end < span ? how->end : span;
	s->first = how->first < s->end ? how->first : s->end;
	s->next = s->first;
	return s;
}

void hp_stream_free(struct hp_stream *s)
{
	for (size_t i = 0; i < s->column_count; i++)
		hp_column_clear(&s->columns[i]);
	while (s->queue) {
		struct hp_batch *batch = s->queue;

		s->queue = batch->next;
		batch->array.release(&batch->array);
		hp_free(batch);
	}
	s->kind->done(s);
	hp_free(s->columns);
	hp_free(s);
}

void hp_stream_add_column(struct hp_stream *s, const char *name,
			  enum hp_column_form form, unsigned cell)
{
	s->columns[s->column_count++] = (struct hp_column){
		.name = name,
		.form = form,
		.cell = cell,
		.classes = hprof_heap_summary(s->walk.heap),
	};
}

static enum hprof_status
choose(struct hp_stream *s, const struct hprof_arrow_options *how,
       bool (*add)(struct hp_stream *s, const char *name),
       struct hprof_error *error)
{
	const char *const *names = how->columns;

	if (!names)
		add(s, NULL);
	for (size_t i = 0; names && names[i]; i++) {
		for (size_t k = 0; k < i; k++)
			if (strcmp(names[i], names[k]) == 0)
				return hp_bad_argument(error, "columns",
						       "names one twice");
		if (!add(s, names[i]))
			return hp_bad_argument(error, "columns",
					       "names one that is not there");
	}
	return HPROF_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static enum hprof_status queue_batch(struct hp_stream *s)
{
	struct hp_batch *batch = hp_calloc(1, sizeof *batch);

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

bool hp_stream_add_row(struct hp_stream *s, const struct hprof_cell *cells)
{
	for (size_t i = 0; i < s->column_count && !s->no_memory; i++)
		s->no_memory = !hp_column_add(&s->columns[i],
					      &cells[s->columns[i].cell]);
	s->rows += !s->no_memory;
	return !s->no_memory;
}

static bool is_full(const struct hp_stream *s)
{
	if (s->rows >= s->batch_rows)
		return true;
	for (size_t i = 0; i < s->column_count; i++)
		if (s->columns[i].texts.used >= TEXT_FULL)
			return true;
	return false;
}

bool hp_stream_queue_row(struct hp_stream *s, const struct hprof_cell *cells)
{
	uint64_t position = s->next++;

	if (position < s->first)
		return true;
	if (position >= s->end)
		return false;
	if (!hp_stream_add_row(s, cells))
		return false;
	if (is_full(s))
		s->no_memory = queue_batch(s) != HPROF_OK;
	return !s->no_memory;
}

/* ---- batches ------------------------------------------------------------- */

/* Rows by position fill a batch; of others there may be few. */
static void expect_rows(struct hp_stream *s)
{
	uint64_t expected = s->end - s->first;

	if (expected > s->batch_rows)
		expected = s->batch_rows;
	if (expected > ROOM_MOST / (s->column_count + 1))
		expected = ROOM_MOST / (s->column_count + 1);
	for (size_t i = 0; i < s->column_count; i++)
		s->columns[i].expected = (size_t)expected;
}

static enum hprof_status begin(struct hp_stream *s)
{
	enum hprof_status status;

	if (s->is_begun)
		return HPROF_OK;
	s->is_begun = true;
	if (s->kind->put)
		expect_rows(s);
	else
		s->next = 0;
	status = s->kind->begin(s);
	if (s->kind->put)
		return status;
	if (status >= 0 && !s->no_memory && s->rows)
		s->no_memory = queue_batch(s) != HPROF_OK;
	if (s->no_memory)
		return hp_no_memory(&s->error);
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status next_of_queue(struct hp_stream *s,
				       struct ArrowArray *ret)
{
	struct hp_batch *batch = s->queue;

	if (!batch)
		return HPROF_END;
	*ret = batch->array;
	s->queue = batch->next;
	hp_free(batch);
	return HPROF_OK;
}

static enum hprof_status next_by_position(struct hp_stream *s,
					  struct ArrowArray *ret)
{
	if (s->walk.progress &&
	    !s->walk.progress(s->walk.progress_user, "columns",
			      s->next - s->first, s->end - s->first))
		return hp_cancelled(&s->error);
	while (s->next < s->end && !is_full(s)) {
		enum hprof_status status = s->kind->put(s);

		if (s->no_memory || status == HPROF_E_NOMEM)
			return hp_no_memory(&s->error);
		if (status < 0)
			return status;
	}
	if (s->rows == 0)
		return HPROF_END;
	if (hp_arrow_batch(s->columns, s->column_count, s->rows, ret) !=
	    HPROF_OK)
		return hp_no_memory(&s->error);
	s->rows = 0;
	return HPROF_OK;
}

static enum hprof_status next_batch(struct hp_stream *s, struct ArrowArray *ret)
{
	HP_TRY(begin(s));
	return s->kind->put ? next_by_position(s, ret) : next_of_queue(s, ret);
}

/* ---- the interface ------------------------------------------------------- */

static int number_of(const struct hp_stream *s)
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
	struct hp_stream *s = stream->private_data;

	if (hp_arrow_schema(s->columns, s->column_count, out) == HPROF_OK)
		return 0;
	hp_no_memory(&s->error);
	return ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct hp_stream *s = stream->private_data;

	if (s->status == HPROF_OK)
		s->status = next_batch(s, out);
	if (s->status == HPROF_END)
		memset(out, 0, sizeof *out);
	return s->status < 0 ? number_of(s) : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct hp_stream *s = stream->private_data;

	return s->error.text[0] ? s->error.text : NULL;
}

static void release(struct ArrowArrayStream *stream)
{
	struct hp_stream *s = stream->private_data;
	void (*released)(void *user) = s->released;
	void *user = s->released_user;

	hp_stream_free(s);
	stream->release = NULL;
	stream->private_data = NULL;
	if (released)
		released(user);
}

enum hprof_status
hp_stream_export(struct hp_stream *s, const struct hprof_arrow_options *how,
		 bool (*add)(struct hp_stream *s, const char *name),
		 struct ArrowArrayStream *ret_stream, struct hprof_error *error)
{
	enum hprof_status status = choose(s, how, add, error);

	if (status != HPROF_OK) {
		hp_stream_free(s);
		return status;
	}
	s->released = how->released;
	s->released_user = how->released_user;
	*ret_stream = (struct ArrowArrayStream){
		.get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = release,
		.private_data = s,
	};
	return HPROF_OK;
}
