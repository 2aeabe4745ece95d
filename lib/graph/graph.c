/* SPDX-License-Identifier: MIT */
/*
 * graph.c - answers from the tables of a graph that has been built.
 */
#include "graph/graph.h"

#include "base/error.h"

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
	if ((parts & HP_GRAPH_STRENGTHS) && !graph->options.strengths)
		return hp_bad_argument(error, "graph",
				       "was built without option strengths");
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

bool hprof_graph_is_reachable(const struct hprof_graph *g, uint64_t object)
{
	return hp_graph_has(g, object) && hp_bit(g->sizes.reachable, object);
}

bool hprof_graph_is_root(const struct hprof_graph *g, uint64_t object)
{
	return hp_graph_has(g, object) && hp_bit(g->edges.roots, object);
}

uint64_t hprof_graph_dominator(const struct hprof_graph *g, uint64_t object)
{
	uint32_t dominator; /* dominator plus 1 */

	if (!hp_graph_is_dominated(g, object))
		return HPROF_NO_OBJECT;
	dominator = ((const uint32_t *)g->sizes.dominator.at)[object];
	return dominator ? dominator - 1 : HPROF_NO_OBJECT;
}

uint64_t hprof_graph_retained(const struct hprof_graph *g, uint64_t object)
{
	return hp_graph_is_dominated(g, object)
		       ? hp_retained_sizes_retained(&g->sizes, (uint32_t)object)
		       : 0;
}

uint64_t hprof_graph_shallow(const struct hprof_graph *g, uint64_t object)
{
	return hp_graph_has(g, object)
		       ? hp_edges_shallow(&g->edges, (uint32_t)object)
		       : 0;
}

size_t hprof_graph_class_row(const struct hprof_graph *g, uint64_t object,
			     bool *ret_is_class)
{
	uint32_t kind;

	if (!hp_graph_has(g, object) || !ret_is_class)
		return SIZE_MAX;
	kind = hp_graph_kind(g, (uint32_t)object);
	*ret_is_class = hp_kind_is_class(kind);
	return hp_kind_row(kind);
}
