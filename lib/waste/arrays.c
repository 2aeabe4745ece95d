/* SPDX-License-Identifier: MIT */
/*
 * arrays.c - arrays of zeros, of nulls, of nothing; strings with high bytes
 * that are 0; boxes; fields that are always null.
 */
#include "base/error.h"
#include "base/mem.h"
#include "waste/waste.h"

enum {
	ZEROS_LEAST = 1 << 10, /* of an array that has zeros only */
	ROWS_LEAST = 64,       /* short arrays in an array */
	SHORT_MOST = 8,	       /* elements of a short array, of 8 bytes */
	AHEAD = 16,	       /* that are fetched before they are needed */
	BOXES_AT_ONCE = 1024
};

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

/* What is saved if the array had USED bytes of elements of TYPE. */
static uint64_t saved_by(const struct hp_waste *w,
			 const struct hp_shrinkable *a, unsigned type)
{
	uint64_t bytes = hp_waste_shallow(w, a->object);
	uint64_t less = hp_heap_array_size(w->heap, true, type,
					   a->used / hprof_type_size(type, 8));

	return bytes > less ? bytes - less : 0;
}

static enum hprof_status note_tails(struct hp_waste *w)
{
	for (size_t i = 0; i < w->tails.count; i++) {
		const struct hp_shrinkable *a = &w->tails.items[i];
		bool all = a->used == 0;

		if (is_claimed(w, a->object) || (all && a->bytes < ZEROS_LEAST))
			continue;
		HP_TRY(note(w,
			    all ? HPROF_WASTE_ZERO_ARRAYS
				: HPROF_WASTE_ZERO_TAILS,
			    a->object, saved_by(w, a, a->type)));
	}
	return HPROF_OK;
}

/* ---- strings ------------------------------------------------------------- */

static enum hprof_status note_high_bytes(struct hp_waste *w,
					 const struct hp_shrinkable *a)
{
	uint32_t string = hp_waste_referrer(w, a->object);
	uint64_t saved = saved_by(w, a, HPROF_TYPE_BYTE);

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

/*
 * Arrays with many short arrays: stored the other way around, as few long ones,
 * they need no header each.
 */
struct outer {
	uint32_t inner;
	uint64_t bytes;
};

static enum hprof_status note_rows_of(struct hp_waste *w,
				      const struct hp_row_array *a,
				      const struct outer *o)
{
	uint64_t header =
		hp_heap_array_size(w->heap, false, HPROF_TYPE_OBJECT, 0);

	if (o->inner < ROWS_LEAST || o->inner < a->length / 2 ||
	    o->bytes / o->inner > header + 8 * SHORT_MOST)
		return HPROF_OK;
	return hp_waste_note(w, HPROF_WASTE_SHORT_ROWS, a->object,
			     o->bytes + hp_waste_shallow(w, a->object),
			     o->inner * header);
}

static bool is_array(enum hp_role role)
{
	return role == HP_ROLE_OBJ_ARRAY || role == HP_ROLE_PRIM_ARRAY;
}

/*
 * What arrays of references have in them, as far as they count as its referrers and
 * belong to no collection.
 */
struct outer_search {
	const struct hp_waste *w;
	struct outer *outers;	      /* of each row */
	uint32_t last;		      /* referrer */
	const struct hp_row_array *a; /* of that object */
};

static void take_inner(struct outer_search *s, uint32_t object)
{
	const struct hp_waste *w = s->w;
	uint32_t up;

	if (!is_array(hp_waste_role(w, object)))
		return;
	up = hp_waste_referrer(w, object);
	if (up != s->last)
		s->a = up != HP_NOBODY &&
				       hp_waste_role(w, up) == HP_ROLE_OBJ_ARRAY
			       ? hp_waste_find_row(w, up)
			       : NULL;
	s->last = up;
	if (!s->a || hp_bit(w->stores, s->a->object))
		return;
	s->outers[s->a - w->rows.items].inner++;
	s->outers[s->a - w->rows.items].bytes += hp_waste_shallow(w, object);
}

static enum hprof_status note_short_rows(struct hp_waste *w)
{
	enum hprof_status status = HPROF_OK;
	struct hp_mapped_table table;
	struct outer_search search = { .w = w, .last = HP_NOBODY };

	HP_TRY(hp_mapped_table_make(&w->tables, &table, w->rows.count + 1,
				    sizeof *search.outers,
				    HP_MAPPED_TABLE_CLEAR, w->error));
	search.outers = table.at;
	for (uint64_t i = 0; i < hp_bit_words(w->heap->count); i++)
		for (uint64_t left = w->asked[i] & ~w->claimed[i]; left;
		     left &= left - 1)
			take_inner(&search,
				   (uint32_t)(i << 6 | hp_bit_lowest(left)));
	for (size_t i = 0; status >= 0 && i < w->rows.count; i++)
		status = note_rows_of(w, &w->rows.items[i], &search.outers[i]);
	hp_mapped_table_free(&w->tables, &table);
	return status;
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
	return status < 0 ? status : note_short_rows(w);
}

/* ---- instances ----------------------------------------------------------- */

static enum hprof_status note_some_boxes(struct hp_waste *w,
					 const uint32_t *boxes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i + 2 * AHEAD < count)
			hp_waste_fetch_holders(w, boxes[i + AHEAD],
					       boxes[i + 2 * AHEAD]);
		HP_TRY(note(w, HPROF_WASTE_BOXES, boxes[i],
			    hp_waste_shallow(w, boxes[i])));
	}
	return HPROF_OK;
}

/* Often there are more of them than of all else: a list would be long. */
static enum hprof_status note_boxes(struct hp_waste *w)
{
	uint32_t boxes[BOXES_AT_ONCE];
	size_t count = 0;

	for (uint64_t at = 0; at < hp_bit_words(w->heap->count); at++)
		for (uint64_t left = w->asked[at]; left; left &= left - 1) {
			uint32_t i = (uint32_t)(at << 6 | hp_bit_lowest(left));

			if (hp_waste_role(w, i) != HP_ROLE_BOX)
				continue;
			boxes[count++] = i;
			if (count < BOXES_AT_ONCE)
				continue;
			HP_TRY(note_some_boxes(w, boxes, count));
			count = 0;
		}
	return note_some_boxes(w, boxes, count);
}

enum hprof_status hp_waste_instances(struct hp_waste *w)
{
	HP_TRY(note_boxes(w));
	for (size_t row = 0; row < w->class_count; row++)
		HP_TRY(hp_waste_note_fields(w, row));
	return HPROF_OK;
}
