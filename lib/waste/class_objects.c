/* SPDX-License-Identifier: MIT */
/*
 * class_objects.c - the objects of classes: which have a role, and how many instances
 * there are.
 */
#include "base/error.h"
#include "base/mem.h"
#include "base/parallel_for.h"
#include "report/retained_sets.h"
#include "waste/waste.h"

/* ---- which have a role --------------------------------------------------- */

enum { AT_ONCE = 1024 };

enum hprof_status hp_waste_find_by_role(struct hp_waste *w, unsigned roles,
					hp_waste_take_fn *take, void *user)
{
	uint32_t found[AT_ONCE + 64];
	size_t count = 0;

	for (uint64_t at = 0; at < hp_bit_words(w->heap->count); at++) {
		uint64_t left =
			w->asked[at] &
			hp_roles_in(&w->referrers.steps[at].roles, roles);

		for (; left; left &= left - 1)
			found[count++] =
				(uint32_t)(at << 6 | hp_bit_lowest(left));
		if (count < AT_ONCE)
			continue;
		HP_TRY(take(user, found, count));
		count = 0;
		hp_waste_trim_memory(w);
	}
	return take(user, found, count);
}

/* ---- how many there are -------------------------------------------------- */

/* What one thread finds. */
struct counting {
	const struct hp_waste *w;
	uint64_t *counts; /* of reachable objects, by kind */
};

/* Those from BEGIN to below END. */
static void count_span(void *state, uint32_t begin, uint32_t end)
{
	const struct counting *c = state;

	for (uint32_t i = begin; i < end; i++)
		c->counts[hp_graph_kind(c->w->graph, i)] +=
			hp_waste_reachable(c->w, i);
}

static void add_instances(struct hp_waste *w, const uint64_t *counts)
{
	for (size_t row = 0; row < w->class_count; row++)
		w->classes[row].instances += counts[hp_kind_of_instances(row)];
}

/* COUNTS has a row of all kinds for each of THREADS. */
static void count_all(struct hp_waste *w, uint64_t *counts, unsigned threads)
{
	struct counting items[HP_WASTE_THREADS_MOST];
	void *states[HP_WASTE_THREADS_MOST] = { NULL };
	const size_t kinds = hp_kind_count(w->class_count);

	for (unsigned i = 0; i < threads; i++) {
		items[i] = (struct counting){ w, counts + i * kinds };
		states[i] = &items[i];
	}
	hp_parallel_for((uint32_t)w->heap->count, threads, states, count_span);
	for (unsigned i = 0; i < threads; i++)
		add_instances(w, items[i].counts);
}

/* Of an array whose class came late, only the list of arrays says that it is one. */
static void leave_out_arrays(const struct hp_waste *w)
{
	for (size_t i = 0; i < w->rows.count; i++) {
		bool is_class;
		size_t row =
			hp_waste_row(w, w->rows.items[i].object, &is_class);
		uint64_t *instances = &w->classes[row].instances;

		if (!is_class && w->classes[row].role != HP_ROLE_OBJ_ARRAY)
			*instances -= *instances > 0;
	}
}

/* If sums of all objects were found meanwhile, no pass is needed. */
enum hprof_status hp_waste_count_instances(struct hp_waste *w)
{
	const unsigned threads = hp_parallel_for_threads(
		(uint32_t)w->heap->count, hp_waste_threads(w));
	uint64_t *counts =
		hp_calloc(threads * (size_t)hp_kind_count(w->class_count),
			  sizeof *counts);

	if (!counts)
		return hp_no_memory(w->error);
	if (hp_retained_kinds_count(w->graph, counts))
		add_instances(w, counts);
	else
		count_all(w, counts, threads);
	hp_free(counts);
	leave_out_arrays(w);
	return HPROF_OK;
}
