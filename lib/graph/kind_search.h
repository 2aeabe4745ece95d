/* SPDX-License-Identifier: MIT */
/*
 * kind_search.h - a search for the few objects of some classes among all.
 */
#ifndef HP_KIND_SEARCH_H
#define HP_KIND_SEARCH_H

#include "graph/graph.h"
#include "graph/object_kind.h"

/*
 * The first object from I on of a kind that is not 0 in MARKS, which has a row for
 * each kind (hp_kind_count); the number of all objects if there is none.
 */
uint64_t hp_kind_search_next(const struct hprof_graph *graph,
			     const uint8_t *marks, uint64_t i);

#endif
