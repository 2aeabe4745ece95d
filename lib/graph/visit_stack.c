/* SPDX-License-Identifier: MIT */
/* visit_stack.c - see visit_stack.h. */
#include "graph/visit_stack.h"

#include <assert.h>

#include "base/error.h"
#include "base/mem.h"

enum hprof_status hp_visit_stack_make(struct hp_build *build, uint64_t most,
				      uint64_t step, struct hp_visit_stack *s)
{
	*s = (struct hp_visit_stack){ .build = build, .step = step };
	HP_TRY(hp_mapped_table_make_parts(
		&build->tables, &s->table, most, sizeof *s->items,
		HP_MAPPED_TABLE_FRONT, most * sizeof *s->items, build->error));
	s->items = s->table.at;
	return HPROF_OK;
}

void hp_visit_stack_done(struct hp_visit_stack *s)
{
	if (!s->build)
		return;
	/* Its memory, if it is no file, becomes part of the next tables. */
	hp_mapped_table_used(&s->build->tables, &s->table,
			     s->backed * sizeof *s->items);
	hp_build_free(s->build, &s->table);
	hp_free(s->later);
}

/* ---- room ---------------------------------------------------------------- */

/* Drops what was visited. Floors sink with what was below them. */
static uint64_t sweep(struct hp_visit_stack *s, const uint64_t *state,
		      uint64_t used)
{
	uint64_t kept = 0, i = 0;

	for (size_t k = 0; k <= s->later_count; k++) {
		const bool last = k == s->later_count;

		for (; i < (last ? used : s->later[k].floor); i++) {
			s->items[kept] = s->items[i];
			kept += !hp_is_visited(state, s->items[i].node);
			hp_build_trim_memory(s->build, i);
		}
		if (!last)
			s->floor = s->later[k].floor = kept;
	}
	return kept;
}

/*
 * Whether a sweep is likely to drop an eighth or more, by a sample: what it goes over
 * costs time, but less than new memory. Places follow each other by the golden ratio: steps
 * of one size could be as long as what is pushed of a long list at a time, so that all
 * would be of those that are pushed first, or last.
 */
static bool is_worth_a_sweep(const struct hp_visit_stack *s,
			     const uint64_t *state, uint64_t used)
{
	enum { SAMPLES = 256 };
	uint64_t visited = 0;

	/* Items are edges, whose numbers have 32 bits. */
	assert(used <= UINT32_MAX);
	for (uint32_t i = 0; i < SAMPLES && used; i++) {
		const uint64_t at = i * UINT32_C(0x9e3779b9) * used >> 32;

		visited += hp_is_visited(state, s->items[at].node);
	}
	return visited > SAMPLES / 8;
}

/* Room grows by half, so that sweeps take no longer than it took to push. */
enum hprof_status hp_visit_stack_grow(struct hp_visit_stack *s,
				      const uint64_t *state, uint64_t *top,
				      uint64_t n)
{
	const uint64_t most = s->table.bytes / sizeof *s->items;
	uint64_t to;

	if (is_worth_a_sweep(s, state, *top))
		*top = sweep(s, state, *top);
	if (*top + n <= s->backed / 4 * 3)
		return HPROF_OK;
	to = *top + n > s->backed ? *top + n : s->backed;
	to = (to + to / 2) / s->step * s->step + s->step;
	if (to > most)
		to = most;
	HP_TRY(hp_mapped_table_back(&s->table, s->backed * sizeof *s->items,
				    to * sizeof *s->items, s->build->error));
	s->backed = to;
	hp_populate_front(&s->populate, to * sizeof *s->items);
	return HPROF_OK;
}

/* ---- long lists ---------------------------------------------------------- */

enum hprof_status hp_visit_stack_postpone(struct hp_visit_stack *s, uint32_t at,
					  uint32_t end, uint32_t parent,
					  uint64_t top)
{
	if (hp_grow((void **)&s->later, &s->later_room, s->later_count,
		    sizeof *s->later) != HPROF_OK)
		return hp_no_memory(s->build->error);
	s->later[s->later_count++] =
		(struct hp_visit_later){ at, end, parent, top };
	s->floor = top;
	return HPROF_OK;
}

enum hprof_status hp_visit_stack_take(struct hp_visit_stack *s,
				      const uint64_t *state, uint64_t *top,
				      uint32_t count,
				      struct hp_visit_later *ret)
{
	struct hp_visit_later *last = &s->later[s->later_count - 1];
	const uint32_t left = last->end - last->at;

	if (count > left)
		count = left;
	HP_TRY(hp_visit_stack_room(s, state, top, count));
	*ret = *last;
	ret->end = last->at += count;
	if (count < left)
		return HPROF_OK;
	s->later_count--;
	s->floor = s->later_count ? last[-1].floor : 0;
	return HPROF_OK;
}
