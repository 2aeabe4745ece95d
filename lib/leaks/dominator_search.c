/* SPDX-License-Identifier: MIT */
/*
 * dominator_search.c - see dominator_search.h. Threads take stretches of objects in
 * any order; what they find is joined in the order of the stretches.
 */
#include "leaks/dominator_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel_for.h"

/* The results of one thread. */
struct finder {
	const struct hp_dominator_children *children;
	uint64_t least, most; /* retained, in units of the graph */
	struct hp_found_stretch *stretches;
	size_t count, room;
	bool no_memory;
};

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
	f->stretches[f->count++] =
		(struct hp_found_stretch){ begin, copy, count };
}

static int compare_stretches(const void *left, const void *right)
{
	const struct hp_found_stretch *a = left, *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

void hp_found_objects_drop(struct hp_found_objects *found)
{
	for (size_t i = 0; i < found->count; i++)
		hp_free(found->each[i].items);
	hp_free(found->each);
}

static struct hp_found_objects join(struct finder *const *all, unsigned threads)
{
	struct hp_found_objects found = { .good = true };

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
static struct hp_found_objects
find_objects(const struct hp_dominator_children *k, uint64_t least,
	     uint64_t most, hp_parallel_for_fn *fn)
{
	uint64_t unit = k->graph->sizes.unit;
	unsigned threads;
	struct finder **all = make_finders(k, &threads);
	struct hp_found_objects found = { .good = false };

	for (unsigned i = 0; all && i < threads; i++) {
		all[i]->least = (least + unit - 1) / unit;
		all[i]->most = most / unit;
	}
	if (all && threads) {
		hp_parallel_for_crew(k->graph->edges.count, threads,
				     (void *const *)all, fn,
				     &k->graph->memo->crew, NULL);
		found = join(all, threads);
	}
	drop_finders(all, threads);
	return found;
}

/* ---- what is looked for -------------------------------------------------- */

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
static inline bool is_large(const struct finder *f, uint32_t node)
{
	const struct hp_retained_sizes *sizes = &f->children->graph->sizes;
	uint64_t units = sizes->wide
				 ? ((const uint64_t *)sizes->retained.at)[node]
				 : ((const uint32_t *)sizes->retained.at)[node];

	return units >= f->least && units <= f->most;
}

/* Whether there may be one in the block from NODE on; mostly not. */
static inline bool is_large_any(const struct finder *f, uint32_t node)
{
	return hp_retained_sizes_any(&f->children->graph->sizes, node,
				     f->least);
}

static void find_large(void *state, uint32_t begin, uint32_t end)
{
	find_where(state, begin, end, is_large_any, is_large);
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

struct hp_found_objects
hp_dominator_search_large(const struct hp_dominator_children *k, uint64_t least,
			  uint64_t most)
{
	return find_objects(k, least, most, find_large);
}

struct hp_found_objects
hp_dominator_search_kids(const struct hp_dominator_children *k)
{
	return find_objects(k, 0, 0, find_kids);
}
