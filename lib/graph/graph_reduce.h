/* SPDX-License-Identifier: MIT */
/*
 * graph_reduce.h - what need not be in the graph to know its dominators.
 *
 * An object that only one other refers to is dominated by it. If all that
 * can be reached from it through such references ends there, that is, nothing
 * of it refers to an object with several referrers, it can be left out
 * exactly: its size goes to the one that refers to it. What cannot be left
 * out is kept.
 */
#ifndef HP_GRAPH_REDUCE_H
#define HP_GRAPH_REDUCE_H

#include "graph/dominators.h"
#include "graph/edges.h"

/* 64 objects: which are kept, and how many are before them. */
struct hp_reduction_block {
	uint64_t bits;
	uint32_t rank;
};

struct hp_reduction {
	uint32_t count;		       /* objects */
	uint32_t kept;		       /* nodes */
	struct hp_mapped_table blocks; /* struct hp_reduction_block */
	uint64_t *several;	 /* bits: kept objects that are no roots */
	uint64_t *roots, *heads; /* bits of nodes */
};

/*
 * Finds what is kept and makes a graph of it: dom->count, dom->offset,
 * dom->target, dom->roots. With HEADS also dom->heads. Unless EDGES_STAY, the
 * targets of EDGES are used up.
 */
enum hprof_status hp_reduction_graph(struct hp_build *build,
				     struct hp_edges *edges, bool heads,
				     bool edges_stay,
				     struct hp_reduction *ret_peel,
				     struct hp_dominators *dom);
void hp_reduction_done(struct hp_build *build, struct hp_reduction *reduction);

static inline bool hp_reduction_keeps(const struct hp_reduction_block *blocks,
				      uint32_t i)
{
	return blocks[i >> 6].bits >> (i & 63) & 1;
}

/* The node that the kept object I is. */
static inline uint32_t
hp_reduction_node(const struct hp_reduction_block *blocks, uint32_t i)
{
	const struct hp_reduction_block *b = &blocks[i >> 6];
	uint64_t below = ((uint64_t)1 << (i & 63)) - 1;

	return b->rank + hp_bit_count(b->bits & below);
}

#endif
