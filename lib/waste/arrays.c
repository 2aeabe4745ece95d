/* SPDX-License-Identifier: MIT */
/*
 * arrays.c - arrays of zeros, of nulls, of nothing, and of numbers that are smaller than
 * their type; strings with high bytes that are 0.
 */
#include "base/error.h"
#include "base/mem.h"
#include "waste/waste.h"

static bool is_claimed(const struct hp_waste *w, uint32_t object)
{
	return hp_bit(w->claimed, object);
}

static enum hprof_status note(struct hp_waste *w, enum hprof_waste_kind kind,
			      uint32_t object, uint64_t saved)
{
	hp_bit_set(w->claimed, object);
	return hp_waste_note(w, kind, object, hp_waste_shallow(w, object),
			     saved);
}

/* ---- primitive arrays ---------------------------------------------------- */

static uint64_t saved_by(const struct hp_waste *w,
			 const struct hp_shrinkable *a)
{
	uint64_t bytes = hp_waste_shallow(w, a->object);
	uint64_t less = hp_heap_array_size(w->heap, true, a->type, a->used);

	return bytes > less ? bytes - less : 0;
}

static enum hprof_status note_tails(struct hp_waste *w)
{
	for (size_t i = 0; i < w->tails.count; i++) {
		const struct hp_shrinkable *a = &w->tails.items[i];

		if (is_claimed(w, a->object))
			continue;
		HP_TRY(note(w,
			    a->used ? HPROF_WASTE_ZERO_TAILS
				    : HPROF_WASTE_ZERO_ARRAYS,
			    a->object, saved_by(w, a)));
	}
	return HPROF_OK;
}

/* ---- strings ------------------------------------------------------------- */

static enum hprof_status note_high_bytes(struct hp_waste *w,
					 const struct hp_shrinkable *a)
{
	uint32_t string = hp_waste_referrer(w, a->object);
	uint64_t saved = saved_by(w, a);

	if (!saved || is_claimed(w, a->object) || string == HP_NOBODY ||
	    hp_waste_role(w, string) != HP_ROLE_STRING)
		return HPROF_OK;
	hp_bit_set(w->claimed, a->object);
	return hp_waste_note(w, HPROF_WASTE_HIGH_BYTES, string,
			     hp_waste_shallow(w, a->object), saved);
}

enum hprof_status hp_waste_strings(struct hp_waste *w)
{
	size_t k = 0;

	for (size_t i = 0; i < w->thin.count; i++)
		HP_TRY(note_high_bytes(w, &w->thin.items[i]));
	for (size_t i = 0; i < w->halves.count; i++) {
		const struct hp_shrinkable *a = &w->halves.items[i];

		while (k < w->wide.count && w->wide.items[k].array < a->object)
			k++;
		if (k < w->wide.count && w->wide.items[k].array == a->object)
			HP_TRY(note_high_bytes(w, a));
	}
	return HPROF_OK;
}

/* ---- numbers and characters ---------------------------------------------- */

/* Nobody can change the type of an array that the Java runtime made. */
static enum hprof_status may_change(struct hp_waste *w, uint32_t array,
				    bool *ret)
{
	struct hprof_waste_holder holder;
	uint32_t number;

	*ret = false;
	if (is_claimed(w, array) || hp_bit(w->stores, array))
		return HPROF_OK;
	HP_TRY(hp_holder_of(w, array, &number));
	holder = hp_holder_get(w, number);
	*ret = holder.class_row == SIZE_MAX ||
	       !w->classes[holder.class_row].runtime;
	return HPROF_OK;
}

static enum hprof_status note_wide(struct hp_waste *w,
				   const struct hp_shrinkable_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct hp_shrinkable *a = &list->items[i];
		const uint64_t saved = saved_by(w, a);
		bool may = false;

		if (saved)
			HP_TRY(may_change(w, a->object, &may));
		if (may)
			HP_TRY(note(w, HPROF_WASTE_WIDE_ARRAYS, a->object,
				    saved));
	}
	return HPROF_OK;
}

enum hprof_status hp_waste_wide_arrays(struct hp_waste *w)
{
	HP_TRY(note_wide(w, &w->thin));
	return note_wide(w, &w->narrow);
}

/* ---- arrays of references ------------------------------------------------ */

static enum hprof_status note_row(struct hp_waste *w,
				  const struct hp_row_array *a, bool *empties)
{
	uint64_t bytes = hp_waste_shallow(w, a->object), less;
	bool is_class;
	size_t row = hp_waste_row(w, a->object, &is_class);

	if (a->length == 0) {
		bool first = !empties[row];

		empties[row] = true;
		return first ? HPROF_OK
			     : note(w, HPROF_WASTE_EMPTY_ARRAYS, a->object,
				    bytes);
	}
	if (a->length == 1)
		return note(w, HPROF_WASTE_SINGLE_ARRAYS, a->object, bytes);
	if (a->present > a->length / 2)
		return HPROF_OK;
	less = hp_heap_array_size(w->heap, false, HPROF_TYPE_OBJECT,
				  a->present);
	if (a->present == 0)
		less = 0;
	return bytes > less ? note(w, HPROF_WASTE_NULL_ARRAYS, a->object,
				   bytes - less)
			    : HPROF_OK;
}

enum hprof_status hp_waste_arrays(struct hp_waste *w)
{
	bool *empties = hp_calloc(w->class_count + 1, sizeof *empties);
	enum hprof_status status;

	if (!empties)
		return hp_no_memory(w->error);
	status = note_tails(w);
	for (size_t i = 0; status >= 0 && i < w->rows.count; i++)
		if (!hp_bit(w->stores, w->rows.items[i].object))
			status = note_row(w, &w->rows.items[i], empties);
	hp_free(empties);
	return status;
}
