/* SPDX-License-Identifier: MIT */
/*
 * plain_fields.c - see plain_fields.h.
 */
#include "tools/common/cli.h"
#include "tools/report/plain_fields.h"

static bool take_field(struct hprof_cursor *cursor, uint64_t object,
		       const char *name, struct hprof_field *ret)
{
	struct hprof_object at;

	return hprof_cursor_seek(cursor, object, &at) == HPROF_OK &&
	       at.kind == HPROF_OBJECT_INSTANCE &&
	       hprof_cursor_field_named(cursor, NULL, name, ret) == HPROF_OK;
}

bool plain_number(struct hprof_cursor *cursor, uint64_t object,
		  const char *name, int64_t *ret_number)
{
	struct hprof_field field;

	if (!take_field(cursor, object, name, &field) ||
	    field.type == HPROF_TYPE_OBJECT)
		return false;
	*ret_number = hprof_value_int64(field.type, field.value);
	return true;
}

bool plain_object(struct hprof_cursor *cursor, uint64_t object,
		  const char *name, const struct hprof_heap *heap,
		  uint64_t *ret_object)
{
	struct hprof_field field;
	uint64_t found;

	if (!take_field(cursor, object, name, &field) ||
	    field.type != HPROF_TYPE_OBJECT || !field.value)
		return false;
	found = hprof_heap_find(heap, field.value);
	if (found == HPROF_NO_OBJECT)
		return false;
	*ret_object = found;
	return true;
}

char *plain_text(struct hprof_cursor *cursor, uint64_t object, const char *name,
		 const struct hprof_heap *heap, size_t most)
{
	struct hprof_object at;
	const char *text;

	if (!plain_object(cursor, object, name, heap, &object) ||
	    hprof_cursor_seek(cursor, object, &at) != HPROF_OK ||
	    at.kind != HPROF_OBJECT_INSTANCE ||
	    hprof_cursor_text(cursor, most, &text, NULL) != HPROF_OK)
		return NULL;
	return cli_strdup(text);
}
