/* SPDX-License-Identifier: MIT */
/*
 * kept_objects.h - which objects have to be in the graph whose dominators are
 * computed.
 *
 * An object with a single referrer is dominated by that referrer. Such objects
 * form trees. If no object of a tree refers to an object with several
 * referrers, the tree has no influence on other dominators: it is left out, and
 * its size is added to that of the object it hangs on. The result is exact.
 * All other objects are kept and become the nodes of the reduced graph.
 */
#ifndef HP_KEPT_OBJECTS_H
#define HP_KEPT_OBJECTS_H

#include <assert.h>

#include "graph/edge_partitions.h"

/* For 64 objects: which are kept, and how many were kept before them. */
struct hp_reduction_block {
	uint64_t bits;
	uint32_t rank;
};

struct hp_reduction {
	uint32_t count;		       /* objects */
	uint32_t kept;		       /* nodes */
	struct hp_mapped_table blocks; /* struct hp_reduction_block */
	/*
	 * Objects that are kept and not roots, as bits; only until the graph is
	 * made.
	 */
	uint64_t *several;
	uint64_t *roots, *heads; /* bits of nodes */
};

/*
 * Finds the objects that are kept, for PATHS also those that searches for paths
 * need. Free with hp_reduction_done, also after a failure.
 */
enum hprof_status hp_reduction_keep(struct hp_build *build,
				    const struct hp_edges *edges,
				    struct hp_edge_partitions *parts,
				    bool paths, struct hp_reduction *ret);
void hp_reduction_done(struct hp_build *build, struct hp_reduction *reduction);

static inline bool hp_reduction_keeps(const struct hp_reduction_block *blocks,
				      uint32_t i)
{
	return blocks[i >> 6].bits >> (i & 63) & 1;
}

/* The number of the node that stands for object I, which must be kept. */
static inline uint32_t
hp_reduction_node(const struct hp_reduction_block *blocks, uint32_t i)
{
	const struct hp_reduction_block *b = &blocks[i >> 6];
	uint64_t below = ((uint64_t)1 << (i & 63)) - 1;

	assert(hp_reduction_keeps(blocks, i));
	return b->rank + hp_bit_count(b->bits & below);
}

#endif
