/* SPDX-License-Identifier: MIT */
/*
 * results.h - between SQLite's values and those of the tables.
 */
#ifndef TOOLS_QUERY_RESULTS_H
#define TOOLS_QUERY_RESULTS_H

#include "tools/query/sqlite.h"
#include <hprof.h>

void result_cell(sqlite3_context *context, const struct hprof_cell *cell);

/*
 * A field or element as people mean it: a number, the content of a box, a text
 * as long as TEXTS lets it be, else the number of the object. Moves nothing.
 */
enum hprof_status result_bits(sqlite3_context *context,
			      struct hprof_cursor *cursor, unsigned type,
			      uint64_t bits, struct hprof_text_limit *texts);

/* The object number in VALUE; HPROF_NO_OBJECT: it is none. */
uint64_t value_object(sqlite3_value *value);

/* The SQLite code for STATUS, with the text of ERROR in *MESSAGE. */
int result_failure(char **message, enum hprof_status status,
		   const struct hprof_error *error);

#endif
