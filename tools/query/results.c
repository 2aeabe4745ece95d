/* SPDX-License-Identifier: MIT */
/*
 * results.c - see results.h.
 */
#include "tools/query/results.h"

void result_cell(sqlite3_context *context, const struct hprof_cell *cell)
{
	switch (cell->kind) {
	case HPROF_CELL_NULL:
		sqlite3_result_null(context);
		break;
	case HPROF_CELL_REAL:
		sqlite3_result_double(context, cell->real);
		break;
	case HPROF_CELL_TEXT:
		sqlite3_result_text(context, cell->text, -1, SQLITE_TRANSIENT);
		break;
	default:
		sqlite3_result_int64(context, cell->number);
	}
}

enum hprof_status result_bits(sqlite3_context *context,
			      struct hprof_cursor *cursor, unsigned type,
			      uint64_t bits, struct hprof_text_limit *texts)
{
	struct hprof_value value;
	enum hprof_status status = hprof_cursor_value(
		cursor, type, bits, hprof_text_limit_next(texts), &value);

	if (status != HPROF_OK)
		return status;
	switch (value.kind) {
	case HPROF_VALUE_NULL:
		break;
	case HPROF_VALUE_STRING:
		hprof_text_limit_take(texts, value.text_length);
		sqlite3_result_text(context, value.text, -1, SQLITE_TRANSIENT);
		break;
	case HPROF_VALUE_OBJECT:
		if (value.object != HPROF_NO_OBJECT)
			sqlite3_result_int64(context,
					     (sqlite3_int64)value.object);
		break;
	case HPROF_VALUE_REAL:
		sqlite3_result_double(context, value.real);
		break;
	default:
		sqlite3_result_int64(context, value.integer);
	}
	return HPROF_OK;
}

uint64_t value_object(sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);
	sqlite3_int64 number = sqlite3_value_int64(value);

	if (type == SQLITE_FLOAT &&
	    (double)number != sqlite3_value_double(value))
		return HPROF_NO_OBJECT;
	return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && number >= 0
		       ? (uint64_t)number
		       : HPROF_NO_OBJECT;
}

int result_failure(char **message, enum hprof_status status,
		   const struct hprof_error *error)
{
	if (status == HPROF_E_CANCELLED)
		return SQLITE_INTERRUPT;
	if (status == HPROF_E_NOMEM)
		return SQLITE_NOMEM;
	sqlite3_free(*message);
	*message = sqlite3_mprintf("%s", error->text);
	return SQLITE_ERROR;
}
