/* SPDX-License-Identifier: MIT */
/* walk.c - see walk.h: entries and elements. */
#include "collections/walk.h"

#include "base/error.h"
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
