/* SPDX-License-Identifier: MIT */
/*
 * kind_tree.c - see kind_tree.h. For heaps in which more paths of kinds lead to
 * objects than dominator_kinds.c can number in a pass of several threads.
 */
#include "report/kind_tree.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/u64_map.h"

enum {
	NO_NODE = 0,
	/* Of kinds that take turns. */
	DEEPEST = 1 << 12
};

struct walk {
	const struct hprof_graph *graph;
	struct hp_kind_tree tree;
	struct hp_u64_map children; /* parent and kind: the node */
	struct hp_mapped_tables tables;
	struct hp_mapped_table node_table;
	uint32_t *node_of; /* of each object; NO_NODE: not yet */
	uint32_t *chain;   /* objects on the way up */
	size_t chain_room;
};

/* ---- nodes --------------------------------------------------------------- */

static enum hprof_status add_node(struct walk *w, uint32_t parent,
				  uint32_t kind, uint32_t *ret)
{
	struct hp_kind_tree *tree = &w->tree;
	uint64_t key = (uint64_t)parent << 32 | kind;
	size_t number = tree->count;

	HP_TRY(hp_grow((void **)&tree->nodes, &tree->room, tree->count,
		       sizeof *tree->nodes));
	HP_TRY(hp_u64_map_put(&w->children, key, (void *)(uintptr_t)number));
	tree->nodes[tree->count++] = (struct hp_kind_node){
		.parent = parent,
		.kind = kind,
		.depth = tree->nodes[parent].depth + 1,
	};
	*ret = (uint32_t)number;
	return HPROF_OK;
}

static enum hprof_status child_of(struct walk *w, uint32_t parent,
				  uint32_t kind, uint32_t *ret)
{
	const struct hp_kind_node *above = &w->tree.nodes[parent];
	uint64_t key = (uint64_t)parent << 32 | kind;
	uintptr_t known;

	*ret = parent;
	/* Of a list, say, each dominates the next. */
	if (parent && (above->kind == kind || above->depth == DEEPEST))
		return HPROF_OK;
	known = (uintptr_t)hp_u64_map_get(&w->children, key);
	if (known)
		*ret = (uint32_t)known;
	else if (!parent || w->tree.count < HP_KIND_NODES_MOST)
		return add_node(w, parent, kind, ret);
	return HPROF_OK;
}

/* Gives OBJECT its node, and before that all that dominate it theirs. */
static enum hprof_status find_node(struct walk *w, uint32_t object)
{
	const uint32_t *dominator = w->graph->sizes.dominator.at;
	uint32_t at = object, node = 0;
	size_t depth = 0;

	while (w->node_of[at] == NO_NODE) {
		HP_TRY(hp_grow((void **)&w->chain, &w->chain_room, depth,
			       sizeof *w->chain));
		w->chain[depth++] = at;
		if (!dominator[at])
			break;
		at = dominator[at] - 1;
		node = w->node_of[at];
	}
	while (depth-- > 0) {
		at = w->chain[depth];
		HP_TRY(child_of(w, node, hp_graph_kind(w->graph, at), &node));
		w->node_of[at] = node;
	}
	return HPROF_OK;
}

/* ---- the tree ------------------------------------------------------------ */

static enum hprof_status take_objects(struct walk *w)
{
	const struct hprof_graph *graph = w->graph;

	for (uint32_t i = 0; i < graph->edges.count; i++) {
		struct hp_kind_node *node;

		if (i % HP_TRIM_INTERVAL == 0) {
			hp_build_trim_memory(&graph->build, i);
			hp_tables_trim_memory(&w->tables);
		}
		if (!hp_bit(graph->sizes.reachable, i))
			continue;
		if (w->node_of[i] == NO_NODE)
			HP_TRY(find_node(w, i));
		node = &w->tree.nodes[w->node_of[i]];
		node->shallow += hp_edges_shallow(&graph->edges, i);
		node->objects++;
	}
	return HPROF_OK;
}

static enum hprof_status walk(struct walk *w, struct hprof_error *error)
{
	hp_graph_begin_tables(w->graph, &w->tables,
			      w->graph->build.tables.limit);
	HP_TRY(hp_mapped_table_make(
		&w->tables, &w->node_table, (uint64_t)w->graph->edges.count + 1,
		sizeof *w->node_of, HP_MAPPED_TABLE_CLEAR, error));
	w->node_of = w->node_table.at;
	if (hp_u64_map_init(&w->children, 2) != HPROF_OK ||
	    hp_grow((void **)&w->tree.nodes, &w->tree.room, 0,
		    sizeof *w->tree.nodes) != HPROF_OK)
		return hp_no_memory(error);
	w->tree.nodes[w->tree.count++] = (struct hp_kind_node){ 0 };
	return take_objects(w) == HPROF_OK ? HPROF_OK : hp_no_memory(error);
}

enum hprof_status hp_kind_tree_walk(const struct hprof_graph *graph,
				    struct hp_kind_tree *ret_tree,
				    struct hprof_error *error)
{
	struct walk w = { .graph = graph };
	enum hprof_status status = walk(&w, error);

	hp_mapped_table_free(&w.tables, &w.node_table);
	hp_mapped_tables_release(&w.tables);
	hp_u64_map_done(&w.children);
	hp_free(w.chain);
	if (status < 0)
		hp_kind_tree_done(&w.tree);
	else
		*ret_tree = w.tree;
	return status;
}

void hp_kind_tree_done(struct hp_kind_tree *tree)
{
	hp_free(tree->nodes);
	*tree = (struct hp_kind_tree){ 0 };
}
