/* SPDX-License-Identifier: MIT */
/*
 * graph.c - answers from the tables of a graph that has been built.
 */
#include "graph/graph.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"

/* ---- what a graph has ---------------------------------------------------- */

enum hprof_status hp_graph_need(const struct hprof_graph *graph, unsigned parts,
				struct hprof_error *error)
{
	HP_NEED(error, graph);
	if ((parts & HP_GRAPH_DOMINATORS) && !graph->options.dominators)
		return hp_bad_argument(error, "graph",
				       "was built without option dominators");
	if ((parts & HP_GRAPH_EDGES) && !graph->options.edges)
		return hp_bad_argument(error, "graph",
				       "was built without option edges");
	return HPROF_OK;
}

enum hprof_status hp_graph_need_object(const struct hprof_graph *graph,
				       uint64_t object,
				       struct hprof_error *error)
{
	return object < graph->edges.count
		       ? HPROF_OK
		       : hp_bad_argument(error, "object",
					 "is no object of the graph's heap");
}

const struct hprof_heap *hprof_graph_heap(const struct hprof_graph *g)
{
	return g ? g->heap : NULL;
}

const struct hprof_graph_totals *hprof_graph_totals(const struct hprof_graph *g)
{
	return g ? &g->totals : NULL;
}

size_t hprof_graph_phases(const struct hprof_graph *g,
			  const struct hprof_phase **ret_phases)
{
	if (!g || !ret_phases)
		return 0;
	*ret_phases = g->build.phases;
	return g->build.phase_count;
}

/* ---- single objects ------------------------------------------------------ */

static bool has(const struct hprof_graph *g, uint64_t object)
{
	return g && object < g->edges.count;
}

bool hprof_graph_is_reachable(const struct hprof_graph *g, uint64_t object)
{
	return has(g, object) && hp_bit(g->sizes.reachable, object);
}

bool hprof_graph_is_root(const struct hprof_graph *g, uint64_t object)
{
	return has(g, object) && hp_bit(g->edges.roots, object);
}

/* True if the tables say something of OBJECT. */
static bool is_known(const struct hprof_graph *g, uint64_t object)
{
	return has(g, object) && g->options.dominators &&
	       (g->options.unreachable || hp_bit(g->sizes.reachable, object));
}

uint64_t hprof_graph_dominator(const struct hprof_graph *g, uint64_t object)
{
	uint32_t above;

	if (!is_known(g, object))
		return HPROF_NO_OBJECT;
	above = ((const uint32_t *)g->sizes.dominator.at)[object];
	return above ? above - 1 : HPROF_NO_OBJECT;
}

uint64_t hprof_graph_retained(const struct hprof_graph *g, uint64_t object)
{
	return is_known(g, object)
		       ? hp_retained_sizes_retained(&g->sizes, (uint32_t)object)
		       : 0;
}

uint64_t hprof_graph_shallow(const struct hprof_graph *g, uint64_t object)
{
	return has(g, object) ? hp_edges_shallow(&g->edges, (uint32_t)object)
			      : 0;
}

/* ---- the largest children ------------------------------------------------ */

struct child {
	uint64_t retained;
	uint32_t object;
};

/* True if A comes behind B. */
static bool behind(const struct child *a, const struct child *b)
{
	return a->retained != b->retained ? a->retained < b->retained
					  : a->object > b->object;
}

/* A heap with the least child on top: moves what is at I down. */
static void sift_down(struct child *heap, size_t count, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
			if (behind(&heap[k], &heap[least]))
				least = k;
		if (least == i)
			return;
		struct child moved = heap[i];
		heap[i] = heap[least];
		heap[least] = moved;
		i = least;
	}
}

static void sift_up(struct child *heap, size_t i)
{
	while (i > 0 && behind(&heap[i], &heap[(i - 1) / 2])) {
		struct child moved = heap[i];
		heap[i] = heap[(i - 1) / 2];
		heap[(i - 1) / 2] = moved;
		i = (i - 1) / 2;
	}
}

static int compare_children(const void *a, const void *b)
{
	return behind(a, b) ? 1 : behind(b, a) ? -1 : 0;
}

static void take_child(const struct hprof_graph *g, uint32_t i,
		       struct child *best, size_t *used, size_t most)
{
	struct child child = { hp_retained_sizes_retained(&g->sizes, i), i };

	if (*used < most) {
		best[*used] = child;
		sift_up(best, (*used)++);
	} else if (behind(&best[0], &child)) {
		best[0] = child;
		sift_down(best, *used, 0);
	}
}

static size_t find_children(const struct hprof_graph *g, uint32_t above,
			    size_t count, struct child *best)
{
	const uint32_t *dominator = g->sizes.dominator.at;
	size_t used = 0;

	for (uint32_t i = 0; i < g->edges.count; i++)
		if (dominator[i] == above && is_known(g, i))
			take_child(g, i, best, &used, count);
	qsort(best, used, sizeof *best, compare_children);
	return used;
}

size_t hprof_graph_children(const struct hprof_graph *g, uint64_t of,
			    size_t count, uint64_t *ret_objects)
{
	struct child *best;
	size_t used;

	if (!g || !ret_objects || !g->options.dominators ||
	    (of != HPROF_NO_OBJECT && !is_known(g, of)))
		return 0;
	if (count > g->edges.count)
		count = g->edges.count;
	best = count ? hp_calloc(count, sizeof *best) : NULL;
	if (!best)
		return 0;
	used = find_children(g, of == HPROF_NO_OBJECT ? 0 : (uint32_t)of + 1,
			     count, best);
	for (size_t i = 0; i < used; i++)
		ret_objects[i] = best[i].object;
	hp_free(best);
	return used;
}
