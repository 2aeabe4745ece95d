/* SPDX-License-Identifier: MIT */
/*
 * dominator_stacks.c - see dominator_stacks.h.
 *
 * One pass over the objects makes a tree of kinds: a kind is the instances of one
 * class, or its class object. Each tree that is wanted has frames of several kinds,
 * and so follows from that tree, which is small, and not from the objects again.
 */
#include "tools/stacks/dominator_stacks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"

enum {
	NO_NODE = 0,
	SLOTS_FIRST = 4096,
	/* A frame may be of many kinds that take turns. */
	DEEPEST = 4 * STACK_DEEPEST
};
#define NO_FUNCTION UINT32_MAX
/* Beyond it, objects count for what dominates them. */
#define NODES_MOST (1u << 20)

struct kind_node {
	uint32_t parent; /* less than its own number */
	uint32_t kind;	 /* not of the root, which is node 0 */
	uint32_t depth;
	uint64_t bytes, objects;
};

struct slot {
	uint64_t key; /* parent and kind */
	uint32_t node;
};

struct kind_tree {
	const struct hprof_graph *graph;
	const struct hprof_summary *summary;
	uint32_t *node_of; /* of each object, NO_NODE: not yet */
	size_t count, room;
	struct kind_node *nodes;
	size_t slot_count;
	struct slot *slots; /* open addressing; node 0: free */
};

/* ---- the tree of kinds --------------------------------------------------- */

static struct slot *find_slot(const struct kind_tree *tree, uint64_t key)
{
	size_t mask = tree->slot_count - 1;
	uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
	size_t at = (size_t)(hash ^ hash >> 32) & mask;

	while (tree->slots[at].node && tree->slots[at].key != key)
		at = (at + 1) & mask;
	return &tree->slots[at];
}

static void grow_slots(struct kind_tree *tree)
{
	struct slot *old = tree->slots;
	size_t count = tree->slot_count;

	tree->slot_count = count ? 2 * count : SLOTS_FIRST;
	tree->slots = cli_calloc(tree->slot_count, sizeof(*tree->slots));
	for (size_t i = 0; i < count; i++)
		if (old[i].node)
			*find_slot(tree, old[i].key) = old[i];
	free(old);
}

static uint32_t add_node(struct kind_tree *tree, uint32_t parent, uint32_t kind)
{
	if (tree->count == tree->room) {
		tree->room = tree->room ? 2 * tree->room : 1024;
		tree->nodes = cli_realloc(tree->nodes, tree->room,
					  sizeof(*tree->nodes));
	}
	tree->nodes[tree->count] = (struct kind_node){
		.parent = parent,
		.kind = kind,
		.depth = tree->nodes[parent].depth + 1,
	};
	return (uint32_t)tree->count++;
}

static uint32_t child_of(struct kind_tree *tree, uint32_t parent, uint32_t kind)
{
	const struct kind_node *above = &tree->nodes[parent];
	uint64_t key = (uint64_t)parent << 32 | kind;
	struct slot *slot;

	/* Of a list, say, each dominates the next. */
	if (parent && (above->kind == kind || above->depth == DEEPEST))
		return parent;
	slot = find_slot(tree, key);
	if (slot->node)
		return slot->node;
	if (parent && tree->count >= NODES_MOST)
		return parent;
	*slot = (struct slot){ key, add_node(tree, parent, kind) };
	if (2 * tree->count > tree->slot_count)
		grow_slots(tree);
	return (uint32_t)tree->count - 1;
}

/* The node of an object whose dominator, if it has any, has one. */
static uint32_t node_below(struct kind_tree *tree, uint64_t object,
			   uint64_t dominator)
{
	bool is_class = false;
	size_t row = hprof_graph_class_row(tree->graph, object, &is_class);

	return child_of(tree,
			dominator == HPROF_NO_OBJECT ? 0
						     : tree->node_of[dominator],
			(uint32_t)(2 * row + is_class));
}

/* Gives OBJECT its node, and before that all that dominate it theirs. */
static void find_node_of(struct kind_tree *tree, uint64_t object,
			 uint64_t **chain, size_t *room)
{
	size_t depth = 0;
	uint64_t at = object, above = HPROF_NO_OBJECT;

	for (; at != HPROF_NO_OBJECT && tree->node_of[at] == NO_NODE;
	     at = hprof_graph_dominator(tree->graph, at)) {
		if (depth == *room) {
			*room = *room ? *room * 2 : 256;
			*chain = cli_realloc(*chain, *room, sizeof(**chain));
		}
		(*chain)[depth++] = at;
	}
	for (above = at; depth > 0; depth--) {
		at = (*chain)[depth - 1];
		tree->node_of[at] = node_below(tree, at, above);
		above = at;
	}
}

static void add_objects(struct kind_tree *tree, uint64_t count)
{
	uint64_t *chain = NULL;
	size_t room = 0;

	for (uint64_t i = 0; i < count; i++) {
		struct kind_node *node;

		if (!hprof_graph_is_reachable(tree->graph, i))
			continue;
		if (tree->node_of[i] == NO_NODE)
			find_node_of(tree, i, &chain, &room);
		node = &tree->nodes[tree->node_of[i]];
		node->bytes += hprof_graph_shallow(tree->graph, i);
		node->objects++;
	}
	free(chain);
}

/* ---- the trees that are wanted ------------------------------------------- */

static char *name_of_class(const struct hprof_summary *summary, size_t row,
			   bool is_class)
{
	return describe_kind(row < summary->class_count
				     ? summary->class_rows[row].name
				     : NULL,
			     is_class);
}

static uint32_t function_of(const struct dominator_stacks *wanted,
			    const struct hprof_summary *summary, uint32_t kind)
{
	size_t row = kind / 2;
	bool is_class = kind % 2;
	char *name = wanted->name ? wanted->name(wanted->user, row, is_class)
				  : name_of_class(summary, row, is_class);
	uint32_t function = stack_tree_function(wanted->tree, name, NULL);

	free(name);
	return function;
}

/* FUNCTIONS and NODES have room for all kinds and all nodes. */
static void add_kinds(const struct dominator_stacks *wanted,
		      const struct kind_tree *kinds, uint32_t *functions,
		      uint32_t *nodes)
{
	struct stack_tree *tree = wanted->tree;

	nodes[0] = 0;
	for (size_t i = 1; i < kinds->count; i++) {
		const struct kind_node *node = &kinds->nodes[i];
		uint32_t *function = &functions[node->kind];
		uint32_t parent = nodes[node->parent];

		assert(node->parent < i);
		if (*function == NO_FUNCTION)
			*function =
				function_of(wanted, kinds->summary, node->kind);
		nodes[i] =
			parent && tree->nodes[parent].function == *function
				? parent
				: stack_tree_child(tree, parent, *function, 0);
		tree->nodes[nodes[i]].self[0] += node->bytes;
		tree->nodes[nodes[i]].self[1] += node->objects;
	}
}

static void make_tree(const struct dominator_stacks *wanted,
		      const struct kind_tree *kinds)
{
	const size_t kind_count = 2 * (kinds->summary->class_count + 1);
	struct stack_tree *tree = wanted->tree;
	uint32_t *functions = cli_calloc(kind_count, sizeof(*functions));
	uint32_t *nodes = cli_calloc(kinds->count, sizeof(*nodes));

	for (size_t i = 0; i < kind_count; i++)
		functions[i] = NO_FUNCTION;
	tree->title = "Retained bytes by dominators";
	tree->measure_count = 2;
	tree->measures[0] = (struct stack_measure){ "space", "bytes" };
	tree->measures[1] = (struct stack_measure){ "objects", "count" };
	add_kinds(wanted, kinds, functions, nodes);
	stack_tree_sum(tree);
	free(functions);
	free(nodes);
}

void dominator_stacks_add(const struct dominator_stacks *wanted, size_t count,
			  const struct hprof_graph *graph)
{
	const struct hprof_heap *heap = hprof_graph_heap(graph);
	const size_t objects = (size_t)hprof_heap_count(heap);
	struct kind_tree kinds = {
		.graph = graph,
		.summary = hprof_heap_summary(heap),
		.node_of = cli_calloc(objects + 1, sizeof(*kinds.node_of)),
		.nodes = cli_calloc(1, sizeof(*kinds.nodes)),
		.count = 1,
		.room = 1,
	};

	grow_slots(&kinds);
	add_objects(&kinds, objects);
	free(kinds.node_of);
	for (size_t i = 0; i < count; i++)
		make_tree(&wanted[i], &kinds);
	free(kinds.nodes);
	free(kinds.slots);
}
