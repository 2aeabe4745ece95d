/* SPDX-License-Identifier: MIT */
/*
 * collections.c - collections that are empty, small or sparse.
 *
 * A set that has its elements in a map of its own, and a map with its table,
 * are judged as one. What several collections share belongs to none of them.
 */
#include "base/error.h"
#include "base/mem.h"
#include "waste/waste.h"

enum {
	SMALL_MOST = 4,	 /* elements */
	SMALL_ROOM = 16, /* of a collection that is small rather than sparse */
	WRAPPERS = 4
};

struct judged {
	const struct hp_seen *seen; /* what has the elements */
	const struct hp_form *form;
	uint32_t object;     /* the outermost */
	bool pairs;	     /* which has keys and values */
	uint64_t own;	     /* bytes of the collection and its wrappers */
	uint64_t store;	     /* of its array; 0: none, or not its own */
	uint64_t size, room; /* HPROF_COLLECTION_UNKNOWN */
	uint64_t node;	     /* of a node; 0: there are none */
	bool prims;
	unsigned type; /* of the elements of a primitive array */
};

static const struct hp_form *form_of(const struct hp_waste *w,
				     const struct hp_seen *seen)
{
	bool is_class;

	return w->classes[hp_waste_row(w, seen->object, &is_class)].known.form;
}

/* Nobody else refers to it, as to the empty array of all lists. */
static bool is_own(const struct hp_waste *w, uint32_t owner, uint32_t part)
{
	return part != HP_NOBODY && hp_waste_referrer(w, part) == owner &&
	       !hp_referrers_is_shared(&w->referrers, part) &&
	       !hp_bit(w->claimed, part);
}

/* A wrapper that is no view of a collection which somebody else has. */
static bool is_owner(const struct hp_waste *w, const struct hp_seen *seen)
{
	return form_of(w, seen)->shape == HPROF_COLLECTION_WRAPPER &&
	       form_of(w, seen)->kind == HPROF_COLLECTION_SET &&
	       is_own(w, seen->object, seen->store) &&
	       hp_waste_find_seen(w, seen->store);
}

/* ---- what a collection has ----------------------------------------------- */

/* What only the cursor can find out: sizes in other objects. */
static enum hprof_status ask_size(struct hp_waste *w, struct judged *j)
{
	struct hprof_collection c;
	enum hprof_status status =
		hprof_collection_open(w->cursor, j->seen->object, &c);

	if (status < 0)
		return hp_fail(w->error, status, HP_NO_OFFSET, "%s",
			       hprof_cursor_error(w->cursor)->text);
	if (status == HPROF_OK) {
		j->size = c.size;
		j->room = c.capacity;
	}
	return HPROF_OK;
}

static void take_row(const struct hp_waste *w, struct judged *j)
{
	const struct hp_row_array *row = hp_waste_find_row(w, j->seen->store);

	if (!row)
		return;
	j->room = row->length;
	if (j->form->walk == HP_WALK_PAIRS)
		j->room /= 2;
	if (j->form->walk == HP_WALK_BUCKETS && row->first != HP_NOBODY)
		j->node = hp_waste_shallow(w, row->first);
}

static enum hprof_status take_room(struct hp_waste *w, struct judged *j)
{
	uint32_t store = j->seen->store;

	j->room = HPROF_COLLECTION_UNKNOWN;
	if (j->form->shape == HPROF_COLLECTION_LINKED ||
	    j->form->shape == HPROF_COLLECTION_TREE) {
		j->node = store != HP_NOBODY && store != j->seen->object
				  ? hp_waste_shallow(w, store)
				  : 0;
	} else if (store == HP_NOBODY) {
		j->room = 0;
	} else {
		take_row(w, j);
		if (is_own(w, j->seen->object, store))
			j->store = hp_waste_shallow(w, store);
	}
	return HPROF_OK;
}

static enum hprof_status take_ring_size(struct hp_waste *w, struct judged *j)
{
	const uint32_t ends = j->seen->size;
	const uint32_t head = ends >> HP_SEEN_END_BITS;
	const uint32_t tail = ends & ((1 << HP_SEEN_END_BITS) - 1);

	if (!j->room)
		j->size = 0;
	else if (ends == HP_SEEN_UNKNOWN || j->room == HPROF_COLLECTION_UNKNOWN)
		return ask_size(w, j);
	else if (head < j->room && tail < j->room)
		j->size = (tail + j->room - head) % j->room;
	return HPROF_OK;
}

static enum hprof_status take_size(struct hp_waste *w, struct judged *j)
{
	const uint32_t size = j->seen->size;

	j->size = HPROF_COLLECTION_UNKNOWN;
	if (j->form->walk == HP_WALK_RING && !j->form->size)
		return take_ring_size(w, j);
	if (size != HP_SEEN_UNKNOWN) {
		j->size = size;
		return HPROF_OK;
	}
	if (!j->form->size && j->form->shape == HPROF_COLLECTION_ARRAY) {
		j->size = j->room;
		return HPROF_OK;
	}
	return ask_size(w, j);
}

/* False: SEEN is part of another collection, or no judgement is possible. */
static bool begin(const struct hp_waste *w, const struct hp_seen *seen,
		  const uint64_t *inner, struct judged *j)
{
	if (hp_bit(inner, seen->object) || hp_bit(w->claimed, seen->object))
		return false;
	*j = (struct judged){ .seen = seen, .object = seen->object };
	j->pairs = form_of(w, seen)->kind == HPROF_COLLECTION_MAP;
	for (unsigned i = 0; i < WRAPPERS && is_owner(w, j->seen); i++) {
		j->own += hp_waste_shallow(w, j->seen->object);
		j->seen = hp_waste_find_seen(w, j->seen->store);
	}
	j->form = form_of(w, j->seen);
	j->own += hp_waste_shallow(w, j->seen->object);
	return j->form->shape != HPROF_COLLECTION_WRAPPER;
}

/* ---- judgement ----------------------------------------------------------- */

static uint64_t array_of(const struct hp_waste *w, const struct judged *j,
			 uint64_t slots)
{
	return hp_heap_array_size(w->heap, false, HPROF_TYPE_OBJECT,
				  j->form->walk == HP_WALK_PAIRS ? 2 * slots
								 : slots);
}

/* The slots that are enough for SIZE elements. */
static uint64_t enough(const struct judged *j)
{
	uint64_t slots = 2;

	if (j->form->shape != HPROF_COLLECTION_HASH)
		return j->size;
	while (slots / 4 * 3 < j->size && slots < j->room)
		slots *= 2;
	return slots;
}

static enum hprof_status note(struct hp_waste *w, const struct judged *j,
			      enum hprof_waste_kind kind, uint64_t saved)
{
	uint64_t bytes = j->own + j->store;

	if (j->node && j->size <= SMALL_MOST)
		bytes += j->node * j->size;
	hp_bit_set(w->claimed, j->object);
	hp_bit_set(w->claimed, j->seen->object);
	if (j->store)
		hp_bit_set(w->claimed, j->seen->store);
	return hp_waste_note(w, kind, j->object, bytes, saved);
}

static enum hprof_status judge_small(struct hp_waste *w, const struct judged *j)
{
	uint64_t slots = j->pairs ? 2 * j->size : j->size;
	uint64_t need =
		hp_heap_array_size(w->heap, false, HPROF_TYPE_OBJECT, slots);
	uint64_t bytes = j->own + j->store + j->node * j->size;

	if (bytes <= need)
		return HPROF_OK;
	return note(w, j,
		    j->size == 1 ? HPROF_WASTE_SINGLE_COLLECTIONS
				 : HPROF_WASTE_SMALL_COLLECTIONS,
		    bytes - need);
}

static enum hprof_status judge_sparse(struct hp_waste *w,
				      const struct judged *j)
{
	uint64_t slots = enough(j), need = array_of(w, j, slots);

	if (j->room == HPROF_COLLECTION_UNKNOWN || slots > j->room / 2 ||
	    j->store <= need)
		return HPROF_OK;
	return note(w, j, HPROF_WASTE_SPARSE_COLLECTIONS, j->store - need);
}

/* What an array that is there tells, only those who wrote the class know. */
static enum hprof_waste_kind kind_of_empty(const struct judged *j)
{
	if (j->seen->counts)
		return j->seen->changed ? HPROF_WASTE_EMPTIED_COLLECTIONS
					: HPROF_WASTE_UNUSED_COLLECTIONS;
	return j->room ? HPROF_WASTE_EMPTY_COLLECTIONS
		       : HPROF_WASTE_UNUSED_COLLECTIONS;
}

static enum hprof_status judge(struct hp_waste *w, const struct judged *j)
{
	bool roomy =
		j->room != HPROF_COLLECTION_UNKNOWN && j->room > SMALL_ROOM;

	if (j->size == HPROF_COLLECTION_UNKNOWN)
		return HPROF_OK;
	if (j->size == 0)
		return note(w, j, kind_of_empty(j), j->own + j->store);
	if (j->size <= SMALL_MOST && !roomy)
		return judge_small(w, j);
	return judge_sparse(w, j);
}

/* ---- all collections ----------------------------------------------------- */

static void mark(struct hp_waste *w, uint64_t *inner)
{
	for (size_t i = 0; i < w->seen.count; i++) {
		const struct hp_seen *seen = &w->seen.items[i];

		if (seen->store == HP_NOBODY)
			continue;
		if (is_owner(w, seen))
			hp_bit_set(inner, seen->store);
		hp_bit_set(w->stores, seen->store);
	}
}

enum hprof_status hp_waste_collections(struct hp_waste *w)
{
	enum hprof_status status = HPROF_OK;
	struct hp_mapped_table table;
	uint64_t *inner;
	struct judged j;

	HP_TRY(hp_mapped_table_make(&w->tables, &table,
				    hp_bit_words(w->heap->count), sizeof *inner,
				    HP_MAPPED_TABLE_CLEAR, w->error));
	inner = table.at;
	mark(w, inner);
	for (size_t i = 0; status >= 0 && i < w->seen.count; i++) {
		if (!begin(w, &w->seen.items[i], inner, &j))
			continue;
		status = take_room(w, &j);
		if (status >= 0)
			status = take_size(w, &j);
		if (status >= 0)
			status = judge(w, &j);
	}
	hp_mapped_table_free(&w->tables, &table);
	return status;
}
