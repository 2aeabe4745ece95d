/* SPDX-License-Identifier: MIT */
/*
 * graph_reduce.h - the graph of the objects that kept_objects.h keeps: its nodes
 * are their trees, its edges the references from objects of trees to the tops of
 * others.
 */
#ifndef HP_GRAPH_REDUCE_H
#define HP_GRAPH_REDUCE_H

#include "graph/dominators.h"
#include "graph/kept_objects.h"

struct hp_packed_edges;

/*
 * Finds the objects that are kept and makes a graph of them: dom->count,
 * dom->offset, dom->target, dom->roots, and with HEADS also dom->heads. Unless
 * TARGETS_STAY is set, the targets, degrees and lists of EDGES are lost, but not
 * before they are in RET_PACKED, unless that is NULL. If they stay, RET_PACKED gets
 * the objects that are kept and no references.
 */
enum hprof_status hp_reduction_graph(struct hp_build *build,
				     struct hp_edges *edges, bool heads,
				     bool targets_stay,
				     struct hp_reduction *ret_reduction,
				     struct hp_packed_edges *ret_packed,
				     struct hp_dominators *dom);

#endif
