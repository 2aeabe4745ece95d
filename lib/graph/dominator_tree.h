/* SPDX-License-Identifier: MIT */
/*
 * dominator_tree.h - the dominator tree from the top down: children of an
 * object, its subtree, and what sets of objects retain.
 *
 * The graph has the dominator and the kind of each object. Two more numbers per
 * object give lists of children, so that a walk needs neither the file nor a
 * stack.
 */
#ifndef HP_DOMINATOR_TREE_H
#define HP_DOMINATOR_TREE_H

#include "hprof/graph.h"
#include "base/mapped_table.h"
#include "graph/graph.h"

#define HP_NO_NODE UINT32_MAX

struct hp_dominator_tree {
	const struct hprof_graph *graph;
	uint32_t count;
	uint32_t top;	 /* first of those that only the roots dominate */
	uint32_t *first; /* first child of each node */
	uint32_t *next;	 /* next sibling of each node */
	/* The memory of first and next, within the graph's limit. */
	struct hp_mapped_tables tables;
	struct hp_mapped_table first_table, next_table;
};

/* Free with hp_dominator_tree_done, also after a failure. */
enum hprof_status hp_dominator_tree_init(struct hp_dominator_tree *tree,
					 const struct hprof_graph *graph,
					 struct hprof_error *error);
void hp_dominator_tree_done(struct hp_dominator_tree *tree);

/* The children of NODE; of HP_NO_NODE, the objects at the top. */
static inline uint32_t
hp_dominator_tree_first(const struct hp_dominator_tree *tree, uint32_t node)
{
	return node == HP_NO_NODE ? tree->top : tree->first[node];
}

/* What dominates NODE immediately, or HP_NO_NODE. */
static inline uint32_t hp_graph_dominator_node(const struct hprof_graph *graph,
					       uint32_t node)
{
	uint64_t dominator = hprof_graph_dominator(graph, node);

	return dominator == HPROF_NO_OBJECT ? HP_NO_NODE : (uint32_t)dominator;
}

/* The sums of one set of objects, while they are computed. */
struct hp_sum {
	uint64_t objects, shallow, retained;
	/* How many of its objects are on the path from the top of the tree. */
	uint32_t ancestors;
};

/* A partition of the objects: key[kind] is an index into sums. */
struct hp_division {
	const uint32_t *key;
	struct hp_sum *sums;
};

/*
 * Adds NODE and its subtree (HP_NO_NODE: everything reachable) to the sums of
 * COUNT divisions. The retained size of a set counts only objects that no other
 * object of the set dominates.
 */
void hp_dominator_tree_sum(const struct hp_dominator_tree *tree, uint32_t node,
			   const struct hp_division *divisions, size_t count);

#endif
