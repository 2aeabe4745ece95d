/* SPDX-License-Identifier: MIT */
/*
 * scan_objects.c - the pass over instances and arrays of references: who refers
 * to each object, and what collections say of themselves.
 *
 * Each reference costs two cache misses, the number of its target and the
 * target's row, so references are collected and looked up in batches.
 */
#include "waste/scan.h"

static void add_number(struct hp_waste_scan *s, struct hp_number_list *list,
		       uint32_t number)
{
	hp_scan_went_well(s, hp_waste_add_number(s->w, list, number));
}

/* ---- references ---------------------------------------------------------- */

/* Whether a field or static of the runtime's own classes refers to it. */
static bool is_runtimes(const struct hp_waste *w, uint32_t referrer)
{
	bool is_class;
	size_t row = hp_waste_row(w, referrer, &is_class);

	return (is_class || w->classes[row].role == HP_ROLE_OTHER) &&
	       w->classes[row].runtime;
}

/* Whether one of a program's classes does. */
static bool is_programs(const struct hp_waste *w, uint32_t referrer)
{
	bool is_class;
	size_t row = hp_waste_row(w, referrer, &is_class);

	return (is_class || w->classes[row].role == HP_ROLE_OTHER) &&
	       !w->classes[row].runtime;
}

/*
 * The first referrer of an object counts, unless it refers to itself, and one of
 * the program before one of the runtime, such as an iterator; of an array that a
 * string has, the first string.
 */
static void take_reference(struct hp_waste_scan *s,
			   const struct hp_scan_reference *r, uint64_t to)
{
	if (to == HPROF_NO_OBJECT || to == r->from)
		return;
	if (!s->referrer[to]) {
		s->referrer[to] = r->from + 1;
		s->field[to] = r->field;
		return;
	}
	if (s->referrer[to] == r->from + 1)
		return;
	hp_bit_set(s->w->shared, to);
	if (!r->of_string) {
		if (is_runtimes(s->w, s->referrer[to] - 1) &&
		    is_programs(s->w, r->from)) {
			s->referrer[to] = r->from + 1;
			s->field[to] = r->field;
		}
		return;
	}
	if (hp_waste_role(s->w, s->referrer[to] - 1) == HP_ROLE_STRING) {
		add_number(s, &s->w->sharers, (uint32_t)to);
		add_number(s, &s->w->sharers, r->from);
	} else {
		s->referrer[to] = r->from + 1;
		s->field[to] = r->field;
	}
}

void hp_scan_flush(struct hp_waste_scan *s)
{
	const struct hprof_heap *heap = s->w->heap;
	uint64_t to[HP_SCAN_BATCH];

	for (unsigned i = 0; i < s->count; i++) {
		to[i] = hp_heap_find(heap, s->batch[i].id);
		if (to[i] != HPROF_NO_OBJECT)
			__builtin_prefetch(&s->referrer[to[i]], 1);
	}
	for (unsigned i = 0; i < s->count; i++)
		take_reference(s, &s->batch[i], to[i]);
	s->count = 0;
}

static inline void offer(struct hp_waste_scan *s, uint32_t from, uint32_t field,
			 bool of_string, uint64_t id)
{
	hp_heap_prefetch(s->w->heap, id);
	s->batch[s->count++] = (struct hp_scan_reference){
		.id = id,
		.from = from,
		.field = field < HP_FIELD_MOST ? (uint8_t)field : HP_FIELD_MOST,
		.of_string = of_string,
	};
	if (s->count == HP_SCAN_BATCH)
		hp_scan_flush(s);
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
	uint64_t coder, array;

	if (get(s, c->coder, data, size, &coder) && coder == 1 &&
	    get(s, c->store, data, size, &array) &&
	    number_of(s, array) != HP_NOBODY)
		add_number(s, &s->w->wide, number_of(s, array));
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
	struct hp_waste *w = s->w;
	struct hp_seen seen = { .object = i, .store = HP_NOBODY };
	uint64_t bits;

	if (c->known.form->walk == HP_WALK_FIELDS)
		return;
	if (get(s, c->store, data, size, &bits))
		seen.store = number_of(s, bits);
	seen.counts = get(s, c->changes, data, size, &bits);
	seen.changed = seen.counts && bits;
	seen.size = take_size(s, c, data, size);
	if (hp_scan_went_well(s, HP_WASTE_MORE(w, &w->seen)))
		w->seen.items[w->seen.count++] = seen;
}

/* The class with ID; that of unknown classes if there is none. */
static struct hp_waste_class *class_of(struct hp_waste_scan *s, uint64_t id)
{
	if (id != s->last_id) {
		const struct hp_heap_class *of = hp_heap_class(s->w->heap, id);

		s->last_id = id;
		s->last_class =
			&s->w->classes[of ? of->row : s->w->class_count];
	}
	return s->last_class;
}

void hp_scan_instance(struct hp_waste_scan *s, uint32_t i, uint64_t class_id,
		      const uint8_t *data, uint64_t size)
{
	struct hp_waste_class *c = class_of(s, class_id);
	const unsigned z = s->w->heap->id_size;

	if (!c->of)
		return;
	c->instances++;
	for (uint32_t k = 0; k < c->of->ref_count; k++) {
		uint64_t id;

		if (c->of->refs[k] + z > size)
			break;
		id = hp_get_id(data + c->of->refs[k], z);
		if (!id)
			continue;
		c->present[k]++;
		if (!c->back[k])
			offer(s, i, k,
			      c->role == HP_ROLE_STRING &&
				      c->of->refs[k] == c->store.at,
			      id);
	}
	if (c->role == HP_ROLE_COLLECTION)
		take_collection(s, c, i, data, size);
	else if (c->role == HP_ROLE_STRING)
		take_string(s, c, data, size);
}

/* ---- arrays of references ------------------------------------------------ */

void hp_scan_elements(struct hp_waste_scan *s, struct hp_row_array *array,
		      const uint8_t *data, uint64_t count)
{
	const unsigned z = s->w->heap->id_size;

	for (uint64_t k = 0; k < count; k++, data += z) {
		uint64_t id = hp_get_id(data, z);

		if (!id)
			continue;
		if (!array->present++)
			array->first = number_of(s, id);
		offer(s, array->object, 0, false, id);
	}
}

void hp_scan_row(struct hp_waste_scan *s, const struct hp_row_array *array)
{
	struct hp_waste *w = s->w;

	if (hp_scan_went_well(s, HP_WASTE_MORE(w, &w->rows)))
		w->rows.items[w->rows.count++] = *array;
}

/* ---- statics ------------------------------------------------------------- */

void hp_scan_statics(struct hp_waste_scan *s)
{
	const struct hprof_heap *heap = s->w->heap;

	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		const struct hp_dumped_class *own =
			heap->classes[object->row].own;

		if (!own || !hp_waste_reachable(s->w, object->index))
			continue;
		for (uint32_t k = 0; k < own->static_count; k++)
			if (own->statics[k].type == HPROF_TYPE_OBJECT &&
			    own->statics[k].value)
				offer(s, (uint32_t)object->index, k, false,
				      own->statics[k].value);
	}
	hp_scan_flush(s);
}
