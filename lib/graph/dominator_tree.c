/* SPDX-License-Identifier: MIT */
/*
 * dominator_tree.c - see dominator_tree.h.
 */
#include "graph/dominator_tree.h"

#include "base/error.h"

enum { TRIM_INTERVAL = 1 << 17 };

/* ---- the tree ------------------------------------------------------------ */

/* Goes from last to first, so that children are in ascending order. */
static void link_children(struct hp_dominator_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		tree->first[i] = HP_NO_NODE;
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t dominator, *list;

		if (!hprof_graph_is_reachable(tree->graph, i))
			continue;
		if (i % TRIM_INTERVAL == 0)
			hp_tables_trim_memory(&tree->tables);
		dominator = hp_graph_dominator_node(tree->graph, i);
		list = dominator == HP_NO_NODE ? &tree->top
					       : &tree->first[dominator];
		tree->next[i] = *list;
		*list = i;
	}
}

static enum hprof_status make_lists(struct hp_dominator_tree *tree,
				    struct hprof_error *error)
{
	uint64_t count = (uint64_t)tree->count + 1;

	HP_TRY(hp_mapped_table_make(&tree->tables, &tree->first_table, count,
				    sizeof *tree->first, HP_MAPPED_TABLE_RAW,
				    error));
	HP_TRY(hp_mapped_table_make(&tree->tables, &tree->next_table, count,
				    sizeof *tree->next, HP_MAPPED_TABLE_RAW,
				    error));
	tree->first = tree->first_table.at;
	tree->next = tree->next_table.at;
	link_children(tree);
	return HPROF_OK;
}

enum hprof_status hp_dominator_tree_init(struct hp_dominator_tree *tree,
					 const struct hprof_graph *graph,
					 struct hprof_error *error)
{
	size_t rows = hprof_heap_summary(graph->heap)->class_count;
	uint64_t count = graph->heap->count;

	*tree = (struct hp_dominator_tree){ .graph = graph, .top = HP_NO_NODE };
	if (count >= HP_NO_NODE || rows >= HP_KIND_CLASSES_MOST)
		return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "too many objects for a dominator tree");
	tree->count = (uint32_t)count;
	hp_graph_begin_tables(graph, &tree->tables, graph->build.tables.limit);
	return make_lists(tree, error);
}

void hp_dominator_tree_done(struct hp_dominator_tree *tree)
{
	hp_mapped_table_free(&tree->tables, &tree->first_table);
	hp_mapped_table_free(&tree->tables, &tree->next_table);
	hp_mapped_tables_release(&tree->tables);
	tree->first = tree->next = NULL;
}

/* ---- sums ---------------------------------------------------------------- */

struct walk {
	const struct hp_dominator_tree *tree;
	const struct hp_division *divisions;
	size_t count;
};

static void enter(const struct walk *w, uint32_t node, bool has_children)
{
	uint32_t kind = hp_graph_kind(w->tree->graph, node);
	uint64_t shallow = hprof_graph_shallow(w->tree->graph, node);
	uint64_t retained = hprof_graph_retained(w->tree->graph, node);

	for (size_t i = 0; i < w->count; i++) {
		const struct hp_division *d = &w->divisions[i];
		struct hp_sum *sum = &d->sums[d->key[kind]];

		sum->objects++;
		sum->shallow += shallow;
		if (!sum->ancestors)
			sum->retained += retained;
		sum->ancestors += has_children;
	}
}

static void leave(const struct walk *w, uint32_t node)
{
	uint32_t kind = hp_graph_kind(w->tree->graph, node);

	for (size_t i = 0; i < w->count; i++)
		w->divisions[i].sums[w->divisions[i].key[kind]].ancestors--;
}

/* Goes back up by the dominators, so that no stack is needed. */
static void walk_subtree(const struct walk *w, uint32_t top)
{
	const struct hp_dominator_tree *tree = w->tree;
	uint32_t node = top, steps = 0;

	for (;;) {
		uint32_t child = tree->first[node];

		if (++steps == TRIM_INTERVAL) {
			hp_tables_trim_memory(&tree->tables);
			steps = 0;
		}

		enter(w, node, child != HP_NO_NODE);
		if (child != HP_NO_NODE) {
			node = child;
			continue;
		}
		while (node != top && tree->next[node] == HP_NO_NODE) {
			node = hp_graph_dominator_node(tree->graph, node);
			leave(w, node);
		}
		if (node == top)
			return;
		node = tree->next[node];
	}
}

void hp_dominator_tree_sum(const struct hp_dominator_tree *tree, uint32_t node,
			   const struct hp_division *divisions, size_t count)
{
	struct walk w = { tree, divisions, count };

	if (node != HP_NO_NODE) {
		walk_subtree(&w, node);
		return;
	}
	for (node = tree->top; node != HP_NO_NODE; node = tree->next[node])
		walk_subtree(&w, node);
}
