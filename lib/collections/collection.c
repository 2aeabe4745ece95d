/* SPDX-License-Identifier: MIT */
/*
 * collection.c - hprof_collection_open: what a collection says of itself.
 */
#include "hprof/collection.h"

#include <string.h>

#include "base/error.h"
#include "collections/collection.h"
#include "collections/field_path.h"
#include "collections/recognise.h"
#include "collections/walk.h"
#include "heap/cursor.h"

enum { CELLS_MOST = 1 << 12, SEGMENTS_MOST = 1 << 16, CHUNK = 64 };

struct opening {
	struct hprof_cursor *cursor;
	const struct hp_form *form;
	struct hprof_collection *c;
};

/* HPROF_END of a part that is not there is no failure of the whole. */
static enum hprof_status unless_missing(enum hprof_status status)
{
	return status < 0 ? status : HPROF_OK;
}

/* Reads a number into *RET, which stays as it is if there is none. */
static enum hprof_status read_number(const struct opening *o, const char *path,
				     int64_t *ret)
{
	struct hprof_field field;
	enum hprof_status status = hp_field_path_read(
		o->cursor, o->c->object, o->c->known_row, path, &field);

	if (status == HPROF_OK && field.type != HPROF_TYPE_OBJECT)
		*ret = hprof_value_int64(field.type, field.value);
	return unless_missing(status);
}

static enum hprof_status read_reference(const struct opening *o,
					const char *path, uint64_t *ret)
{
	struct hprof_field field;
	enum hprof_status status = hp_field_path_read(
		o->cursor, o->c->object, o->c->known_row, path, &field);

	*ret = HPROF_NO_OBJECT;
	if (status == HPROF_OK && field.type == HPROF_TYPE_OBJECT)
		*ret = hprof_heap_find(o->cursor->heap, field.value);
	return unless_missing(status);
}

/*
 * Adds up field NAME of each object in the array OBJECT, at most MOST; and, if
 * ROOM is not NULL, the lengths of the arrays in TABLE.
 */
static enum hprof_status add_up(const struct opening *o, uint64_t object,
				uint64_t most, const char *name,
				const char *table, uint64_t *sum,
				uint64_t *room)
{
	uint64_t ids[CHUNK];
	struct hprof_object at;
	struct hprof_field field;
	size_t n = CHUNK;

	for (uint64_t i = 0; i < most && n == CHUNK; i += n) {
		HP_TRY(hprof_cursor_seek(o->cursor, object, &at));
		if (at.kind != HPROF_OBJECT_OBJ_ARRAY)
			return HPROF_OK;
		HP_TRY(hprof_cursor_elements(o->cursor, i, CHUNK, ids, &n));
		for (size_t k = 0; k < n; k++) {
			uint64_t one = hprof_heap_find(o->cursor->heap, ids[k]);
			enum hprof_status status;

			if (one == HPROF_NO_OBJECT)
				continue;
			status = hp_field_path_read(o->cursor, one, SIZE_MAX,
						    name, &field);
			HP_TRY(status);
			if (status == HPROF_OK)
				*sum += field.value;
			if (!room)
				continue;
			status = hp_field_path_read(o->cursor, one, SIZE_MAX,
						    table, &field);
			HP_TRY(status);
			one = status == HPROF_OK
				      ? hprof_heap_find(o->cursor->heap,
							field.value)
				      : HPROF_NO_OBJECT;
			if (one == HPROF_NO_OBJECT)
				continue;
			HP_TRY(hprof_cursor_seek(o->cursor, one, &at));
			*room += at.length;
		}
	}
	return HPROF_OK;
}

/* ---- sizes --------------------------------------------------------------- */

static enum hprof_status said_size(const struct opening *o)
{
	const struct hp_form *form = o->form;
	uint64_t cells = HPROF_NO_OBJECT, sum = 0;
	int64_t size = -1;

	HP_TRY(read_number(o, form->size, &size));
	if (form->cells) {
		/* The base of a striped counter alone may be negative. */
		HP_TRY(read_reference(o, form->cells, &cells));
		if (cells != HPROF_NO_OBJECT)
			HP_TRY(add_up(o, cells, CELLS_MOST, "value", NULL, &sum,
				      NULL));
		size = (int64_t)((uint64_t)size + sum);
		if (size < 0)
			size = 0;
	}
	/* A tree may have its size in the root, in Scala with a sign for the colour. */
	if (form->walk == HP_WALK_TREE && size < -1)
		size &= INT32_MAX;
	else if (form->walk == HP_WALK_TREE && size < 0 &&
		 o->c->storage == HPROF_NO_OBJECT)
		size = 0;
	if (size >= 0)
		o->c->size = (uint64_t)size;
	return HPROF_OK;
}

/* The size is the number of the end. */
static enum hprof_status without_start(const struct opening *o)
{
	int64_t start = -1;

	HP_TRY(read_number(o, o->form->key, &start));
	if (start >= 0 && (uint64_t)start <= o->c->size)
		o->c->size -= (uint64_t)start;
	return HPROF_OK;
}

static enum hprof_status ring_size(const struct opening *o, uint64_t length)
{
	int64_t head = -1, tail = -1;

	if (!length)
		return HPROF_OK;
	HP_TRY(read_number(o, o->form->key, &head));
	HP_TRY(read_number(o, o->form->value, &tail));
	if (head >= 0 && tail >= 0 && (uint64_t)head < length &&
	    (uint64_t)tail < length)
		o->c->size =
			((uint64_t)tail + length - (uint64_t)head) % length;
	return HPROF_OK;
}

static enum hprof_status count_fields(const struct opening *o)
{
	struct hprof_collection_entry entry;
	enum hprof_status status;
	uint64_t count = 0;
	bool used;

	for (unsigned i = 0;; i++) {
		status = hp_field_list_entry(o->cursor, o->c, o->form, i,
					     &entry, &used);
		if (status != HPROF_OK)
			break;
		count += used;
	}
	o->c->size = count;
	return unless_missing(status);
}

static enum hprof_status bits_sizes(const struct opening *o)
{
	struct hp_walk_state w = { .cursor = o->cursor,
				   .c = o->c,
				   .form = o->form };
	uint64_t length = o->c->capacity;

	if (!o->form->key)
		o->c->capacity =
			length < UINT64_MAX / 64 ? 64 * length : length;
	return unless_missing(hp_walk_count_bits(&w, &o->c->size));
}

static enum hprof_status segment_sizes(const struct opening *o)
{
	uint64_t size = 0, room = 0;

	HP_TRY(add_up(o, o->c->storage, SEGMENTS_MOST, "count.value",
		      o->form->table, &size, &room));
	o->c->size = size;
	o->c->capacity = room;
	return HPROF_OK;
}

static enum hprof_status array_sizes(const struct opening *o)
{
	struct hprof_object at;
	uint64_t length = 0;

	if (o->c->storage != HPROF_NO_OBJECT) {
		HP_TRY(hprof_cursor_seek(o->cursor, o->c->storage, &at));
		if (at.kind != HPROF_OBJECT_OBJ_ARRAY &&
		    at.kind != HPROF_OBJECT_PRIM_ARRAY)
			return HPROF_END;
		length = at.length;
	}
	if (o->form->walk == HP_WALK_PAIRS)
		length /= 2;
	o->c->capacity = length;
	if (o->form->size)
		return HPROF_OK;
	if (o->form->walk == HP_WALK_BITS)
		return bits_sizes(o);
	if (o->form->walk == HP_WALK_RING)
		return ring_size(o, length);
	o->c->size = length;
	return HPROF_OK;
}

/* ---- one collection ------------------------------------------------------ */

static enum hprof_status read_sizes(const struct opening *o)
{
	const struct hp_form *form = o->form;
	int64_t changes = -1;

	o->c->size = o->c->capacity = o->c->changes = HPROF_COLLECTION_UNKNOWN;
	HP_TRY(read_number(o, "modCount", &changes));
	if (changes >= 0)
		o->c->changes = (uint64_t)changes;
	o->c->storage = o->c->object;
	if (!form->store)
		o->c->storage = HPROF_NO_OBJECT;
	else if (*form->store)
		HP_TRY(read_reference(o, form->store, &o->c->storage));
	if (form->size)
		HP_TRY(said_size(o));
	if (form->walk == HP_WALK_DISPLAY)
		return without_start(o);
	if (form->walk == HP_WALK_FIELDS)
		return count_fields(o);
	if (form->walk == HP_WALK_SEGMENTS)
		return segment_sizes(o);
	if (form->shape == HPROF_COLLECTION_ARRAY ||
	    form->shape == HPROF_COLLECTION_HASH)
		return array_sizes(o);
	return HPROF_OK;
}

enum hprof_status hp_collection_open_one(struct hprof_cursor *cursor,
					 uint64_t object,
					 struct hprof_collection *ret,
					 const struct hp_form **ret_form)
{
	struct hprof_collection c = { .object = object };
	struct opening o = { .cursor = cursor, .c = &c };
	struct hp_recognised known;
	struct hprof_object at;
	enum hprof_status status;

	HP_TRY(hprof_cursor_seek(cursor, object, &at));
	if (at.kind != HPROF_OBJECT_INSTANCE ||
	    !hp_recognise(cursor->heap, at.class_row, &known))
		return HPROF_END;
	o.form = known.form;
	c.class_row = at.class_row;
	c.known_row = known.known_row;
	c.kind = (enum hprof_collection_kind)known.form->kind;
	c.shape = (enum hprof_collection_shape)known.form->shape;
	status = read_sizes(&o);
	if (status != HPROF_OK)
		return status;
	*ret = c;
	*ret_form = known.form;
	return HPROF_OK;
}

enum hprof_status hprof_collection_open(struct hprof_cursor *cursor,
					uint64_t object,
					struct hprof_collection *ret_collection)
{
	struct hprof_collection c, inner;
	const struct hp_form *form;
	enum hprof_status status;

	HP_NEED(NULL, cursor);
	HP_NEED(&cursor->error, ret_collection);
	status = hp_collection_open_one(cursor, object, &c, &form);
	if (status != HPROF_OK)
		return status;
	inner = c;
	for (unsigned i = 0;
	     inner.shape == HPROF_COLLECTION_WRAPPER &&
	     inner.storage != HPROF_NO_OBJECT && i < HP_WRAPPERS_MOST;
	     i++) {
		status = hp_collection_open_one(cursor, inner.storage, &inner,
						&form);
		HP_TRY(status);
		if (status != HPROF_OK)
			break;
		c.size = inner.size;
		c.capacity = inner.capacity;
		c.changes = inner.changes;
	}
	*ret_collection = c;
	return HPROF_OK;
}
