/* SPDX-License-Identifier: MIT */
/*
 * referrers.c - see referrers.h: what is known of referrers before references are
 * followed; and the choice among several, when it is known what is reachable.
 */
#include "base/error.h"
#include "graph/edge_partitions.h"
#include "waste/waste.h"

/* ---- before -------------------------------------------------------------- */

struct finding {
	struct hp_waste *w;
	const struct hp_edges *edges;
};

/*
 * Of COUNT objects from FIRST on, up to 64: their roles, and bits of those that several
 * refer to, or that are roots. Neither can be predicted, so there are no branches.
 */
static struct hp_roles find_roles(const struct finding *f, uint32_t first,
				  uint64_t count, uint64_t *ret_several)
{
	const uint32_t *referrer = f->edges->referrer.at;
	const uint8_t *of_kind = f->w->roles;
	uint8_t roles[64] = { 0 }, several[64] = { 0 };
	struct hp_roles ret;

	for (uint32_t k = 0; k < count; k++) {
		roles[k] = of_kind[hp_edges_kind(f->edges, first + k)];
		several[k] = referrer[first + k] == HP_NONE;
	}
	*ret_several = hp_block_with(several, 0);
	for (unsigned k = 0; k < HP_ROLE_DIGITS; k++)
		ret.digits[k] = hp_block_with(roles, k);
	return ret;
}

static void find_bits(void *user, const struct hp_range *range)
{
	const struct finding *f = user;
	const struct hp_referrers *r = &f->w->referrers;

	for (uint64_t at = range->begin; at < range->end; at += 64) {
		const uint64_t left = range->end - at, i = at >> 6;
		uint64_t several, asked;
		const struct hp_roles roles = find_roles(
			f, (uint32_t)at, left < 64 ? left : 64, &several);

		_Static_assert(HP_ROLE_OTHER == 0, "it has no digits");
		asked = roles.digits[0] | roles.digits[1] | roles.digits[2];
		f->w->asked[i] = asked;
		r->several[i] = asked & several;
		r->steps[i] = (struct hp_steps){ asked & ~several, roles };
	}
}

static enum hprof_status make_bits(struct hp_waste *w,
				   struct hp_mapped_table *table, size_t width)
{
	return hp_mapped_table_make(&w->tables, table,
				    hp_bit_words(w->heap->count), width,
				    HP_MAPPED_TABLE_RAW, w->error);
}

enum hprof_status hp_referrers_make(struct hp_waste *w,
				    const struct hp_build *build,
				    const struct hp_edges *edges)
{
	const size_t words = hp_bit_words(w->heap->count);
	struct hp_referrers *r = &w->referrers;
	struct finding finding = { w, edges };

	HP_TRY(make_bits(w, &w->asked_table, sizeof *w->asked));
	HP_TRY(make_bits(w, &r->step_table, sizeof *r->steps));
	HP_TRY(make_bits(w, &r->several_table, sizeof *r->several));
	HP_TRY(hp_mapped_table_make(&w->tables, &r->field_table,
				    w->heap->count + 1, sizeof *r->field,
				    HP_MAPPED_TABLE_CLEAR, w->error));
	w->asked = w->asked_table.at;
	r->steps = r->step_table.at;
	r->several = r->several_table.at;
	r->field = r->field_table.at;
	r->of_single = edges->referrer.at;
	/* There may be no object in the last word, which is read all the same. */
	w->asked[words - 1] = r->several[words - 1] = 0;
	r->steps[words - 1] = (struct hp_steps){ 0 };
	hp_pieces_run(build, (uint32_t)w->heap->count, find_bits, &finding);
	return HPROF_OK;
}

/* ---- when it is known what is reachable ---------------------------------- */

/* ARRAY is that of two strings: the one that does not count is noted. */
static enum hprof_status note_sharer(struct hp_waste *w, uint32_t array,
				     uint64_t a, uint64_t b)
{
	struct hp_characters sharer = {
		.array = array,
		.string = hp_referrer_from(a >> 1 > b >> 1 ? b : a),
	};

	return HP_WASTE_APPEND(w, &w->sharers, &sharer, 1);
}

static enum hprof_status offer(struct hp_waste *w, uint64_t *row,
			       uint64_t referrer, uint32_t to)
{
	uint64_t old = hp_referrer_offer(row, referrer);

	return hp_referrer_rank(referrer) == HP_REFERRER_STRING &&
			       hp_referrer_rank(old) == HP_REFERRER_STRING
		       ? note_sharer(w, to, old, referrer)
		       : HPROF_OK;
}

enum { BATCH = 64 };

/*
 * The offer before these came from *FROM. Each may cost a cache miss, so the rows of
 * several are asked for first.
 */
static enum hprof_status offer_batch(struct hp_waste *w,
				     const struct hp_offer *offers,
				     size_t count, uint32_t *from)
{
	uint64_t *rows[BATCH], referrers[BATCH];

	for (size_t i = 0; i < count; i++) {
		const struct hp_offer *o = &offers[i];
		const bool some = o->rank != HP_REFERRER_NONE;

		*from = some ? *from + o->step : o->to;
		referrers[i] = hp_referrer_make((enum hp_referrer_rank)o->rank,
						*from, o->field);
		rows[i] = some && hp_waste_reachable(w, *from)
				  ? hp_referrers_row(&w->referrers, o->to)
				  : NULL;
		hp_prefetch_write(rows[i]);
	}
	for (size_t i = 0; i < count; i++)
		if (rows[i])
			HP_TRY(offer(w, rows[i], referrers[i], offers[i].to));
	return HPROF_OK;
}

/* What dominates an object with a single referrer is that. */
static const uint32_t *referrers_of_single(const struct hp_waste *w)
{
	if (w->own_edges.referrer.at)
		return w->own_edges.referrer.at;
	return w->graph->options.dominators ? w->graph->sizes.dominator.at
					    : w->graph->edges.referrer.at;
}

static enum hprof_status make_rows(struct hp_waste *w)
{
	struct hp_referrers *r = &w->referrers;
	const size_t words = hp_bit_words(w->heap->count);
	uint64_t rows;

	HP_TRY(make_bits(w, &r->number_table, sizeof *r->numbers));
	r->numbers = r->number_table.at;
	for (size_t i = 0; i < words; i++)
		r->numbers[i].bits = r->several[i];
	hp_mapped_table_free(&w->tables, &r->several_table);
	r->several = NULL;
	rows = hp_ranked_bits_finish(r->numbers, words);
	HP_TRY(hp_mapped_table_make(&w->tables, &r->row_table, rows + 1,
				    sizeof *r->rows, HP_MAPPED_TABLE_CLEAR,
				    w->error));
	r->rows = r->row_table.at;
	return HPROF_OK;
}

enum hprof_status hp_referrers_take_offers(struct hp_waste *w)
{
	uint32_t from = 0;
	size_t n;

	w->referrers.of_single = referrers_of_single(w);
	for (size_t i = 0; i < hp_bit_words(w->heap->count); i++)
		w->asked[i] &= w->graph->sizes.reachable[i];
	HP_TRY(make_rows(w));
	for (size_t i = 0; i < w->offers.count; i += n) {
		n = w->offers.count - i;
		if (n > BATCH)
			n = BATCH;
		HP_TRY(offer_batch(w, w->offers.items + i, n, &from));
		if (i % HP_TRIM_INTERVAL == 0)
			hp_waste_trim_memory(w);
	}
	HP_WASTE_DROP(w, &w->offers);
	return HPROF_OK;
}

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
