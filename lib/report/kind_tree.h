/* SPDX-License-Identifier: MIT */
/*
 * kind_tree.h - the dominator tree with all objects of a kind that have the same
 * kinds above them as one node. An object that is dominated by one of its own kind
 * is in the node of that.
 */
#ifndef HP_KIND_TREE_H
#define HP_KIND_TREE_H

#include "graph/graph.h"

/* Nodes at most; beyond it, objects count for what dominates them. */
#define HP_KIND_NODES_MOST (1u << 20)

struct hp_kind_node {
	uint32_t parent; /* less than its own number */
	uint32_t kind;	 /* not of the root, which is node 0 */
	uint32_t depth;
	uint64_t shallow, objects; /* of its own objects */
};

struct hp_kind_tree {
	struct hp_kind_node *nodes; /* in the order of their first objects */
	size_t count, room;
};

/* By one thread that visits each object and those that dominate it. */
enum hprof_status hp_kind_tree_walk(const struct hprof_graph *graph,
				    struct hp_kind_tree *ret_tree,
				    struct hprof_error *error);
void hp_kind_tree_done(struct hp_kind_tree *tree);

#endif
