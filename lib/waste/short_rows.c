/* SPDX-License-Identifier: MIT */
/*
 * short_rows.c - arrays with many short arrays: stored the other way around, as few long
 * ones, they need no header each.
 *
 * What arrays of references have in them counts as far as they count as its referrers
 * and belong to no collection. To find that, all arrays of the heap are asked for
 * their referrer; but hardly any heap has such arrays, and that it has none can mostly
 * be seen by their elements.
 */
#include "base/error.h"
#include "waste/waste.h"

enum {
	ROWS_LEAST = 64,     /* short arrays in an array */
	SHORT_MOST = 8,	     /* elements of a short array, of 8 bytes */
	LOOK_MOST = 1 << 16, /* elements of arrays that may have many */
	AT_ONCE = 256
};

enum {
	ARRAYS =
		HP_ROLE_BIT(HP_ROLE_OBJ_ARRAY) | HP_ROLE_BIT(HP_ROLE_PRIM_ARRAY)
};

/* Whether A is one with many, if it has N arrays. */
static bool are_enough(uint64_t n, const struct hp_row_array *a)
{
	return n >= ROWS_LEAST && n >= a->length / 2;
}

/* ---- whether there are any ----------------------------------------------- */

/* More arrays than it has elements cannot be in it. */
static bool may_be_outer(const struct hp_waste *w, const struct hp_row_array *a)
{
	return are_enough(a->present, a) && !hp_bit(w->stores, a->object);
}

static bool is_array(const struct hp_waste *w, uint64_t id)
{
	const uint64_t i = id ? hp_heap_find(w->heap, id) : HPROF_NO_OBJECT;

	return i != HPROF_NO_OBJECT &&
	       HP_ROLE_BIT(hp_waste_role(w, (uint32_t)i)) & ARRAYS;
}

/* How many elements of A are arrays. */
static enum hprof_status
count_arrays(struct hp_waste *w, const struct hp_row_array *a, uint64_t *ret)
{
	uint64_t ids[AT_ONCE];
	struct hprof_object at;
	enum hprof_status status = hprof_cursor_seek(w->cursor, a->object, &at);
	size_t n = 1;

	*ret = 0;
	for (uint64_t i = 0; status >= 0 && n; i += n) {
		status = hprof_cursor_elements(w->cursor, i, AT_ONCE, ids, &n);
		for (size_t k = 0; status >= 0 && k < n; k++)
			*ret += is_array(w, ids[k]);
	}
	return status < 0 ? hp_fail(w->error, status, HP_NO_OFFSET, "%s",
				    hprof_cursor_error(w->cursor)->text)
			  : HPROF_OK;
}

/* *RET becomes false only if there are none. */
static enum hprof_status find_outers(struct hp_waste *w, bool *ret)
{
	uint64_t looked = 0, arrays;

	*ret = false;
	for (size_t i = 0; !*ret && i < w->rows.count; i++) {
		const struct hp_row_array *a = &w->rows.items[i];

		if (!may_be_outer(w, a))
			continue;
		looked += a->length;
		if (looked > LOOK_MOST) {
			*ret = true;
			break;
		}
		HP_TRY(count_arrays(w, a, &arrays));
		*ret = are_enough(arrays, a);
	}
	return HPROF_OK;
}

/* ---- what they have ------------------------------------------------------ */

struct outer {
	uint32_t inner;
	bool noted;
	uint64_t bytes;
};

struct outer_search {
	struct hp_waste *w;
	struct outer *outers; /* of each row */
	uint32_t last;	      /* referrer */
	/* Of that; NULL: it is none, or cannot be an outer one. */
	const struct hp_row_array *a;
	bool any; /* is noted */
};

/* That which OBJECT is in; NULL: there is none. */
static struct outer *outer_of(struct outer_search *s, uint32_t object)
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
	return s->a ? &s->outers[s->a - w->rows.items] : NULL;
}

static enum hprof_status take_inners(void *user, const uint32_t *objects,
				     size_t count)
{
	struct outer_search *s = user;

	for (size_t i = 0; i < count; i++) {
		struct outer *o = hp_bit(s->w->claimed, objects[i])
					  ? NULL
					  : outer_of(s, objects[i]);

		if (!o)
			continue;
		o->inner++;
		o->bytes += hp_waste_shallow(s->w, objects[i]);
	}
	return HPROF_OK;
}

/* What is in those that are noted: its headers are saved. */
static enum hprof_status claim_inners(void *user, const uint32_t *objects,
				      size_t count)
{
	struct outer_search *s = user;

	for (size_t i = 0; i < count; i++) {
		const struct outer *o = outer_of(s, objects[i]);

		if (o && o->noted)
			hp_bit_set(s->w->claimed, objects[i]);
	}
	return HPROF_OK;
}

static enum hprof_status note_outer(struct outer_search *s,
				    const struct hp_row_array *a,
				    struct outer *o)
{
	const struct hp_waste *w = s->w;
	uint64_t header =
		hp_heap_array_size(w->heap, false, HPROF_TYPE_OBJECT, 0);

	if (!are_enough(o->inner, a) ||
	    o->bytes / o->inner > header + 8 * SHORT_MOST)
		return HPROF_OK;
	o->noted = s->any = true;
	return hp_waste_note(s->w, HPROF_WASTE_SHORT_ROWS, a->object,
			     o->bytes + hp_waste_shallow(w, a->object),
			     o->inner * header);
}

static enum hprof_status note_outers(struct outer_search *s)
{
	struct hp_waste *w = s->w;

	HP_TRY(hp_waste_find_by_role(w, ARRAYS, take_inners, s));
	for (size_t i = 0; i < w->rows.count; i++)
		HP_TRY(note_outer(s, &w->rows.items[i], &s->outers[i]));
	return s->any ? hp_waste_find_by_role(w, ARRAYS, claim_inners, s)
		      : HPROF_OK;
}

enum hprof_status hp_waste_short_rows(struct hp_waste *w)
{
	enum hprof_status status;
	struct hp_mapped_table table;
	struct outer_search search = { .w = w, .last = HP_NOBODY };
	bool any;

	HP_TRY(find_outers(w, &any));
	if (!any)
		return HPROF_OK;
	HP_TRY(hp_mapped_table_make(&w->tables, &table, w->rows.count + 1,
				    sizeof *search.outers,
				    HP_MAPPED_TABLE_CLEAR, w->error));
	search.outers = table.at;
	status = note_outers(&search);
	hp_mapped_table_free(&w->tables, &table);
	return status;
}
