/* SPDX-License-Identifier: MIT */
/*
 * graph.h - the inside of struct hprof_graph.
 */
#ifndef HP_GRAPH_H
#define HP_GRAPH_H

#include <pthread.h>

#include "hprof/graph.h"
#include "graph/edges.h"
#include "heap/heap.h"
#include "graph/retained_sizes.h"

#define HP_IRREGULAR ((uint64_t)1 << 63)

struct hprof_graph {
	const struct hprof_heap *heap;
	struct hprof_graph_options options;
	struct hp_build job;
	struct hp_edges edges; /* without option edges: sizes and roots */
	struct hp_retained_sizes
		sums; /* without option dominators: reachable */
	struct hprof_graph_totals totals;
	/*
	 * Option edges: the row of edges.target where the targets of every
	 * 32nd object begin; HP_IRREGULAR: and those of the others do not
	 * just follow.
	 */
	uint64_t *starts;
	/* Who refers to whom, once that was asked for often enough. */
	pthread_mutex_t lock;
	struct hp_mapped_table back_offset; /* u64[count + 1] */
	struct hp_mapped_table back;	    /* u32 */
	unsigned asked;
};

/*
 * What an object is: twice the row of its class; of a class object twice the
 * row of the class that it is, and one more. The row behind the last one: not
 * known.
 */
static inline uint32_t hp_graph_kind(const struct hprof_graph *graph,
				     uint32_t object)
{
	const struct hp_edges *e = &graph->edges;

	return e->wide_what ? ((const uint32_t *)e->what.at)[object] :
			      ((const uint16_t *)e->what.at)[object];
}

/* graph_references.c: prepares look-ups of single objects' targets. */
enum hprof_status hp_graph_index(struct hprof_graph *graph);

/* The targets of OBJECT; some may be HP_NONE. */
uint64_t hp_graph_targets(const struct hprof_graph *graph, uint32_t object,
			  const uint32_t **ret_targets);

/* Calls FN for each object that has targets, in order. */
typedef void hp_targets_fn(void *user, uint32_t object,
			   const uint32_t *targets, uint64_t count);
void hp_graph_each(const struct hprof_graph *graph, hp_targets_fn *fn,
		   void *user);

/* Marks all that can be reached; for graphs without dominators. */
enum hprof_status hp_graph_reach(struct hprof_graph *graph);

#endif
