/* SPDX-License-Identifier: MIT */
/*
 * slow_heap.h - compares the graph of a heap with the slow reference, whose
 * edges are those that a cursor reports.
 */
#ifndef SLOW_HEAP_H
#define SLOW_HEAP_H

#include <hprof.h>

enum { SLOW_MOST = 400 }; /* objects; more take too long */

/*
 * Builds the graph of HEAP with OPTIONS (dominators and edges are set) and
 * compares reachability, dominators, sizes, children, totals, referrers,
 * retained sets and shortest paths. Returns NULL, or what is wrong; *RET_AT is
 * the object then.
 */
const char *graph_wrong(const struct hprof_heap *heap,
			const struct hprof_graph_options *options,
			uint64_t *ret_at);

#endif
