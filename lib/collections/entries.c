/* SPDX-License-Identifier: MIT */
/*
 * entries.c - hprof_collection_each: entries in arrays, and those of nodes,
 * fields and inner collections.
 */
#include <string.h>

#include "base/error.h"
#include "collections/collection.h"
#include "collections/field_path.h"
#include "collections/recognise.h"
#include "collections/walk.h"
#include "heap/cursor.h"

enum { CHUNK = 256 };

/* An array whose elements are entries, some of which are left out. */
struct columns {
	uint64_t keys, values; /* arrays; HPROF_NO_OBJECT: none */
	uint64_t start, count; /* the entries, from element START on, in a ring
				  of LENGTH elements */
	uint64_t length;
	bool nulls; /* null values are entries, too */
	bool keyed; /* a key, or an element, of 0 is none: form->zero */
};

/* ---- arrays -------------------------------------------------------------- */

static void emit_columns(struct hp_walk_state *w, const struct columns *a,
			 const uint64_t *keys, const uint64_t *values,
			 const unsigned types[2], size_t n)
{
	for (size_t k = 0; k < n && !w->stopped; k++) {
		if (!a->nulls && !values[k] && (!keys || !keys[k]))
			continue;
		/* Values of entries that were removed may still be there. */
		if (a->keyed && keys && !keys[k])
			continue;
		/* The keys of an EnumMap exist without its values. */
		if (w->form->value && !values[k] &&
		    strcmp(w->form->store, w->form->value) == 0)
			continue;
		hp_walk_emit(w, (struct hprof_collection_entry){
					.node = a->values,
					.key_type = keys ? types[0] : 0,
					.key = keys ? keys[k] : 0,
					.value_type = types[1],
					.value = values[k] });
	}
}

static enum hprof_status walk_columns(struct hp_walk_state *w,
				      const struct columns *a)
{
	uint64_t keys[CHUNK], values[CHUNK];
	bool both = a->keys != HPROF_NO_OBJECT;
	unsigned types[2] = { 0, 0 };
	size_t n, m;

	for (uint64_t i = 0; i < a->count && !w->stopped; i += n) {
		uint64_t at = (a->start + i) % a->length;
		uint64_t room = a->length - at;
		size_t want =
			a->count - i < CHUNK ? (size_t)(a->count - i) : CHUNK;

		if (want > room)
			want = (size_t)room;
		HP_TRY(hp_walk_elements(w, a->values, at, want, values, &n,
					&types[1]));
		m = n;
		if (both)
			HP_TRY(hp_walk_elements(w, a->keys, at, n, keys, &m,
						&types[0]));
		if (m < n)
			n = m;
		emit_columns(w, a, both ? keys : NULL, values, types, n);
		if (n < want) { /* the data ends early */
			w->result.odd = true;
			break;
		}
	}
	return HPROF_OK;
}

/* HPROF_END: OBJECT is no array. */
static enum hprof_status length_of(const struct hp_walk_state *w,
				   uint64_t object, uint64_t *ret)
{
	struct hprof_object at;

	if (object == HPROF_NO_OBJECT)
		return HPROF_END;
	HP_TRY(hprof_cursor_seek(w->cursor, object, &at));
	if (at.kind != HPROF_OBJECT_OBJ_ARRAY &&
	    at.kind != HPROF_OBJECT_PRIM_ARRAY)
		return HPROF_END;
	*ret = at.length;
	return at.length ? HPROF_OK : HPROF_END;
}

static enum hprof_status ring_start(const struct hp_walk_state *w,
				    struct columns *a)
{
	struct hprof_field field;
	enum hprof_status status = hp_field_path_read(
		w->cursor, w->c->object, w->c->known_row, w->form->key, &field);

	if (status == HPROF_OK && field.value < a->length)
		a->start = field.value;
	return status < 0 ? status : HPROF_OK;
}

/* The last slot is that of the key 0, which is there if a field says so. */
static enum hprof_status walk_keyed(struct hp_walk_state *w, struct columns *a)
{
	struct hprof_field field = { .value = 0 };
	enum hprof_status status =
		hp_field_path_read(w->cursor, w->c->object, w->c->known_row,
				   w->form->zero, &field);

	if (status < 0)
		return status;
	a->keyed = true;
	a->count = a->length - 1;
	HP_TRY(walk_columns(w, a));
	if (w->stopped || status != HPROF_OK || !field.value)
		return HPROF_OK;
	a->start = a->length - 1;
	a->count = 1;
	a->nulls = true;
	a->keyed = false;
	return walk_columns(w, a);
}

static enum hprof_status walk_array(struct hp_walk_state *w)
{
	struct columns a = { .keys = HPROF_NO_OBJECT, .values = w->c->storage };
	enum hprof_status status = length_of(w, a.values, &a.length);

	if (status != HPROF_OK)
		return status < 0 ? status : HPROF_OK;
	a.count = a.length;
	a.nulls = w->form->walk != HP_WALK_SLOTS;
	if (a.nulls && w->c->size < a.count)
		a.count = w->c->size;
	if (w->form->walk == HP_WALK_RING)
		HP_TRY(ring_start(w, &a));
	return w->form->zero ? walk_keyed(w, &a) : walk_columns(w, &a);
}

static enum hprof_status wraps_unknown(const struct hp_walk_state *w)
{
	return hp_fail(&w->cursor->error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
		       "what it wraps is no known collection");
}

static enum hprof_status emit_single(struct hp_walk_state *w)
{
	struct hprof_field key, value;
	enum hprof_status status = hp_field_path_read(
		w->cursor, w->c->object, w->c->known_row, w->form->key, &key);

	if (status == HPROF_OK)
		status = hp_field_path_read(w->cursor, w->c->object,
					    w->c->known_row, w->form->value,
					    &value);
	if (status == HPROF_OK)
		hp_walk_emit(w, (struct hprof_collection_entry){
					.node = w->c->object,
					.key_type = key.type,
					.key = key.value,
					.value_type = value.type,
					.value = value.value,
				});
	return status < 0 ? status : HPROF_OK;
}

/* The columns of a wrapper; there may be one key in place of theirs. */
static enum hprof_status walk_wrapped(struct hp_walk_state *w,
				      struct columns *a)
{
	struct hprof_object keys;

	if (a->keys == HPROF_NO_OBJECT || a->values == HPROF_NO_OBJECT)
		return wraps_unknown(w);
	HP_TRY(hprof_cursor_seek(w->cursor, a->keys, &keys));
	if (keys.kind != HPROF_OBJECT_OBJ_ARRAY)
		return emit_single(w);
	a->count = a->length;
	return walk_columns(w, a);
}

static enum hprof_status walk_parallel(struct hp_walk_state *w)
{
	struct columns a = { .start = 0 };
	enum hprof_status status;

	HP_TRY(hp_walk_reference(w, w->c->object, w->form->key, &a.keys));
	HP_TRY(hp_walk_reference(w, w->c->object, w->form->value, &a.values));
	/* The map inside of a set may have no values. */
	if (a.values == HPROF_NO_OBJECT && w->aspect == HP_ONLY_KEYS) {
		a.values = a.keys;
		a.keys = HPROF_NO_OBJECT;
	}
	status = length_of(w, a.values, &a.length);
	if (status >= 0 && w->form->shape == HPROF_COLLECTION_WRAPPER)
		return walk_wrapped(w, &a);
	if (status != HPROF_OK)
		return status < 0 ? status : HPROF_OK;
	a.count = a.length;
	if (w->form->shape == HPROF_COLLECTION_ARRAY) {
		a.nulls = true;
		if (w->c->size < a.count)
			a.count = w->c->size;
	}
	return w->form->zero ? walk_keyed(w, &a) : walk_columns(w, &a);
}

static enum hprof_status walk_pairs(struct hp_walk_state *w)
{
	uint64_t values[CHUNK];
	size_t n = CHUNK;

	for (uint64_t i = 0; n == CHUNK && !w->stopped; i += n) {
		unsigned type = 0;

		HP_TRY(hp_walk_elements(w, w->c->storage, i, CHUNK, values, &n,
					&type));
		for (size_t k = 0; k + 1 < n && !w->stopped; k += 2)
			if (values[k])
				hp_walk_emit(w, (struct hprof_collection_entry){
							.node = w->c->storage,
							.key_type = type,
							.key = values[k],
							.value_type = type,
							.value = values[k + 1],
						});
	}
	return HPROF_OK;
}

/* ---- others -------------------------------------------------------------- */

static enum hprof_status walk_fields(struct hp_walk_state *w)
{
	struct hprof_collection_entry entry;
	enum hprof_status status;
	bool used;

	for (unsigned i = 0; !w->stopped; i++) {
		status = hp_field_list_entry(w->cursor, w->c, w->form, i,
					     &entry, &used);
		if (status != HPROF_OK)
			return status < 0 ? status : HPROF_OK;
		if (used)
			hp_walk_emit(w, entry);
	}
	return HPROF_OK;
}

static enum hprof_status walk_segment(struct hp_walk_state *w, uint64_t segment)
{
	struct hprof_field field;
	enum hprof_status status;
	uint64_t table;

	status = hp_field_path_read(w->cursor, segment, SIZE_MAX,
				    w->form->table, &field);
	if (status != HPROF_OK || field.type != HPROF_TYPE_OBJECT)
		return status < 0 ? status : HPROF_OK;
	table = hprof_heap_find(w->cursor->heap, field.value);
	return table == HPROF_NO_OBJECT ? HPROF_OK : hp_walk_buckets(w, table);
}

static enum hprof_status walk_segments(struct hp_walk_state *w)
{
	uint64_t ids[CHUNK];
	size_t n = CHUNK;

	for (uint64_t i = 0; n == CHUNK && !w->stopped; i += n) {
		HP_TRY(hp_walk_elements(w, w->c->storage, i, CHUNK, ids, &n,
					NULL));
		for (size_t k = 0; k < n && !w->stopped; k++) {
			uint64_t segment =
				hprof_heap_find(w->cursor->heap, ids[k]);

			if (segment != HPROF_NO_OBJECT)
				HP_TRY(walk_segment(w, segment));
		}
	}
	return HPROF_OK;
}

static enum hprof_status walk_nodes(struct hp_walk_state *w)
{
	uint64_t first = w->c->storage;

	if (w->form->first)
		HP_TRY(hp_walk_reference(w, w->c->object, w->form->first,
					 &first));
	if (first == HPROF_NO_OBJECT)
		return HPROF_OK;
	switch (w->form->walk) {
	case HP_WALK_BUCKETS:
		return hp_walk_buckets(w, first);
	case HP_WALK_TREE:
		return hp_walk_tree(w, first);
	case HP_WALK_TRIE:
		return hp_walk_trie(w, first);
	default:
		return hp_walk_chain(w, first);
	}
}

static enum hprof_status walk(struct hp_walk_state *w)
{
	switch (w->form->walk) {
	case HP_WALK_ARRAY:
	case HP_WALK_RING:
	case HP_WALK_SLOTS:
		return walk_array(w);
	case HP_WALK_PAIRS:
		return walk_pairs(w);
	case HP_WALK_BITS:
		return hp_walk_bits(w);
	case HP_WALK_COLUMNS:
		return walk_parallel(w);
	case HP_WALK_FIELDS:
		return walk_fields(w);
	case HP_WALK_SEGMENTS:
		return walk_segments(w);
	case HP_WALK_BUCKETS:
	case HP_WALK_CHAIN:
	case HP_WALK_AFTER:
	case HP_WALK_TREE:
	case HP_WALK_TRIE:
		return walk_nodes(w);
	case HP_WALK_VECTOR:
		return hp_walk_scala_vector(w, w->c->object, false);
	case HP_WALK_DISPLAY:
		return hp_walk_old_scala_vector(w);
	case HP_WALK_TAIL:
		return hp_walk_clojure_vector(w);
	default:
		return hp_fail(&w->cursor->error, HPROF_E_UNSUPPORTED,
			       HP_NO_OFFSET,
			       "the entries of a %s cannot be found",
			       w->form->class_name);
	}
}

/* ---- wrappers ------------------------------------------------------------ */

/* Some know more of the entries than the collection that has them. */
static bool is_wrapper(const struct hp_form *form)
{
	return form->walk == HP_WALK_INNER || form->walk == HP_WALK_KEYS ||
	       form->walk == HP_WALK_VALUES;
}

/* The innermost collection in *C, and what of its entries the outer one has. */
static enum hprof_status unwrap(struct hp_walk_state *w,
				struct hprof_collection *c)
{
	enum hprof_status status =
		hp_collection_open_one(w->cursor, c->object, c, &w->form);

	for (unsigned i = 0;
	     status == HPROF_OK && is_wrapper(w->form) && i < HP_WRAPPERS_MOST;
	     i++) {
		if (w->aspect == HP_WHOLE_ENTRY &&
		    w->form->walk == HP_WALK_KEYS)
			w->aspect = HP_ONLY_KEYS;
		if (w->aspect == HP_WHOLE_ENTRY &&
		    w->form->walk == HP_WALK_VALUES)
			w->aspect = HP_ONLY_VALUES;
		status = c->storage == HPROF_NO_OBJECT
				 ? HPROF_END
				 : hp_collection_open_one(w->cursor, c->storage,
							  c, &w->form);
		if (status == HPROF_END)
			return wraps_unknown(w);
	}
	if (status == HPROF_OK && is_wrapper(w->form))
		return hp_fail(&w->cursor->error, HPROF_E_UNSUPPORTED,
			       HP_NO_OFFSET, "there are too many wrappers");
	return status;
}

enum hprof_status hprof_collection_each(struct hprof_cursor *cursor,
					uint64_t object, uint64_t most,
					hprof_collection_fn *fn, void *user,
					struct hprof_collection_walk *ret_walk)
{
	struct hprof_collection c = { .object = object };
	struct hp_walk_state w = {
		.cursor = cursor, .fn = fn, .user = user, .most = most
	};
	enum hprof_status status;

	HP_NEED(NULL, cursor);
	HP_NEED(&cursor->error, fn);
	status = unwrap(&w, &c);
	if (status != HPROF_OK)
		return status;
	w.c = &c;
	w.nodes = hprof_heap_count(cursor->heap);
	w.slots = cursor->heap->summary->data;
	HP_TRY(walk(&w));
	w.result.complete = !w.stopped && !w.result.odd;
	if (!w.stopped && c.size != HPROF_COLLECTION_UNKNOWN &&
	    w.result.entries != c.size)
		w.result.odd = true;
	if (ret_walk)
		*ret_walk = w.result;
	return HPROF_OK;
}
