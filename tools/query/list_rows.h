/* SPDX-License-Identifier: MIT */
/*
 * list_rows.h - the rows of the table-valued functions.
 */
#ifndef TOOLS_QUERY_LIST_ROWS_H
#define TOOLS_QUERY_LIST_ROWS_H

#include "tools/query/query_dump.h"
#include "tools/query/row_buffer.h"

struct list_function {
	const char *name;
	const char *columns;  /* "place TEXT, target INTEGER" */
	const char *argument; /* the hidden column behind them */
	unsigned width;	      /* without that one */
	/*
	 * Adds the rows for OBJECT, which is in the heap. HPROF_END means the
	 * buffer failed.
	 */
	enum hprof_status (*put)(struct query_dump *dump, uint64_t object,
				 struct row_buffer *rows,
				 struct hprof_error *ret_error);
};

/* The name of the last one is NULL. */
extern const struct list_function list_functions[];

#endif
