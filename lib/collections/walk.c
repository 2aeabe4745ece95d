/* SPDX-License-Identifier: MIT */
/* walk.c - see walk.h: entries, elements and fields. */
#include "collections/walk.h"

#include "base/error.h"
#include "collections/field_path.h"
#include "heap/cursor.h"

bool hp_walk_emit(struct hp_walk_state *w, struct hprof_collection_entry entry)
{
	/* Of most elements that are no references 0 means an empty slot. */
	if (w->aspect == HP_ONLY_KEYS && entry.key_type) {
		entry.value = entry.key;
		entry.value_type = entry.key_type;
	}
	if (w->aspect != HP_WHOLE_ENTRY) {
		entry.key = 0;
		entry.key_type = 0;
	}
	if (w->most && w->result.entries >= w->most) {
		w->stopped = true;
		return false;
	}
	entry.number = w->result.entries++;
	w->stopped = !w->fn(w->user, &entry);
	return !w->stopped;
}

enum hprof_status hp_walk_elements(struct hp_walk_state *w, uint64_t array,
				   uint64_t first, size_t count,
				   uint64_t *ret_values, size_t *ret_count,
				   unsigned *ret_type)
{
	struct hprof_object at;

	*ret_count = 0;
	if (array == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(hprof_cursor_seek(w->cursor, array, &at));
	if (at.kind != HPROF_OBJECT_OBJ_ARRAY &&
	    at.kind != HPROF_OBJECT_PRIM_ARRAY)
		return HPROF_OK;
	if (ret_type)
		*ret_type = at.kind == HPROF_OBJECT_OBJ_ARRAY
				    ? HPROF_TYPE_OBJECT
				    : at.type;
	return hprof_cursor_elements(w->cursor, first, count, ret_values,
				     ret_count);
}

uint64_t hp_walk_follow(const struct hp_walk_state *w, uint64_t id)
{
	return id ? hprof_heap_find(w->cursor->heap, id) : HPROF_NO_OBJECT;
}

/* A field that is not there stays 0, of type TYPE. */
static enum hprof_status read_field(const struct hp_walk_state *w,
				    uint64_t object, const char *path,
				    unsigned *type, uint64_t *bits)
{
	size_t known = object == w->c->object ? w->c->known_row : SIZE_MAX;
	struct hprof_field field;
	enum hprof_status status =
		hp_field_path_read(w->cursor, object, known, path, &field);

	if (status == HPROF_OK) {
		*type = field.type;
		*bits = field.value;
	}
	return status < 0 ? status : HPROF_OK;
}

enum hprof_status hp_walk_reference(const struct hp_walk_state *w,
				    uint64_t object, const char *path,
				    uint64_t *ret)
{
	unsigned type = 0;
	uint64_t id = 0;

	*ret = HPROF_NO_OBJECT;
	if (!path)
		return HPROF_OK;
	HP_TRY(read_field(w, object, path, &type, &id));
	if (type == HPROF_TYPE_OBJECT)
		*ret = hp_walk_follow(w, id);
	return HPROF_OK;
}

enum hprof_status hp_walk_pair(const struct hp_walk_state *w, uint64_t object,
			       const char *key, const char *value,
			       struct hprof_collection_entry *ret)
{
	*ret = (struct hprof_collection_entry){
		.node = object,
		.key_type = HPROF_TYPE_OBJECT,
		.value_type = HPROF_TYPE_OBJECT,
	};
	if (key)
		HP_TRY(read_field(w, object, key, &ret->key_type, &ret->key));
	else
		ret->key_type = 0;
	return read_field(w, object, value, &ret->value_type, &ret->value);
}
