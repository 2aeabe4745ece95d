/* SPDX-License-Identifier: MIT */
/*
 * note_objects.c - notes of instances and arrays of references: what collections
 * and strings say of themselves.
 */
#include "waste/notes.h"

/* The value at PLACE; false: the instance ends before it. */
static bool get(const struct hp_waste *w, struct hp_place place,
		const uint8_t *data, uint64_t size, uint64_t *ret)
{
	unsigned width;

	if (place.at == HP_NO_FIELD)
		return false;
	width = hprof_type_size(place.type, w->heap->id_size);
	if ((uint64_t)place.at + width > size)
		return false;
	*ret = hp_get_id(data + place.at, width);
	return true;
}

/* The size as the instance has it; of a ring both ends. In 30 bits. */
static uint32_t take_size(const struct hp_waste *w,
			  const struct hp_waste_class *c, const uint8_t *data,
			  uint64_t size)
{
	uint64_t bits, tail;

	if (get(w, c->cells, data, size, &bits) && bits)
		return HP_SEEN_UNKNOWN;
	if (get(w, c->size, data, size, &bits)) {
		int64_t said = hprof_value_int64(c->size.type, bits);

		return said < 0 || said > HP_SEEN_UNKNOWN ? HP_SEEN_UNKNOWN
							  : (uint32_t)said;
	}
	if (!c->known.form->size && get(w, c->head, data, size, &bits) &&
	    get(w, c->tail, data, size, &tail))
		return hp_seen_ring(bits & INT32_MAX, tail & INT32_MAX);
	return HP_SEEN_UNKNOWN;
}

/* Of a store behind so many references that they do not tell which it is. */
static uint32_t find_store(const struct hp_waste *w,
			   const struct hp_waste_class *c, const uint8_t *data,
			   uint64_t size)
{
	uint64_t id, i;

	if (!get(w, c->store, data, size, &id) || !id)
		return HP_NOBODY;
	i = hp_heap_find(w->heap, id);
	return i == HPROF_NO_OBJECT ? HP_NOBODY : (uint32_t)i;
}

static void note_collection(struct hp_waste_thread *t,
			    const struct hp_waste_class *c, uint32_t i,
			    const uint8_t *data, uint64_t size)
{
	uint32_t store = HP_NOBODY;
	uint64_t bits;
	bool counts;

	if (c->known.form->walk == HP_WALK_FIELDS)
		return;
	if (c->store_is_far)
		store = find_store(t->w, c, data, size);
	counts = get(t->w, c->changes, data, size, &bits);
	*HP_NOTES_NEXT(t, HP_NOTES_SEEN, struct hp_seen) =
		(struct hp_seen){ .object = i,
				  .store = store,
				  /* It has no more bits: for compilers. */
				  .size = take_size(t->w, c, data, size) &
					  HP_SEEN_UNKNOWN,
				  .counts = counts,
				  .changed = counts && bits };
}

void hp_note_instance(void *thread, uint32_t object, size_t row,
		      const uint8_t *data, uint64_t size)
{
	struct hp_waste_thread *t = thread;
	const struct hp_waste_class *c = &t->w->classes[row];
	uint64_t coder;

	if (c->number_count)
		hp_waste_take_numbers(c, data, size);
	if (!data)
		return;
	if (c->role == HP_ROLE_COLLECTION)
		note_collection(t, c, object, data, size);
	else if (c->role == HP_ROLE_STRING &&
		 get(t->w, c->coder, data, size, &coder) && coder == 1)
		*HP_NOTES_NEXT(t, HP_NOTES_WIDE, struct hp_characters) =
			(struct hp_characters){ object, HP_NOBODY };
}

void hp_note_references(void *thread, uint32_t object, uint32_t length,
			uint64_t present)
{
	struct hp_waste_thread *t = thread;

	*HP_NOTES_NEXT(t, HP_NOTES_ROWS, struct hp_row_array) =
		(struct hp_row_array){ .object = object,
				       .length = length,
				       .present = (uint32_t)present,
				       .first = HP_NOBODY };
}
