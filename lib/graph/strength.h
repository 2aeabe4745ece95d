/* SPDX-License-Identifier: MIT */
/*
 * strength.h - by what strength objects are reached.
 */
#ifndef HP_STRENGTH_H
#define HP_STRENGTH_H

#include "graph/graph.h"

/*
 * Fills GRAPH's strengths and the totals by strength, whose reachable objects
 * and sizes must be known. Afterwards edges.weaks has only the references to
 * objects that are not strongly reachable, by the object that refers.
 */
enum hprof_status hp_graph_find_strengths(struct hprof_graph *graph);

/* The strength of the referents of OBJECT's class; 0: it is no reference. */
enum hprof_strength hp_graph_weakness(const struct hprof_graph *graph,
				      uint32_t object);

#endif
