/* SPDX-License-Identifier: MIT */
/*
 * scan_objects.c - the pass over instances and arrays of references: who refers
 * to each object, and what collections say of themselves.
 *
 * Each reference costs three cache misses, the number of its target, whether that
 * is asked for, and the target's row, so references are collected and looked up
 * in batches.
 */
#include "base/prefetch.h"
#include "waste/scan.h"

/* ---- references ---------------------------------------------------------- */

/* ARRAY is that of two strings: the one that does not count is noted. */
static void note_sharer(struct hp_waste_scan *s, uint32_t array, uint64_t a,
			uint64_t b)
{
	struct hp_sharer sharer = {
		.array = array,
		.string = hp_referrer_from(a >> 1 > b >> 1 ? b : a),
	};

	hp_scan_note(s, HP_SCAN_SHARERS, &sharer);
}

/* A reference to TO, whose row is ROW. */
static void take_reference(struct hp_waste_scan *s, uint64_t referrer,
			   uint32_t to, uint64_t *row)
{
	uint64_t old;

	if (to == hp_referrer_from(referrer))
		return;
	old = hp_referrer_offer(row, referrer, s->alone);
	if (hp_referrer_rank(referrer) == HP_REFERRER_STRING &&
	    hp_referrer_rank(old) == HP_REFERRER_STRING)
		note_sharer(s, to, old, referrer);
}

/* Sets the number of what each reference leads to, or HP_NOBODY. */
static void find_numbers(const struct hp_waste_scan *s,
			 uint32_t to[static HP_SCAN_BATCH])
{
	for (unsigned i = 0; i < s->count; i++) {
		const struct hp_scan_reference *ref = &s->batch[i];
		uint64_t found =
			hp_heap_find_in(s->w->heap, ref->block, ref->id);

		to[i] = found == HPROF_NO_OBJECT ? HP_NOBODY : (uint32_t)found;
		if (ref->number)
			*ref->number = to[i];
		if (!ref->referrer)
			to[i] = HP_NOBODY;
		if (to[i] != HP_NOBODY)
			hp_prefetch(&s->w->asked[to[i] >> 6]);
	}
}

void hp_scan_flush(struct hp_waste_scan *s)
{
	uint32_t to[HP_SCAN_BATCH];
	uint64_t *rows[HP_SCAN_BATCH];

	find_numbers(s, to);
	for (unsigned i = 0; i < s->count; i++) {
		rows[i] = NULL;
		if (to[i] == HP_NOBODY || !hp_waste_is_asked(s->w, to[i]))
			continue;
		rows[i] = hp_waste_referrer_row(s->w, to[i]);
		hp_prefetch_write(rows[i]);
	}
	for (unsigned i = 0; i < s->count; i++)
		if (rows[i])
			take_reference(s, s->batch[i].referrer, to[i], rows[i]);
	s->count = 0;
}

/* NUMBER and REFERRER: see struct hp_scan_reference. */
static inline void look_up(struct hp_waste_scan *s, uint64_t id,
			   uint64_t referrer, uint32_t *number)
{
	s->batch[s->count++] = (struct hp_scan_reference){
		.id = id,
		.block = hp_heap_prefetch(s->w->heap, id),
		.referrer = referrer,
		.number = number,
	};
	if (s->count == HP_SCAN_BATCH)
		hp_scan_flush(s);
}

/* Notes ITEM, a number of which is asked for by ask_number: it stays until then. */
static void *note_asking(struct hp_waste_scan *s, enum hp_scan_list list,
			 const void *item)
{
	if (s->buffered[list] == HP_SCAN_BUFFER)
		hp_scan_flush(s);
	return hp_scan_note(s, list, item);
}

/* Has *NUMBER, which is in a note, set to the number of ID. */
static inline void ask_number(struct hp_waste_scan *s, uint64_t id,
			      uint32_t *number)
{
	if (id)
		look_up(s, id, 0, number);
}

/* ---- instances ----------------------------------------------------------- */

/* The value at PLACE; false: the instance ends before it. */
static bool get(const struct hp_waste_scan *s, struct hp_place place,
		const uint8_t *data, uint64_t size, uint64_t *ret)
{
	unsigned width;

	if (place.at == HP_NO_FIELD)
		return false;
	width = hprof_type_size(place.type, s->w->heap->id_size);
	if ((uint64_t)place.at + width > size)
		return false;
	*ret = hp_get_id(data + place.at, width);
	return true;
}

static uint32_t number_of(const struct hp_waste_scan *s, uint64_t id)
{
	uint64_t i = id ? hp_heap_find(s->w->heap, id) : HPROF_NO_OBJECT;

	return i == HPROF_NO_OBJECT ? HP_NOBODY : (uint32_t)i;
}

static void take_string(struct hp_waste_scan *s, const struct hp_waste_class *c,
			const uint8_t *data, uint64_t size)
{
	uint64_t coder, id;
	uint32_t array;

	if (!get(s, c->coder, data, size, &coder) || coder != 1 ||
	    !get(s, c->store, data, size, &id))
		return;
	array = number_of(s, id);
	if (array != HP_NOBODY)
		hp_scan_note(s, HP_SCAN_WIDE, &array);
}

/*
 * The size as the instance has it. That of a ring is computed when the length of
 * its array is known, and both ends are kept instead.
 */
static uint64_t take_size(const struct hp_waste_scan *s,
			  const struct hp_waste_class *c, const uint8_t *data,
			  uint64_t size)
{
	uint64_t bits, tail;

	if (get(s, c->cells, data, size, &bits) && bits)
		return HPROF_COLLECTION_UNKNOWN;
	if (get(s, c->size, data, size, &bits)) {
		int64_t said = hprof_value_int64(c->size.type, bits);

		return said < 0 ? HPROF_COLLECTION_UNKNOWN : (uint64_t)said;
	}
	if (!c->known.form->size && get(s, c->head, data, size, &bits) &&
	    get(s, c->tail, data, size, &tail))
		return (bits & INT32_MAX) << 32 | (tail & INT32_MAX);
	return HPROF_COLLECTION_UNKNOWN;
}

static void take_collection(struct hp_waste_scan *s,
			    const struct hp_waste_class *c, uint32_t i,
			    const uint8_t *data, uint64_t size)
{
	struct hp_seen seen = { .object = i, .store = HP_NOBODY }, *noted;
	uint64_t bits, store = 0;

	if (c->known.form->walk == HP_WALK_FIELDS)
		return;
	get(s, c->store, data, size, &store);
	seen.counts = get(s, c->changes, data, size, &bits);
	seen.changed = seen.counts && bits;
	seen.size = take_size(s, c, data, size);
	noted = note_asking(s, HP_SCAN_SEEN, &seen);
	ask_number(s, store, &noted->store);
}

/* The class with ID; that of unknown classes if there is none. */
static const struct hp_scan_class *class_of(struct hp_waste_scan *s,
					    uint64_t id)
{
	struct hp_scan_class *known =
		&s->classes[(id >> 3 ^ id >> 9) % HP_SCAN_CLASSES];

	if (!known->of || known->id != id) {
		const struct hp_heap_class *of = hp_heap_class(s->w->heap, id);
		size_t row = of ? of->row : s->w->class_count;

		*known = (struct hp_scan_class){
			.id = id,
			.of = &s->w->classes[row],
			.instances = &s->instances[row],
		};
	}
	return known;
}

/* Threads may do so at once. */
static inline void set_present(bool *present)
{
	if (!__atomic_load_n(present, __ATOMIC_RELAXED))
		__atomic_store_n(present, true, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void
take_fields(struct hp_waste_scan *s, const struct hp_waste_class *c, uint32_t i,
	    const uint8_t *data, uint64_t size, const unsigned z)
{
	for (uint32_t k = 0; k < c->of->ref_count; k++) {
		struct hp_waste_ref *ref = &c->refs[k];
		uint64_t id;

		if ((uint64_t)ref->at + z > size)
			return;
		id = hp_get_id(data + ref->at, z);
		if (!id)
			continue;
		set_present(&ref->present);
		if (!ref->back)
			look_up(s, id, hp_referrer_of(ref->referrer, i), NULL);
	}
}

void hp_scan_instance(struct hp_waste_scan *s, uint32_t i, uint64_t class_id,
		      const uint8_t *data, uint64_t size)
{
	const struct hp_scan_class *known = class_of(s, class_id);
	const struct hp_waste_class *c = known->of;

	if (!c->of)
		return;
	++*known->instances;
	if (s->w->heap->id_size == 8)
		take_fields(s, c, i, data, size, 8);
	else
		take_fields(s, c, i, data, size, s->w->heap->id_size);
	if (c->number_count)
		hp_waste_take_numbers(c, data, size);
	if (c->role == HP_ROLE_COLLECTION)
		take_collection(s, c, i, data, size);
	else if (c->role == HP_ROLE_STRING)
		take_string(s, c, data, size);
}

/* ---- arrays of references ------------------------------------------------ */

void hp_scan_elements(struct hp_waste_scan *s, struct hp_scan_row *row,
		      const uint8_t *data, uint64_t count)
{
	const unsigned z = s->w->heap->id_size;
	const uint64_t referrer =
		hp_referrer_make(HP_REFERRER_OTHER, row->array.object, 0);

	for (uint64_t k = 0; k < count; k++, data += z) {
		uint64_t id = hp_get_id(data, z);

		if (!id)
			continue;
		if (!row->array.present++)
			row->first = id;
		look_up(s, id, referrer, NULL);
	}
}

void hp_scan_row(struct hp_waste_scan *s, const struct hp_scan_row *row)
{
	struct hp_row_array *noted = note_asking(s, HP_SCAN_ROWS, &row->array);

	ask_number(s, row->first, &noted->first);
}

/* ---- statics ------------------------------------------------------------- */

/* A static counts only where no object of its rank refers to the same. */
static void take_static(struct hp_waste_scan *s, uint64_t referrer, uint64_t id)
{
	uint64_t to = hp_heap_find(s->w->heap, id), *row;

	if (to == HPROF_NO_OBJECT || to == hp_referrer_from(referrer) ||
	    !hp_waste_is_asked(s->w, to))
		return;
	row = hp_waste_referrer_row(s->w, (uint32_t)to);
	if (!*row || hp_referrer_rank(referrer) > hp_referrer_rank(*row))
		*row = *row ? hp_referrer_merge(*row, referrer) : referrer;
	else if (hp_referrer_from(*row) != hp_referrer_from(referrer))
		*row |= HP_REFERRER_SHARED;
}

void hp_scan_statics(struct hp_waste_scan *s)
{
	const struct hprof_heap *heap = s->w->heap;

	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		const struct hp_heap_class *of = &heap->classes[object->row];
		const struct hp_dumped_class *own = of->own;

		if (!own || !hp_waste_reachable(s->w, object->index))
			continue;
		for (uint32_t k = 0; k < own->static_count; k++)
			if (own->statics[k].type == HPROF_TYPE_OBJECT &&
			    own->statics[k].value)
				take_static(
					s,
					hp_referrer_make(
						hp_waste_rank(
							&s->w->classes[of->row],
							true),
						(uint32_t)object->index, k),
					own->statics[k].value);
	}
}
