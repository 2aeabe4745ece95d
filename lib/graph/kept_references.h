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
	/* Or: all references, of which the last may be to class OF. */
	const uint32_t *to, *end;
	const struct hp_packed_edges *kept; /* NULL: they are packed */
	uint32_t of;
};

/* For an object that is left out there are none. */
struct hp_kept_walk hp_kept_references_of(const struct hprof_graph *graph,
					  uint32_t object);

/* Chooses what kept_packing.c packs. */
static inline bool hp_kept_walk_choose(struct hp_kept_walk *w, uint32_t *ret,
				       bool *ret_class)
{
	while (w->to != w->end) {
		*ret = *w->to++;
		*ret_class = w->to == w->end && *ret == w->of;
		if (*ret != HP_NONE && hp_packed_edges_have(w->kept, *ret))
			return true;
	}
	return false;
}

/* False: there are no more. *RET_CLASS: this is the reference to its class. */
static inline bool hp_kept_walk_next(struct hp_kept_walk *w, uint32_t *ret,
				     bool *ret_class)
{
	return w->kept ? hp_kept_walk_choose(w, ret, ret_class)
		       : hp_packed_walk_next(&w->packed, ret, ret_class);
}

#endif
