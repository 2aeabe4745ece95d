/* SPDX-License-Identifier: MIT */
/*
 * top_objects.c - see top_objects.h.
 *
 * This is a binary heap with the least object at its root, so that a new object
 * is compared only with the root. Each thread of a search has its own heap.
 */
#include "graph/top_objects.h"

#include <assert.h>

#include "graph/graph.h"
#include "base/mem.h"
#include "base/parallel_for.h"

enum hprof_status hp_top_objects_init(struct hp_top_objects *b,
				      const struct hprof_graph *graph,
				      size_t room)
{
	uint64_t all = hprof_graph_totals(graph)->objects;

	*b = (struct hp_top_objects){ .graph = graph, .room = room };
	if (b->room > all)
		b->room = (size_t)all;
	b->objects = hp_calloc(b->room + 1, sizeof *b->objects);
	return b->objects ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_top_objects_done(struct hp_top_objects *b)
{
	hp_free(b->objects);
	b->objects = NULL;
}

static bool is_less(const struct hp_top_objects *b, uint64_t x, uint64_t y)
{
	uint64_t left = hprof_graph_retained(b->graph, x);
	uint64_t right = hprof_graph_retained(b->graph, y);

	return left != right ? left < right : x > y;
}

/* Restores the order of the heap below I after objects[I] was replaced. */
static void sift_down(struct hp_top_objects *b, size_t i)
{
	for (;;) {
		size_t least = i, left = 2 * i + 1, right = left + 1;
		uint64_t object = b->objects[i];

		if (left < b->count &&
		    is_less(b, b->objects[left], b->objects[least]))
			least = left;
		if (right < b->count &&
		    is_less(b, b->objects[right], b->objects[least]))
			least = right;
		if (least == i)
			return;
		b->objects[i] = b->objects[least];
		b->objects[least] = object;
		i = least;
	}
}

void hp_top_objects_offer(struct hp_top_objects *b, uint64_t object)
{
	if (b->count < b->room) {
		b->objects[b->count++] = object;
		if (b->count == b->room)
			for (size_t i = b->count; i-- > 0;)
				sift_down(b, i);
	} else if (b->count && is_less(b, b->objects[0], object)) {
		b->objects[0] = object;
		sift_down(b, 0);
	}
}

/* Heap sort: repeatedly moves the least remaining object behind the others. */
void hp_top_objects_sort(struct hp_top_objects *b)
{
	size_t all = b->count;

	assert(all <= b->room);
	for (size_t i = all; i-- > 0;)
		sift_down(b, i);
	while (b->count > 1) {
		uint64_t least = b->objects[0];

		b->objects[0] = b->objects[--b->count];
		b->objects[b->count] = least;
		sift_down(b, 0);
	}
	b->count = all;
}

/* ---- of all reachable objects -------------------------------------------- */

/*
 * Sizes may ascend along a long list, and each would take the place of one before. So
 * blocks are searched in an order that has nothing to do with that: a step that has
 * no divisor in common with their number leads through all of them, and those that
 * follow each other are far apart.
 */
enum { BLOCK = 1 << 12 };

struct blocks {
	uint32_t count; /* whole ones */
	uint32_t step;
};

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Files are read ahead, if they are read from front to back. */
static struct blocks blocks_of(const struct hprof_graph *graph)
{
	uint32_t count = graph->edges.count / BLOCK, step = 1;

	/* By the golden ratio, which no fraction of small numbers comes near. */
	if (!graph->build.tables.spill)
		step += (uint32_t)(count * UINT64_C(0x9e3779b9) >> 32);
	while (common_divisor(count, step) > 1)
		step++;
	return (struct blocks){ count, step };
}

/* Where block I of the order begins; what is left behind whole ones stays there. */
static uint32_t block_begin(const struct blocks *blocks, uint32_t i)
{
	uint64_t block = i;

	if (i < blocks->count)
		block = block * blocks->step % blocks->count;
	return (uint32_t)(block * BLOCK);
}

/* What a thread has found. */
struct search {
	struct hp_top_objects top;
	struct blocks blocks;
	hp_top_wanted_fn *wanted;
	const void *user;
	uint64_t least; /* that is of interest */
};

static void offer_block(struct search *search, uint32_t begin, uint32_t end)
{
	struct hp_top_objects *b = &search->top;
	const struct hp_retained_sizes *sizes = &b->graph->sizes;
	const struct hp_build *build = &b->graph->build;
	uint64_t least = search->least;

	for (uint32_t i = begin;
	     (i = hp_retained_sizes_next(build, sizes, i, end, least)) < end;
	     i++) {
		if (!hp_bit(sizes->reachable, i) ||
		    (search->wanted &&
		     !search->wanted(search->user, b->graph, i)))
			continue;
		hp_top_objects_offer(b, i);
		if (b->count && b->count == b->room)
			least = hprof_graph_retained(b->graph, b->objects[0]);
	}
	search->least = least;
}

static void offer_span(void *state, uint32_t begin, uint32_t end)
{
	struct search *search = state;

	for (uint32_t at = begin, next; at < end; at = next) {
		uint32_t left = BLOCK - at % BLOCK;
		uint32_t from =
			block_begin(&search->blocks, at / BLOCK) + at % BLOCK;

		next = end - at < left ? end : at + left;
		offer_block(search, from, from + (next - at));
	}
}

/* Makes heaps for at most MOST threads and returns their number. */
static unsigned make_heaps(struct search *searches, unsigned most,
			   const struct hprof_graph *graph, size_t room)
{
	unsigned made = 0;

	while (made < most && hp_top_objects_init(&searches[made].top, graph,
						  room) == HPROF_OK)
		made++;
	if (made < most)
		hp_top_objects_done(&searches[made].top);
	return made;
}

/* Takes what other threads found into the heap of the first. */
static void merge(struct search *searches, unsigned count)
{
	struct hp_top_objects *top = &searches[0].top;

	for (unsigned i = 1; i < count; i++) {
		const struct hp_top_objects *other = &searches[i].top;

		for (size_t k = 0; k < other->count; k++)
			hp_top_objects_offer(top, other->objects[k]);
		hp_top_objects_done(&searches[i].top);
	}
	hp_top_objects_sort(top);
}

enum hprof_status hp_top_objects_find(struct hp_top_objects *ret_top,
				      const struct hprof_graph *graph,
				      size_t room, hp_top_wanted_fn *wanted,
				      const void *user)
{
	uint32_t count = graph->edges.count;
	unsigned most = hp_parallel_for_threads(count, graph->options.threads);
	struct search *searches = hp_calloc(most, sizeof *searches);
	void **states = hp_calloc(most, sizeof *states);
	const struct blocks blocks = blocks_of(graph);
	unsigned made = 0;

	if (searches && states)
		made = make_heaps(searches, most, graph, room);
	for (unsigned i = 0; i < made; i++) {
		searches[i].blocks = blocks;
		searches[i].wanted = wanted;
		searches[i].user = user;
		states[i] = &searches[i];
	}
	if (made) {
		hp_parallel_for_crew(count, made, states, offer_span,
				     &graph->memo->crew, NULL);
		merge(searches, made);
		*ret_top = searches[0].top;
	}
	hp_free(searches);
	hp_free(states);
	return made ? HPROF_OK : HPROF_E_NOMEM;
}

/* ---- of those with one dominator ----------------------------------------- */

/* The caller's array is the heap, so this needs no memory. */
size_t hprof_graph_children(const struct hprof_graph *graph, uint64_t of,
			    size_t count, uint64_t *ret_objects)
{
	struct hp_top_objects top = { .graph = graph,
				      .objects = ret_objects,
				      .room = count };

	if (!ret_objects || !hp_graph_has(graph, 0) ||
	    (of != HPROF_NO_OBJECT && !hp_graph_is_dominated(graph, of)))
		return 0;
	for (uint32_t i = 0; i < graph->edges.count; i++)
		if (hprof_graph_dominator(graph, i) == of &&
		    hp_graph_is_dominated(graph, i))
			hp_top_objects_offer(&top, i);
	hp_top_objects_sort(&top);
	return top.count;
}
