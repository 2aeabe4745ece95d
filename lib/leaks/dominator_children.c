/* SPDX-License-Identifier: MIT */
/*
 * dominator_children.c - see dominator_children.h. Parents are found first, or, below
 * some objects, one generation after the other. Then a pass over all dominators finds
 * what they dominate, in ascending order, which is sorted by parent at the end.
 */
#include "leaks/dominator_children.h"

#include <assert.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/u64_map.h"
#include "leaks/dominator_search.h"

static uint64_t retained(const struct hp_dominator_children *k, uint32_t node)
{
	return hp_retained_sizes_retained(&k->graph->sizes, node);
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
static void fill_lists(struct hp_dominator_children *k,
		       struct hp_found_objects *found, uint32_t lists)
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

/* Makes the lists of all parents from what they dominate, and drops FOUND. */
static enum hprof_status make_lists(struct hp_dominator_children *k,
				    struct hp_found_objects *found)
{
	enum hprof_status status;
	uint32_t lists = 0;
	size_t count = 0;

	for (size_t s = 0; s < found->count; s++)
		count += found->each[s].count;
	status = found->good ? make_ranks(k, &lists) : HPROF_E_NOMEM;
	k->ends = hp_calloc((size_t)lists + 2, sizeof *k->ends);
	k->items = hp_alloc((count + 1) * sizeof *k->items);
	if (!k->ends || !k->items)
		status = HPROF_E_NOMEM;
	if (status == HPROF_OK)
		fill_lists(k, found, lists);
	hp_found_objects_drop(found);
	return status;
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
	struct hp_found_objects found;

	if (begin(k, graph) != HPROF_OK)
		return hp_no_memory(error);
	add_parent(k, HP_NO_NODE);
	found = hp_dominator_search_large(k, least, UINT64_MAX);
	for (size_t s = 0; s < found.count; s++)
		for (size_t i = 0; i < found.each[s].count; i++)
			add_parent(k, found.each[s].items[i]);
	hp_found_objects_drop(&found);
	if (!found.good)
		return hp_no_memory(error);
	found = hp_dominator_search_kids(k);
	return make_lists(k, &found) == HPROF_OK ? HPROF_OK
						 : hp_no_memory(error);
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

/* The way up to a top: bits of objects, by number plus 1. */
struct climb {
	struct hp_dominator_children *children;
	uint32_t top;
	uint64_t *inside;  /* of its subtree, as far as known */
	uint64_t *outside; /* so that no later climb passes them again */
};

/* Marks FROM and its dominators if they are below the top. */
static void climb(const struct climb *c, uint32_t from)
{
	struct hp_dominator_children *k = c->children;
	const uint32_t *dominator = k->graph->sizes.dominator.at;
	uint64_t most = retained(k, c->top);
	uint32_t at = from + 1; /* numbers plus 1, as in the table */
	bool inside;

	while (at != c->top + 1 && retained(k, at - 1) <= most &&
	       dominator[at - 1] && !hp_bit(c->inside, at) &&
	       !hp_bit(c->outside, at))
		at = dominator[at - 1];
	inside = at == c->top + 1 || hp_bit(c->inside, at);
	for (uint32_t i = from + 1; i != at; i = dominator[i - 1]) {
		hp_bit_set(inside ? c->inside : c->outside, i);
		if (inside)
			hp_bit_set(k->parents, i);
	}
	hp_bit_set(inside ? c->inside : c->outside, at);
}

static enum hprof_status mark_below(struct hp_dominator_children *k,
				    uint32_t top)
{
	size_t words = hp_bit_words(k->graph->edges.count);
	struct climb c = { k, top, hp_calloc(words, sizeof *c.inside),
			   hp_calloc(words, sizeof *c.outside) };
	uint64_t most = retained(k, top);
	struct hp_found_objects found = { .good = false };

	if (c.inside && c.outside)
		found = hp_dominator_search_large(k, most / 2, most);
	for (size_t s = 0; s < found.count; s++)
		for (size_t i = 0; i < found.each[s].count; i++)
			climb(&c, found.each[s].items[i]);
	hp_found_objects_drop(&found);
	hp_free(c.inside);
	hp_free(c.outside);
	return found.good ? HPROF_OK : HPROF_E_NOMEM;
}

/*
 * Most tops have little below them that is half as large, while many others are as
 * large as that. So a few passes over all objects go down from all tops at once.
 * What is further down is found by its size, and climbs.
 */
enum { STEPS = 3 };

struct descent {
	const uint32_t *tops;
	size_t count;
	struct hp_u64_map top_of; /* of each parent plus 1: the number */
	uint8_t *steps;		  /* that led down from each top */
	bool more;		  /* the last step led down from one */
};

/*
 * Step NUMBER: of what parents dominate, what retains half of the top above becomes a
 * parent as well.
 */
static enum hprof_status go_down(struct hp_dominator_children *k,
				 struct descent *d,
				 const struct hp_found_objects *found,
				 uint8_t number)
{
	const uint32_t *dominator = k->graph->sizes.dominator.at;

	d->more = false;
	for (size_t s = 0; s < found->count; s++)
		for (size_t i = 0; i < found->each[s].count; i++) {
			uint32_t kid = found->each[s].items[i];
			size_t top =
				hp_u64_map_number(&d->top_of, dominator[kid]);

			assert(top != HP_NO_NUMBER);
			if (hp_dominator_children_has(k, kid) ||
			    retained(k, kid) < retained(k, d->tops[top]) / 2)
				continue;
			HP_TRY(hp_u64_map_put_number(&d->top_of,
						     (uint64_t)kid + 1, top));
			add_parent(k, kid);
			d->steps[top] = number;
			d->more = true;
		}
	return HPROF_OK;
}

/* What is further down from TOPS than steps lead. */
static enum hprof_status mark_rest(struct hp_dominator_children *k,
				   const struct descent *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->steps[i] == STEPS)
			HP_TRY(mark_below(k, d->tops[i]));
	return HPROF_OK;
}

static enum hprof_status find_below(struct hp_dominator_children *k,
				    struct descent *d)
{
	struct hp_found_objects found;

	for (size_t i = 0; i < d->count; i++) {
		add_parent(k, d->tops[i]);
		HP_TRY(hp_u64_map_put_number(&d->top_of,
					     (uint64_t)d->tops[i] + 1, i));
	}
	for (uint8_t number = 1; number <= STEPS; number++) {
		enum hprof_status status = HPROF_E_NOMEM;

		found = hp_dominator_search_kids(k);
		if (found.good)
			status = go_down(k, d, &found, number);
		if (status == HPROF_OK && !d->more)
			return make_lists(k, &found);
		hp_found_objects_drop(&found);
		HP_TRY(status);
	}
	HP_TRY(mark_rest(k, d));
	found = hp_dominator_search_kids(k);
	return make_lists(k, &found);
}

enum hprof_status hp_dominator_children_of_tops(struct hp_dominator_children *k,
						const struct hprof_graph *graph,
						const uint32_t *tops,
						size_t count,
						struct hprof_error *error)
{
	struct descent d = { .tops = tops,
			     .count = count,
			     .steps = hp_calloc(count + 1, sizeof *d.steps) };
	enum hprof_status status = begin(k, graph);

	if (!d.steps)
		status = HPROF_E_NOMEM;
	if (status == HPROF_OK)
		status = hp_u64_map_init(&d.top_of, 1);
	if (status == HPROF_OK) {
		status = find_below(k, &d);
		hp_u64_map_done(&d.top_of);
	}
	hp_free(d.steps);
	return status == HPROF_OK ? HPROF_OK : hp_no_memory(error);
}
