/* SPDX-License-Identifier: MIT */
/*
 * node_key.c - the key of a map's entry, found from its node alone. Which map it
 * belongs to is not known then, so every form of maps with nodes is tried: one
 * fits if the node has its fields, and the value in that of values. Maps without
 * nodes have keys and values in arrays.
 */
#include <string.h>

#include "base/error.h"
#include "collections/collection.h"
#include "collections/field_path.h"
#include "heap/cursor.h"

/*
 * Whether FORM is that of a map whose entries are objects with fields. Not of a view: an
 * inverse one has the nodes of its map, with keys and values swapped.
 */
static bool has_nodes(const struct hp_form *form)
{
	switch (form->walk) {
	case HP_WALK_BUCKETS:
	case HP_WALK_SEGMENTS:
	case HP_WALK_CHAIN:
	case HP_WALK_AFTER:
	case HP_WALK_TREE:
		return form->kind == HPROF_COLLECTION_MAP && form->key &&
		       form->value && !form->no_waste;
	default:
		return false;
	}
}

/* Many maps have nodes with fields of the same names. */
static bool is_like(const struct hp_form *a, const struct hp_form *b)
{
	return a && !strcmp(a->key, b->key) && !strcmp(a->value, b->value);
}

/* HPROF_END: it does not fit. */
static enum hprof_status try_form(struct hprof_cursor *cursor, uint64_t node,
				  const struct hp_form *form, uint64_t value_id,
				  struct hprof_field *ret_key)
{
	struct hprof_field value;

	enum hprof_status status =
		hp_field_path_read(cursor, node, SIZE_MAX, form->value, &value);

	if (status != HPROF_OK)
		return status;
	if (value.type != HPROF_TYPE_OBJECT || value.value != value_id)
		return HPROF_END;
	return hp_field_path_read(cursor, node, SIZE_MAX, form->key, ret_key);
}

enum hprof_status hp_collection_key(struct hprof_cursor *cursor, uint64_t node,
				    uint64_t value_id, unsigned *ret_type,
				    uint64_t *ret_key)
{
	const struct hprof_heap *heap = cursor->heap;
	const struct hp_form *form, *last = NULL;
	struct hprof_object at;
	struct hprof_field key;

	HP_TRY(hprof_cursor_seek(cursor, node, &at));
	if (at.kind != HPROF_OBJECT_INSTANCE ||
	    !hprof_collection_is_part(heap, at.class_row))
		return HPROF_END;
	for (size_t i = 0; (form = hp_form_get(i)); i++) {
		enum hprof_status status;

		if (!has_nodes(form) || is_like(last, form))
			continue;
		last = form;
		status = try_form(cursor, node, last, value_id, &key);
		if (status < 0)
			return status;
		if (status != HPROF_OK)
			continue;
		*ret_type = key.type;
		*ret_key = key.value;
		return HPROF_OK;
	}
	return HPROF_END;
}

/* ---- maps without nodes -------------------------------------------------- */

static enum hprof_status element(struct hprof_cursor *cursor, uint64_t array,
				 uint64_t number, unsigned *ret_type,
				 uint64_t *ret_bits)
{
	struct hprof_object at;
	size_t n;

	if (array == HPROF_NO_OBJECT)
		return HPROF_END;
	HP_TRY(hprof_cursor_seek(cursor, array, &at));
	if (at.kind != HPROF_OBJECT_OBJ_ARRAY &&
	    at.kind != HPROF_OBJECT_PRIM_ARRAY)
		return HPROF_END;
	HP_TRY(hprof_cursor_elements(cursor, number, 1, ret_bits, &n));
	*ret_type =
		at.kind == HPROF_OBJECT_OBJ_ARRAY ? HPROF_TYPE_OBJECT : at.type;
	return n ? HPROF_OK : HPROF_END;
}

/* The array of MAP that the path NAME of its form leads to. */
static enum hprof_status array_of(struct hprof_cursor *cursor,
				  const struct hprof_collection *map,
				  const char *name, uint64_t *ret)
{
	struct hprof_field field;
	enum hprof_status status = hp_field_path_read(
		cursor, map->object, map->known_row, name, &field);

	if (status == HPROF_OK)
		*ret = field.type == HPROF_TYPE_OBJECT
			       ? hprof_heap_find(cursor->heap, field.value)
			       : HPROF_NO_OBJECT;
	return status;
}

enum hprof_status hp_collection_element_key(struct hprof_cursor *cursor,
					    uint64_t map, uint64_t array,
					    uint64_t number, unsigned *ret_type,
					    uint64_t *ret_key)
{
	struct hprof_collection c;
	const struct hp_form *form;
	enum hprof_status status;
	uint64_t keys, values;

	if (map == HPROF_NO_OBJECT)
		return HPROF_END;
	status = hp_collection_open_one(cursor, map, &c, &form);
	if (status != HPROF_OK || form->kind != HPROF_COLLECTION_MAP)
		return status < 0 ? status : HPROF_END;
	if (form->walk == HP_WALK_PAIRS)
		return c.storage == array && number % 2
			       ? element(cursor, array, number - 1, ret_type,
					 ret_key)
			       : HPROF_END;
	if (form->walk != HP_WALK_COLUMNS)
		return HPROF_END;
	status = array_of(cursor, &c, form->value, &values);
	if (status != HPROF_OK || values != array)
		return status < 0 ? status : HPROF_END;
	status = array_of(cursor, &c, form->key, &keys);
	return status == HPROF_OK
		       ? element(cursor, keys, number, ret_type, ret_key)
		       : status;
}
