/* SPDX-License-Identifier: MIT */
/*
 * row_buffer.h - rows of one table, kept in memory, with an index by any
 * column.
 */
#ifndef TOOLS_QUERY_ROW_BUFFER_H
#define TOOLS_QUERY_ROW_BUFFER_H

#include <hprof.h>

struct stored_cell;
struct sorted_cell;

struct row_buffer {
	unsigned width; /* columns of a row */
	size_t count;	/* rows */
	/* private */
	size_t room;
	struct stored_cell *cells;
	char *text; /* of all cells, with their ends */
	size_t text_used, text_room;
	struct sorted_cell
		*orders[HPROF_TABLE_COLUMNS]; /* once they are needed */
	bool failed;			      /* there was no memory */
};

/* Zero but for the width is an empty buffer. */
void row_buffer_clear(struct row_buffer *buffer);
void row_buffer_free(struct row_buffer *buffer);

/*
 * An hprof_row_fn: copies the row into the struct row_buffer at BUFFER. False:
 * there is no memory, and FAILED is set.
 */
bool row_buffer_add(void *buffer, enum hprof_table table,
		    const struct hprof_cell *cells);

/* A cell; its text lives until rows are added or removed. */
struct hprof_cell row_buffer_cell(const struct row_buffer *buffer, size_t row,
				  unsigned column);

/*
 * The rows whose COLUMN is VALUE, a number or text: *RET_FIRST and
 * *RET_COUNT are a part of the order by that column, in which row_buffer_at
 * gives the rows. False: no memory.
 */
bool row_buffer_find(struct row_buffer *buffer, unsigned column,
		     const struct hprof_cell *value, size_t *ret_first,
		     size_t *ret_count);
size_t row_buffer_at(const struct row_buffer *buffer, unsigned column,
		     size_t position);

#endif
