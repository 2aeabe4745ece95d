/* SPDX-License-Identifier: MIT */
/*
 * dominator_children.h - the children of some objects in the dominator tree: of
 * those that retain much, or those that retain most of some subtrees. Lists for
 * all objects would take eight bytes per object and many times as long.
 */
#ifndef HP_DOMINATOR_CHILDREN_H
#define HP_DOMINATOR_CHILDREN_H

#include "graph/dominator_tree.h"

struct hp_dominator_children {
	const struct hprof_graph *graph;
	/*
	 * Bits: objects with a list of children, by number plus 1. The first
	 * bit is for the roots as a whole, which are HP_NO_NODE.
	 */
	uint64_t *parents;
	uint32_t *rank; /* number of parents before every 64th bit */
	uint32_t *ends; /* of the lists */
	uint32_t *items;
};

/*
 * Finds the children of the roots as a whole, and of all reachable objects that
 * retain LEAST bytes or more. Free with hp_dominator_children_done, also after
 * a failure.
 */
enum hprof_status
hp_dominator_children_of_large(struct hp_dominator_children *children,
			       const struct hprof_graph *graph, uint64_t least,
			       struct hprof_error *error);

/*
 * Finds the children of each of COUNT TOPS, none of which is below another one,
 * and of all objects below a top that retain at least half of what it does.
 */
enum hprof_status hp_dominator_children_of_tops(
	struct hp_dominator_children *children, const struct hprof_graph *graph,
	const uint32_t *tops, size_t count, struct hprof_error *error);
void hp_dominator_children_done(struct hp_dominator_children *children);

static inline bool
hp_dominator_children_has(const struct hp_dominator_children *children,
			  uint32_t node)
{
	return hp_bit(children->parents, (uint32_t)(node + 1));
}

/* The children of NODE in ascending order, up to *RET_END. */
const uint32_t *
hp_dominator_children_get(const struct hp_dominator_children *children,
			  uint32_t node, const uint32_t **ret_end);

#endif
