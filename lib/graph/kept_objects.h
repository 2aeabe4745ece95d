/* SPDX-License-Identifier: MIT */
/*
 * kept_objects.h - which objects have to be in the graph whose dominators are
 * computed.
 *
 * An object with a single referrer is dominated by that referrer. Such objects
 * form trees. If no object of a tree refers to an object with several
 * referrers, the tree has no influence on other dominators: it is left out, and
 * its size is added to that of the object it hangs on. The result is exact.
 *
 * All other objects are kept. They form trees, too: what has a single referrer
 * hangs on it, and the rest are the tops of the trees. The trees become the
 * nodes of the reduced graph.
 */
#ifndef HP_KEPT_OBJECTS_H
#define HP_KEPT_OBJECTS_H

#include "graph/edge_partitions.h"
#include "base/ranked_bits.h"

struct hp_reduction {
	uint32_t count;		       /* objects */
	uint32_t kept;		       /* of these */
	uint32_t tree_count;	       /* nodes of the graph */
	struct hp_mapped_table blocks; /* struct hp_ranked_bits */
	/*
	 * The same of tops. No table: each kept object is a tree by itself, so
	 * that their blocks are those of all.
	 */
	struct hp_mapped_table top_blocks;
	/*
	 * Bits of objects, until the graph is made: what edges lead to, which is no
	 * root. At first that is what several objects refer to; from
	 * hp_reduction_number_tops on all tops. With trees, tops with one referrer
	 * or none are garbage, so it does not matter which of both is used.
	 */
	uint64_t *several;
	uint64_t *roots, *heads; /* bits of nodes */
	bool thin; /* the targets are edges alone: hp_reduction_keep saw to that */
	/* Only if there are top_blocks: see kept_trees.h. */
	struct hp_kept_trees {
		struct hp_mapped_table position, first, edge;
		const uint32_t *referrer; /* see edges.h */
	} trees;
};

/*
 * Finds the objects that are kept, and the tops if there are to be TREES. For
 * PATHS, objects that searches for paths need are kept as well. Free with
 * hp_reduction_done, also after a failure.
 *
 * Where nothing else needs the targets of EDGES, with TREES, only those stay that
 * are edges: they are moved to the front of the rows of each run, and degrees and
 * lists count them alone. RET->thin says so. For PATHS and if TARGETS_STAY, all stay
 * as they are.
 */
enum hprof_status hp_reduction_keep(struct hp_build *build,
				    struct hp_edges *edges,
				    struct hp_edge_partitions *parts,
				    bool paths, bool trees, bool targets_stay,
				    struct hp_reduction *ret);
/* Numbers the tops, which may have become more. */
void hp_reduction_number_tops(struct hp_reduction *reduction,
			      const struct hp_edges *edges);
void hp_reduction_done(struct hp_build *build, struct hp_reduction *reduction);

/*
 * Whether TARGET, which may be HP_NONE, is in SEVERAL of a reduction. No branch, as
 * that cannot be predicted.
 */
static inline bool hp_reduction_counts(const uint64_t *several, uint32_t target)
{
	const bool some = target != HP_NONE;

	return some & hp_bit(several, some ? target : 0);
}

static inline const struct hp_ranked_bits *
hp_reduction_tops(const struct hp_reduction *reduction)
{
	return reduction->top_blocks.at ? reduction->top_blocks.at
					: reduction->blocks.at;
}

#endif
