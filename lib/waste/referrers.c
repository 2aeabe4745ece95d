/* SPDX-License-Identifier: MIT */
/*
 * referrers.c - see referrers.h: what the graph knows of referrers before references
 * are followed, and what statics add to that afterwards.
 */
#include "base/error.h"
#include "graph/edge_partitions.h"
#include "waste/waste.h"

/* ---- before -------------------------------------------------------------- */

/* Whether several refer to the objects from FIRST on, or they are roots: bits. */
static uint64_t several_of(const struct hp_waste *w, uint64_t first)
{
	const uint32_t *referrer = w->referrers.of_single;
	const uint64_t left = w->heap->count - first;
	uint64_t bits = 0;

	if (w->edges->several)
		return w->edges->several[first >> 6];
	for (uint64_t k = 0; k < 64 && k < left; k++)
		bits |= (uint64_t)(referrer[first + k] == HP_NONE) << k;
	return bits;
}

static void find_bits(void *user, const struct hp_range *range)
{
	const struct hp_waste *w = user;
	const struct hp_referrers *r = &w->referrers;

	for (uint64_t at = range->begin; at < range->end; at += 64) {
		const uint64_t several = several_of(w, at), i = at >> 6;

		r->several[i].bits = w->asked[i] & several;
		r->single[i] = w->asked[i] & ~several;
	}
}

/* What dominates an object with a single referrer is that. */
static const uint32_t *referrers_of_single(const struct hp_waste *w)
{
	return w->edges->several ? w->graph->sizes.dominator.at
				 : w->edges->referrer.at;
}

enum hprof_status hp_referrers_make(struct hp_waste *w,
				    const struct hp_build *build)
{
	struct hp_referrers *r = &w->referrers;
	const size_t words = hp_bit_words(w->heap->count);
	uint32_t rows;

	r->of_single = referrers_of_single(w);
	HP_TRY(hp_mapped_table_make(&w->tables, &r->single_table, words,
				    sizeof *r->single, HP_MAPPED_TABLE_RAW,
				    w->error));
	r->single = r->single_table.at;
	HP_TRY(hp_mapped_table_make(&w->tables, &r->several_table, words,
				    sizeof *r->several, HP_MAPPED_TABLE_RAW,
				    w->error));
	r->several = r->several_table.at;
	hp_pieces_run(build, (uint32_t)w->heap->count, find_bits, w);
	rows = hp_ranked_bits_finish(r->several, words);
	HP_TRY(hp_mapped_table_make(&w->tables, &r->row_table,
				    (uint64_t)rows + 1, sizeof *r->rows,
				    HP_MAPPED_TABLE_CLEAR, w->error));
	r->rows = r->row_table.at;
	HP_TRY(hp_mapped_table_make(&w->tables, &r->field_table,
				    w->heap->count + 1, sizeof *r->field,
				    HP_MAPPED_TABLE_CLEAR, w->error));
	r->field = r->field_table.at;
	return HPROF_OK;
}

/* ---- after --------------------------------------------------------------- */

/* The class, nothing else, refers to TO: by the first such static of it. */
static void take_single_static(const struct hp_waste *w, uint64_t referrer,
			       uint32_t to)
{
	const struct hp_referrers *r = &w->referrers;

	if (hp_referrers_is_single(r, to) ||
	    r->of_single[to] != hp_referrer_from(referrer) + 1)
		return;
	hp_referrers_enter(r, to, hp_referrer_field(referrer));
}

/* A static counts only where no object of its rank refers to the same. */
static void take_static(const struct hp_waste *w, uint64_t referrer,
			uint64_t id)
{
	uint64_t to = hp_heap_find(w->heap, id), *row;

	if (to == HPROF_NO_OBJECT || to == hp_referrer_from(referrer) ||
	    !hp_waste_is_asked(w, to))
		return;
	if (!hp_referrers_has_row(&w->referrers, (uint32_t)to)) {
		take_single_static(w, referrer, (uint32_t)to);
		return;
	}
	row = hp_referrers_row(&w->referrers, (uint32_t)to);
	if (!*row || hp_referrer_rank(referrer) > hp_referrer_rank(*row))
		*row = *row ? hp_referrer_merge(*row, referrer) : referrer;
	else if (hp_referrer_from(*row) != hp_referrer_from(referrer))
		*row |= HP_REFERRER_SHARED;
}

/* Statics hold what nothing else refers to. */
void hp_referrers_take_statics(const struct hp_waste *w)
{
	const struct hprof_heap *heap = w->heap;

	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		const struct hp_heap_class *of = &heap->classes[object->row];
		const struct hp_dumped_class *own = of->own;
		enum hp_referrer_rank rank =
			hp_waste_rank(&w->classes[of->row], true);

		if (!own || !hp_waste_reachable(w, object->index))
			continue;
		for (uint32_t k = 0; k < own->static_count; k++)
			if (own->statics[k].type == HPROF_TYPE_OBJECT &&
			    own->statics[k].value)
				take_static(w,
					    hp_referrer_make(
						    rank,
						    (uint32_t)object->index, k),
					    own->statics[k].value);
	}
}
