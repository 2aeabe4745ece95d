/* SPDX-License-Identifier: MIT */
/*
 * kept_references.h - the references between the objects that kept_objects.h
 * keeps, which searches for paths follow: of graphs with option paths.
 *
 * Nothing is lost for a search. An object that is not kept has only one
 * referrer, which is its dominator, and leads to none that is kept.
 *
 * They are packed, or they are chosen from the graph's references if it has
 * these. Both are the same ones in the same order, so that a search that ends
 * at a limit ends at the same place: no answer depends on how a graph came to
 * be.
 */
#ifndef HP_KEPT_REFERENCES_H
#define HP_KEPT_REFERENCES_H

#include "graph/graph.h"

/* Whether GRAPH knows which objects are kept. */
static inline bool hp_graph_has_kept(const struct hprof_graph *graph)
{
	return graph->packed.blocks != NULL;
}

/* Whether OBJECT is left out. Never if that is not known. */
static inline bool hp_graph_leaves_out(const struct hprof_graph *graph,
				       uint64_t object)
{
	return hp_graph_has_kept(graph) &&
	       !hp_packed_edges_have(&graph->packed, object);
}

/* The references of one object, some of which may be equal. */
struct hp_kept_walk {
	struct hp_packed_walk packed;
	/* Or: all references, of which LAST was chosen last. */
	const uint32_t *to, *end;
	const struct hp_packed_edges *kept;
	uint32_t last, of;
};

/* For an object that is left out there are none. */
struct hp_kept_walk hp_kept_references_of(const struct hprof_graph *graph,
					  uint32_t object);

/* Chooses as hp_packer_put does. */
static inline bool hp_kept_walk_choose(struct hp_kept_walk *w, uint32_t *ret,
				       bool *ret_class)
{
	while (w->to != w->end) {
		uint32_t to = *w->to++;

		if (to == HP_NONE || !hp_packed_edges_have(w->kept, to))
			continue;
		*ret_class = to == w->of;
		if (to == w->of)
			w->of = HP_NONE;
		else if (to == w->last)
			continue;
		else
			w->last = to;
		*ret = to;
		return true;
	}
	return false;
}

/* False: there are no more. *RET_CLASS: this is the reference to its class. */
static inline bool hp_kept_walk_next(struct hp_kept_walk *w, uint32_t *ret,
				     bool *ret_class)
{
	return w->packed.at ? hp_packed_walk_next(&w->packed, ret, ret_class)
			    : hp_kept_walk_choose(w, ret, ret_class);
}

#endif
