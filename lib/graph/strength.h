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

/* The referent of a reference; HP_NONE: none, or it is strongly reachable. */
uint32_t hp_graph_weak_referent(const struct hprof_graph *graph,
				uint32_t object);

/*
 * Calls FN for each object of STRENGTH, with the reference object, of that
 * strength too, by way of which it was found: first each referent, then what
 * the first of them can reach, and so on. GRAPH has option strengths.
 */
typedef void hp_strength_fn(void *user, uint32_t reference, uint32_t object);
enum hprof_status hp_graph_strength_each(const struct hprof_graph *graph,
					 enum hprof_strength strength,
					 hp_strength_fn *fn, void *user,
					 struct hprof_error *error);

/* The strength of the referents of OBJECT's class; 0: it is no reference. */
enum hprof_strength hp_graph_weakness(const struct hprof_graph *graph,
				      uint32_t object);

#endif
