/* SPDX-License-Identifier: MIT */
/*
 * slow_heap.h - a graph of a heap against the slow reference, edge by edge
 * as a cursor tells them.
 */
#ifndef SLOW_HEAP_H
#define SLOW_HEAP_H

#include <hprof.h>

enum { SLOW_MOST = 400 }; /* objects; more take too long */

/*
 * What is wrong about the graph of HEAP with OPTIONS (dominators and edges
 * are set), or NULL: reachability, dominators, sizes, children, totals,
 * referrers, retained sets, ways. *RET_AT is the object.
 */
const char *graph_wrong(const struct hprof_heap *heap,
			const struct hprof_graph_options *options,
			uint64_t *ret_at);

#endif
