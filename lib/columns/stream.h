/* SPDX-License-Identifier: MIT */
/*
 * stream.h - a stream of batches, whatever its rows are made of.
 */
#ifndef HP_STREAM_H
#define HP_STREAM_H

#include "columns/column.h"
#include "hprof/arrow.h"

struct hp_batch;
struct hp_stream;

/* How rows are made. */
struct hp_stream_kind {
	/*
	 * Called before the first row. With PUT NULL it makes all rows, by
	 * hp_stream_queue_row.
	 */
	enum hprof_status (*begin)(struct hp_stream *s);
	/*
	 * Adds the rows of position S->next, and moves that to the next one,
	 * unless there are more rows of this one.
	 */
	enum hprof_status (*put)(struct hp_stream *s);
	void (*done)(struct hp_stream *s); /* frees S->state; not S */
};

struct hp_stream {
	const struct hp_stream_kind *kind;
	void *state; /* of the kind */
	struct hprof_tables_walk walk;
	struct hp_column *columns;
	size_t column_count, rows, batch_rows;
	bool no_memory;
	uint64_t first, end, next;
	bool is_begun;
	struct hp_batch *queue, **last;
	/* Once a call has failed, the later ones fail as well. */
	enum hprof_status status;
	struct hprof_error error;
	void (*released)(void *user);
	void *released_user;
};

/*
 * A stream without columns, for at most COLUMNS of them, over the positions up
 * to SPAN of which HOW chooses some. The caller sets its state before anything
 * can fail. NULL: no memory.
 */
struct hp_stream *hp_stream_new(const struct hp_stream_kind *kind,
				const struct hprof_tables_walk *walk,
				const struct hprof_arrow_options *how,
				size_t columns, uint64_t span);
void hp_stream_free(struct hp_stream *s);

void hp_stream_add_column(struct hp_stream *s, const char *name,
			  enum hp_column_form form, unsigned cell);

/* Adds a row. False: no memory. */
bool hp_stream_add_row(struct hp_stream *s, const struct hprof_cell *cells);

/* The same, of all rows in turn, for kinds without PUT. False ends the walk. */
bool hp_stream_queue_row(struct hp_stream *s, const struct hprof_cell *cells);

/*
 * Hands S over as a stream of the columns that HOW names, or all, each added by
 * ADD, which adds those called NAME and returns false if there are none; NULL
 * means all. Frees S if that fails.
 */
enum hprof_status
hp_stream_export(struct hp_stream *s, const struct hprof_arrow_options *how,
		 bool (*add)(struct hp_stream *s, const char *name),
		 struct ArrowArrayStream *ret_stream,
		 struct hprof_error *error);

#endif
