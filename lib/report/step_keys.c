/* SPDX-License-Identifier: MIT */
/* step_keys.c - see step_keys.h. */
#include "report/step_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "collections/collection.h"
#include "collections/field_path.h"
#include "heap/cursor.h"

enum {
	KEY_MOST = 40, /* characters of a key */
	SUPERS_MOST = 8
};

/* What people would call the key; false: it is no number. */
static bool number_text(const struct hprof_value *key, char *text, size_t size)
{
	switch (key->kind) {
	case HPROF_VALUE_BOOLEAN:
		snprintf(text, size, "%s", key->integer ? "true" : "false");
		return true;
	case HPROF_VALUE_INTEGER:
	case HPROF_VALUE_CHAR:
		snprintf(text, size, "%" PRId64, key->integer);
		return true;
	case HPROF_VALUE_REAL:
		snprintf(text, size, "%.9g", key->real);
		return true;
	default:
		return false;
	}
}

/* The row of java.lang.Enum if it is a superclass of ROW, else SIZE_MAX. */
static size_t enum_row(const struct hprof_heap *heap, size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	for (unsigned i = 0; i < SUPERS_MOST && row < summary->class_count;
	     i++) {
		const char *name = summary->class_rows[row].name;

		if (name && !strcmp(name, "java.lang.Enum"))
			return row;
		row = hprof_heap_class(heap, summary->class_rows[row].super_id);
	}
	return SIZE_MAX;
}

/* The name of an enum constant; HPROF_END: OBJECT is none. */
static enum hprof_status enum_name(const struct hp_look *look, uint64_t object,
				   struct hprof_value *ret)
{
	struct hprof_object at;
	struct hprof_field field;
	enum hprof_status status;
	size_t known;

	if (object == HPROF_NO_OBJECT)
		return HPROF_END;
	HP_TRY(hprof_cursor_seek(look->cursor, object, &at));
	known = at.kind == HPROF_OBJECT_INSTANCE
			? enum_row(look->heap, at.class_row)
			: SIZE_MAX;
	if (known == SIZE_MAX)
		return HPROF_END;
	status =
		hp_field_path_read(look->cursor, object, known, "name", &field);
	if (status != HPROF_OK)
		return status;
	HP_TRY(hprof_cursor_value(look->cursor, field.type, field.value,
				  KEY_MOST, ret));
	return ret->kind == HPROF_VALUE_STRING ? HPROF_OK : HPROF_END;
}

static enum hprof_status set_key(const struct hp_look *look,
				 struct hp_arena *arena, unsigned type,
				 uint64_t bits, struct hprof_path_step *to)
{
	char number[32];
	struct hprof_value key;
	const char *text = number;

	HP_TRY(hprof_cursor_value(look->cursor, type, bits, KEY_MOST, &key));
	if (key.kind == HPROF_VALUE_STRING) {
		text = key.text;
		to->key_is_string = true;
	} else if (key.kind == HPROF_VALUE_OBJECT) {
		enum hprof_status status = enum_name(look, key.object, &key);

		if (status != HPROF_OK)
			return status;
		text = key.text;
	} else if (!number_text(&key, number, sizeof number)) {
		return HPROF_END;
	}
	to->key = hp_arena_text(arena, text, strlen(text));
	return to->key ? HPROF_OK : HPROF_E_NOMEM;
}

/* What STATUS of the key means for its step: without a key, it is complete. */
static enum hprof_status finish(const struct hp_look *look,
				enum hprof_status status,
				struct hprof_error *error)
{
	if (status == HPROF_E_NOMEM)
		return hp_no_memory(error);
	return status < 0 ? hp_look_failure(look, error) : HPROF_OK;
}

enum hprof_status hp_step_key(const struct hp_look *look,
			      struct hp_arena *arena,
			      const struct hprof_edge *edge,
			      struct hprof_path_step *to,
			      struct hprof_error *error)
{
	enum hprof_status status;
	unsigned type;
	uint64_t bits;

	if (edge->kind != HPROF_EDGE_FIELD)
		return HPROF_OK;
	status = hp_collection_key(look->cursor, edge->from, edge->to_id, &type,
				   &bits);
	if (status == HPROF_OK)
		status = set_key(look, arena, type, bits, to);
	return finish(look, status, error);
}

enum hprof_status hp_step_element_key(const struct hp_look *look,
				      struct hp_arena *arena, uint64_t map,
				      uint64_t array,
				      struct hprof_path_step *to,
				      struct hprof_error *error)
{
	enum hprof_status status;
	unsigned type;
	uint64_t bits;

	if (to->edge != HPROF_EDGE_ELEMENT)
		return HPROF_OK;
	status = hp_collection_element_key(look->cursor, map, array, to->number,
					   &type, &bits);
	if (status == HPROF_OK)
		status = set_key(look, arena, type, bits, to);
	return finish(look, status, error);
}
