/* SPDX-License-Identifier: MIT */
/*
 * arrays.c - arrays of zeros, of nulls, of nothing, of short arrays; strings with
 * high bytes that are 0.
 */
#include "base/error.h"
#include "base/mem.h"
#include "waste/waste.h"

enum {
	ROWS_LEAST = 64, /* short arrays in an array */
	SHORT_MOST = 8	 /* elements of a short array, of 8 bytes */
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

/* Whether A is one with many, if it has N arrays. */
static bool are_enough(uint64_t n, const struct hp_row_array *a)
{
	return n >= ROWS_LEAST && n >= a->length / 2;
}

static enum hprof_status note_rows_of(struct hp_waste *w,
				      const struct hp_row_array *a,
				      const struct outer *o)
{
	uint64_t header =
		hp_heap_array_size(w->heap, false, HPROF_TYPE_OBJECT, 0);

	if (!are_enough(o->inner, a) ||
	    o->bytes / o->inner > header + 8 * SHORT_MOST)
		return HPROF_OK;
	return hp_waste_note(w, HPROF_WASTE_SHORT_ROWS, a->object,
			     o->bytes + hp_waste_shallow(w, a->object),
			     o->inner * header);
}

/* More arrays than it has elements cannot be in it. */
static bool may_be_outer(const struct hp_waste *w, const struct hp_row_array *a)
{
	return are_enough(a->present, a) && !hp_bit(w->stores, a->object);
}

static bool has_outers(const struct hp_waste *w)
{
	for (size_t i = 0; i < w->rows.count; i++)
		if (may_be_outer(w, &w->rows.items[i]))
			return true;
	return false;
}

/*
 * What arrays of references have in them, as far as they count as its referrers and
 * belong to no collection.
 */
struct outer_search {
	struct hp_waste *w;
	struct outer *outers; /* of each row */
	uint32_t last;	      /* referrer */
	/* Of that; NULL: it is none, or cannot be an outer one. */
	const struct hp_row_array *a;
};

static void take_inner(struct outer_search *s, uint32_t object)
{
	const struct hp_waste *w = s->w;
	uint32_t up = hp_waste_referrer(w, object);

	if (up != s->last) {
		s->a = up != HP_NOBODY &&
				       hp_waste_role(w, up) == HP_ROLE_OBJ_ARRAY
			       ? hp_waste_find_row(w, up)
			       : NULL;
		if (s->a && !may_be_outer(w, s->a))
			s->a = NULL;
	}
	s->last = up;
	if (!s->a)
		return;
	s->outers[s->a - w->rows.items].inner++;
	s->outers[s->a - w->rows.items].bytes += hp_waste_shallow(w, object);
}

static enum hprof_status take_inners(void *user, const uint32_t *objects,
				     size_t count)
{
	struct outer_search *s = user;

	for (size_t i = 0; i < count; i++)
		if (!is_claimed(s->w, objects[i]))
			take_inner(s, objects[i]);
	return HPROF_OK;
}

static enum hprof_status note_short_rows(struct hp_waste *w)
{
	enum hprof_status status;
	struct hp_mapped_table table;
	struct outer_search search = { .w = w, .last = HP_NOBODY };

	if (!has_outers(w))
		return HPROF_OK;
	HP_TRY(hp_mapped_table_make(&w->tables, &table, w->rows.count + 1,
				    sizeof *search.outers,
				    HP_MAPPED_TABLE_CLEAR, w->error));
	search.outers = table.at;
	status = hp_waste_find_by_role(w,
				       HP_ROLE_BIT(HP_ROLE_OBJ_ARRAY) |
					       HP_ROLE_BIT(HP_ROLE_PRIM_ARRAY),
				       take_inners, &search);
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
