/* SPDX-License-Identifier: MIT */
/*
 * dominator_children.c - see dominator_children.h. Parents are found first.
 * Then one pass over all dominators finds their children, in ascending order,
 * which are sorted by parent at the end.
 */
#include "leaks/dominator_children.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/parallel_for.h"

/* The results of one thread. */
struct finder {
	const struct hp_dominator_children *children;
	uint64_t least, most; /* retained, in units of the graph */
	struct stretch {
		uint32_t begin;
		uint32_t *items;
		size_t count;
	} *stretches;
	size_t count, room;
	bool no_memory;
};

static uint64_t retained(const struct hp_dominator_children *k, uint32_t node)
{
	return hp_retained_sizes_retained(&k->graph->sizes, node);
}

/* ---- many objects, in threads -------------------------------------------- */

/* One for each thread; at least one, or NULL without memory. */
static struct finder **make_finders(const struct hp_dominator_children *k,
				    unsigned *threads)
{
	struct finder **all;

	*threads = hp_parallel_for_threads(k->graph->edges.count,
					   k->graph->options.threads);
	all = hp_calloc(*threads, sizeof *all);
	for (unsigned i = 0; all && i < *threads; i++) {
		all[i] = hp_calloc(1, sizeof **all);
		if (all[i]) {
			all[i]->children = k;
			continue;
		}
		*threads = i;
	}
	return all;
}

static void drop_finders(struct finder **all, unsigned threads)
{
	for (unsigned i = 0; all && i < threads; i++) {
		for (size_t k = 0; k < all[i]->count; k++)
			hp_free(all[i]->stretches[k].items);
		hp_free(all[i]->stretches);
		hp_free(all[i]);
	}
	hp_free(all);
}

/* Keeps the COUNT objects in ITEMS, found in the stretch from BEGIN on. */
static void keep_stretch(struct finder *f, uint32_t begin, uint32_t *items,
			 size_t count)
{
	uint32_t *copy = count ? hp_alloc(count * sizeof *copy) : NULL;

	if (!count)
		return;
	if (!copy || hp_grow((void **)&f->stretches, &f->room, f->count,
			     sizeof *f->stretches) != HPROF_OK) {
		f->no_memory = true;
		hp_free(copy);
		return;
	}
	memcpy(copy, items, count * sizeof *copy);
	f->stretches[f->count++] = (struct stretch){ begin, copy, count };
}

static int compare_stretches(const void *left, const void *right)
{
	const struct stretch *a = left, *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* The results of all threads, in ascending order. */
struct found {
	struct stretch *each;
	size_t count;
	bool good; /* false: no memory */
};

static void drop_found(struct found *found)
{
	for (size_t i = 0; i < found->count; i++)
		hp_free(found->each[i].items);
	hp_free(found->each);
}

static struct found join(struct finder *const *all, unsigned threads)
{
	struct found found = { .good = true };

	for (unsigned i = 0; i < threads; i++) {
		found.good = found.good && !all[i]->no_memory;
		found.count += all[i]->count;
	}
	found.each = hp_calloc(found.count + 1, sizeof *found.each);
	found.good = found.good && found.each;
	found.count = 0;
	for (unsigned i = 0; found.good && i < threads; i++) {
		for (size_t s = 0; s < all[i]->count; s++)
			found.each[found.count++] = all[i]->stretches[s];
		all[i]->count = 0;
	}
	if (found.count)
		qsort(found.each, found.count, sizeof *found.each,
		      compare_stretches);
	return found;
}

/* Finds the objects that FN keeps. */
static struct found find_objects(const struct hp_dominator_children *k,
				 uint64_t least, uint64_t most,
				 hp_parallel_for_fn *fn)
{
	uint64_t unit = k->graph->sizes.unit;
	unsigned threads;
	struct finder **all = make_finders(k, &threads);
	struct found found = { .good = false };

	for (unsigned i = 0; all && i < threads; i++) {
		all[i]->least = (least + unit - 1) / unit;
		all[i]->most = most / unit;
	}
	if (all && threads) {
		hp_parallel_for(k->graph->edges.count, threads,
				(void *const *)all, fn);
		found = join(all, threads);
	}
	drop_finders(all, threads);
	return found;
}

/* ---- finding parents and children ---------------------------------------- */

enum { PIECE = 1 << 14, BLOCK = HP_RETAINED_BLOCK };

typedef bool chooses_fn(const struct finder *f, uint32_t node);

/*
 * Finds reachable objects of the stretch for which CHOOSES is true, in the
 * blocks of objects for which CHOOSES_ANY is. Both are inlined: a call for each
 * object would take longer than all else.
 */
static inline __attribute__((always_inline)) void
find_where(struct finder *f, uint32_t begin, uint32_t end,
	   chooses_fn *chooses_any, chooses_fn *chooses)
{
	const uint64_t *reachable = f->children->graph->sizes.reachable;
	uint32_t items[PIECE + BLOCK], count = 0, from = begin, last;

	for (uint32_t i = begin; i < end; i = last + 1) {
		last = i | (BLOCK - 1);
		hp_build_trim_memory(&f->children->graph->build, i);
		if (last >= end)
			last = end - 1;
		else if (i % BLOCK == 0 && !chooses_any(f, i))
			continue;
		for (uint32_t k = i; k <= last; k++) {
			items[count] = k;
			count += chooses(f, k) && hp_bit(reachable, k);
		}
		if (count < PIECE)
			continue;
		keep_stretch(f, from, items, count);
		from = last + 1;
		count = 0;
	}
	keep_stretch(f, from, items, count);
}

/* Whether NODE retains as much as is required. */
static inline bool is_parent(const struct finder *f, uint32_t node)
{
	const struct hp_retained_sizes *sizes = &f->children->graph->sizes;
	uint64_t units = sizes->wide
				 ? ((const uint64_t *)sizes->retained.at)[node]
				 : ((const uint32_t *)sizes->retained.at)[node];

	return units >= f->least && units <= f->most;
}

/* Whether there may be one in the block from NODE on; mostly not. */
static inline bool is_parent_any(const struct finder *f, uint32_t node)
{
	return hp_retained_sizes_any(&f->children->graph->sizes, node,
				     f->least);
}

static void find_parents(void *state, uint32_t begin, uint32_t end)
{
	find_where(state, begin, end, is_parent_any, is_parent);
}

/* Whether a parent dominates NODE. */
static inline bool is_kid(const struct finder *f, uint32_t node)
{
	const struct hp_dominator_children *k = f->children;
	const uint32_t *dominator = k->graph->sizes.dominator.at;

	return hp_bit(k->parents, dominator[node]);
}

static inline bool is_kid_any(const struct finder *f, uint32_t node)
{
	(void)f;
	(void)node;
	return true;
}

static void find_kids(void *state, uint32_t begin, uint32_t end)
{
	find_where(state, begin, end, is_kid_any, is_kid);
}

/* ---- lists --------------------------------------------------------------- */

/* The number of the list of what has DOMINATOR plus 1. */
static uint32_t list_of(const struct hp_dominator_children *k,
			uint32_t dominator_plus_1)
{
	uint64_t below = ((uint64_t)1 << (dominator_plus_1 & 63)) - 1;
	size_t word = dominator_plus_1 >> 6;

	return k->rank[word] + hp_bit_count(k->parents[word] & below);
}

static enum hprof_status make_ranks(struct hp_dominator_children *k,
				    uint32_t *ret_count)
{
	size_t words = hp_bit_words(k->graph->edges.count);
	uint32_t sum = 0;

	k->rank = hp_calloc(words, sizeof *k->rank);
	if (!k->rank)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < words; i++) {
		k->rank[i] = sum;
		sum += hp_bit_count(k->parents[i]);
	}
	*ret_count = sum;
	return HPROF_OK;
}

/*
 * Counts are stored two places further on. Filling the lists then moves each
 * entry from the beginning of its list to the end, where it belongs.
 */
static void fill_lists(struct hp_dominator_children *k, struct found *found,
		       uint32_t lists)
{
	const uint32_t *dominator = k->graph->sizes.dominator.at;

	for (size_t s = 0; s < found->count; s++)
		for (size_t i = 0; i < found->each[s].count; i++) {
			uint32_t child = found->each[s].items[i];
			k->ends[list_of(k, dominator[child]) + 2]++;
		}
	for (size_t i = 2; i < (size_t)lists + 2; i++)
		k->ends[i] += k->ends[i - 1];
	for (size_t s = 0; s < found->count; s++) {
		for (size_t i = 0; i < found->each[s].count; i++) {
			uint32_t child = found->each[s].items[i];
			uint32_t list = list_of(k, dominator[child]);
			k->items[k->ends[list + 1]++] = child;
		}
		hp_free(found->each[s].items);
		found->each[s].items = NULL;
	}
}

static enum hprof_status make_lists(struct hp_dominator_children *k,
				    struct hprof_error *error)
{
	struct found found;
	uint32_t lists;
	size_t count = 0;

	if (make_ranks(k, &lists) != HPROF_OK)
		return hp_no_memory(error);
	found = find_objects(k, 0, 0, find_kids);
	for (size_t s = 0; s < found.count; s++)
		count += found.each[s].count;
	k->ends = hp_calloc((size_t)lists + 2, sizeof *k->ends);
	k->items = hp_alloc((count + 1) * sizeof *k->items);
	found.good = found.good && k->ends && k->items;
	if (found.good)
		fill_lists(k, &found, lists);
	drop_found(&found);
	return found.good ? HPROF_OK : hp_no_memory(error);
}

const uint32_t *hp_dominator_children_get(const struct hp_dominator_children *k,
					  uint32_t node,
					  const uint32_t **ret_end)
{
	uint32_t list = list_of(k, node + 1);

	*ret_end = k->items + k->ends[list + 1];
	return k->items + k->ends[list];
}

static enum hprof_status begin(struct hp_dominator_children *k,
			       const struct hprof_graph *graph)
{
	*k = (struct hp_dominator_children){ .graph = graph };
	k->parents =
		hp_calloc(hp_bit_words(graph->edges.count), sizeof *k->parents);
	return k->parents ? HPROF_OK : HPROF_E_NOMEM;
}

static void add_parent(struct hp_dominator_children *k, uint32_t node)
{
	hp_bit_set(k->parents, (uint32_t)(node + 1));
}

enum hprof_status
hp_dominator_children_of_large(struct hp_dominator_children *k,
			       const struct hprof_graph *graph, uint64_t least,
			       struct hprof_error *error)
{
	struct found found;

	if (begin(k, graph) != HPROF_OK)
		return hp_no_memory(error);
	add_parent(k, HP_NO_NODE);
	found = find_objects(k, least, UINT64_MAX, find_parents);
	for (size_t s = 0; s < found.count; s++)
		for (size_t i = 0; i < found.each[s].count; i++)
			add_parent(k, found.each[s].items[i]);
	drop_found(&found);
	return found.good ? make_lists(k, error) : hp_no_memory(error);
}

void hp_dominator_children_done(struct hp_dominator_children *k)
{
	hp_free(k->parents);
	hp_free(k->rank);
	hp_free(k->ends);
	hp_free(k->items);
	*k = (struct hp_dominator_children){ .graph = NULL };
}

/* ---- below some objects -------------------------------------------------- */

/*
 * Marks FROM and its dominators if they are below TOP. Objects outside of TOP's
 * subtree are noted, so that no later climb passes them again.
 */
static void climb(struct hp_dominator_children *k, uint64_t *outside,
		  uint32_t top, uint32_t from)
{
	const uint32_t *dominator = k->graph->sizes.dominator.at;
	uint64_t most = retained(k, top);
	uint32_t at = from + 1; /* numbers plus 1, as in the table */
	uint64_t *marks;

	while (at != top + 1 && retained(k, at - 1) <= most &&
	       dominator[at - 1] && !hp_bit(k->parents, at) &&
	       !hp_bit(outside, at))
		at = dominator[at - 1];
	marks = at == top + 1 || hp_bit(k->parents, at) ? k->parents : outside;
	for (uint32_t i = from + 1; i != at; i = dominator[i - 1])
		hp_bit_set(marks, i);
	hp_bit_set(marks, at);
}

static enum hprof_status mark_below(struct hp_dominator_children *k,
				    uint32_t top)
{
	size_t words = hp_bit_words(k->graph->edges.count);
	uint64_t *outside = hp_calloc(words, sizeof *outside);
	uint64_t most = retained(k, top);
	struct found found;

	if (!outside)
		return HPROF_E_NOMEM;
	found = find_objects(k, most / 2, most, find_parents);
	for (size_t s = 0; s < found.count; s++)
		for (size_t i = 0; i < found.each[s].count; i++)
			climb(k, outside, top, found.each[s].items[i]);
	drop_found(&found);
	hp_free(outside);
	return found.good ? HPROF_OK : HPROF_E_NOMEM;
}

enum hprof_status hp_dominator_children_of_tops(struct hp_dominator_children *k,
						const struct hprof_graph *graph,
						const uint32_t *tops,
						size_t count,
						struct hprof_error *error)
{
	if (begin(k, graph) != HPROF_OK)
		return hp_no_memory(error);
	for (size_t i = 0; i < count; i++)
		if (mark_below(k, tops[i]) != HPROF_OK)
			return hp_no_memory(error);
	return make_lists(k, error);
}
