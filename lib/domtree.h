/*
 * domtree.h - the dominator tree from the top down: children of an object,
 * its subtree, and what sets of objects retain.
 *
 * The graph knows each object's dominator and what it is. Two numbers an
 * object turn that into lists of children, so that a walk needs neither the
 * file nor a stack.
 */
#ifndef HP_DOMTREE_H
#define HP_DOMTREE_H

#include "hprof/graph.h"
#include "bigtable.h"
#include "graph.h"

#define HP_NO_NODE UINT32_MAX

struct hp_domtree {
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;
	uint32_t count;
	uint32_t top;	 /* first of those that only the roots dominate */
	uint32_t *first; /* child */
	uint32_t *next;	 /* sibling */
	uint32_t what_count; /* hp_domtree_what is always below it */
	/* Where first and next are; within the graph's limit of memory. */
	struct hp_tables tables;
	struct hp_table first_table, next_table;
};

enum hprof_status hp_domtree_init(struct hp_domtree *tree,
				  const struct hprof_heap *heap,
				  const struct hprof_graph *graph,
				  struct hprof_error *error);
void hp_domtree_done(struct hp_domtree *tree);

/* Without lists of children; done with hp_domtree_done as well. */
enum hprof_status hp_domtree_begin(struct hp_domtree *tree,
				   const struct hprof_heap *heap,
				   const struct hprof_graph *graph,
				   struct hprof_error *error);

/*
 * What an object is: twice the row of its class; of a class object twice the
 * row of the class that it is, and one more. The row behind the last one: not
 * known.
 */
static inline uint32_t hp_domtree_what(const struct hp_domtree *tree,
				       uint64_t object)
{
	return hp_graph_what(tree->graph, (uint32_t)object);
}

/* The children of NODE; of HP_NO_NODE, the objects at the top. */
static inline uint32_t hp_domtree_first(const struct hp_domtree *tree,
					uint32_t node)
{
	return node == HP_NO_NODE ? tree->top : tree->first[node];
}

static inline uint32_t hp_domtree_above(const struct hp_domtree *tree,
					uint32_t node)
{
	uint64_t above = hprof_graph_dominator(tree->graph, node);

	return above == HPROF_NO_OBJECT ? HP_NO_NODE : (uint32_t)above;
}

/* One set of objects, in the making. */
struct hp_sum {
	uint64_t objects, shallow, retained;
	uint32_t above; /* of its objects on the way from the top, so many */
};

/* A way to divide objects: key[what] is an index of sums. */
struct hp_division {
	const uint32_t *key;
	struct hp_sum *sums;
};

/*
 * Adds NODE and all below it (HP_NO_NODE: everything reachable) to the sums
 * of COUNT divisions. What a set retains counts for its uppermost objects.
 */
void hp_domtree_sum(const struct hp_domtree *tree, uint32_t node,
		    const struct hp_division *divisions, size_t count);

#endif
