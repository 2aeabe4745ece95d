/* SPDX-License-Identifier: MIT */
/*
 * dominator_kinds.c - hprof_dominator_kinds_read: the dominator tree by kinds.
 *
 * A pass of several threads counts objects by the path of kinds above them and by
 * their own kind (retained_sets.h). A path is a node, and so is a kind below one.
 * Threads find paths in any order, so the nodes are put into that of their first
 * objects. What the pass found stays with the graph, for sums of other reports.
 */
#include "hprof/retained.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "report/kind_tree.h"
#include "report/retained_sets.h"

enum { ROOT_PATH = 1 }; /* the path without kinds */

/* A node with its place in the order. */
struct place {
	uint32_t first, depth, node;
};

struct kinds {
	const struct hp_ancestor_sets *paths;
	const struct hp_set_count *rows;
	size_t row_count;
	/* Paths by their numbers, then kinds below them. */
	struct hp_kind_node *nodes;
	struct place *places;
	uint32_t *moved; /* the final number of each node */
	size_t count;
};

/* ---- nodes of paths ------------------------------------------------------ */

static void start_node(struct kinds *k, uint32_t node, uint32_t parent,
		       uint32_t kind)
{
	k->nodes[node] = (struct hp_kind_node){
		.parent = parent,
		.kind = kind,
		.depth = k->nodes[parent].depth + 1,
	};
	k->places[node] =
		(struct place){ UINT32_MAX, k->nodes[node].depth, node };
}

/* The node of a row; new, if it is no path. */
static uint32_t node_of(struct kinds *k, const struct hp_set_count *row)
{
	uint32_t path = hp_set_count_set(row), kind = hp_set_count_kind(row);
	uint32_t last = (uint32_t)k->count - 1;
	uintptr_t known;

	if (path != ROOT_PATH && k->nodes[path].kind == kind)
		return path;
	known = (uintptr_t)hp_u64_map_get(&k->paths->steps,
					  (uint64_t)path << 32 | kind);
	if (known)
		return (uint32_t)known;
	if (last >= k->paths->count && k->nodes[last].parent == path &&
	    k->nodes[last].kind == kind)
		return last;
	start_node(k, ++last, path, kind);
	k->count++;
	return last;
}

static void take_rows(struct kinds *k)
{
	const struct hp_ancestor_sets *paths = k->paths;

	for (uint32_t i = ROOT_PATH + 1; i < paths->count; i++)
		start_node(k, i, paths->items[i].from,
			   paths->items[i].kinds[paths->items[i].count - 1]);
	k->count = paths->count;
	for (size_t i = 0; i < k->row_count; i++) {
		const struct hp_set_count *row = &k->rows[i];
		uint32_t node = node_of(k, row);

		k->nodes[node].objects += row->objects;
		k->nodes[node].shallow += row->shallow;
		if (row->first < k->places[node].first)
			k->places[node].first = row->first;
	}
	/* The first object of a node may be one that it dominates. */
	for (size_t i = k->count; i-- > ROOT_PATH + 1;) {
		struct place *above = &k->places[k->nodes[i].parent];

		if (k->places[i].first < above->first)
			above->first = k->places[i].first;
	}
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->depth > b->depth) - (a->depth < b->depth);
}

/* Nodes with the same first object are above each other. */
static enum hprof_status put_in_order(struct kinds *k, struct hp_kind_tree *ret)
{
	size_t count = k->count - ROOT_PATH;
	struct place *places = &k->places[ROOT_PATH];
	struct hp_kind_node *nodes = hp_calloc(count, sizeof *nodes);

	if (!nodes)
		return HPROF_E_NOMEM;
	qsort(places + 1, count - 1, sizeof *places, compare_places);
	for (size_t i = 0; i < count; i++) {
		const struct hp_kind_node *node =
			&k->nodes[i ? places[i].node : ROOT_PATH];

		k->moved[i ? places[i].node : ROOT_PATH] = (uint32_t)i;
		nodes[i] = *node;
		nodes[i].parent = i ? k->moved[node->parent] : 0;
	}
	*ret = (struct hp_kind_tree){ nodes, count, count };
	return HPROF_OK;
}

static enum hprof_status take_paths(const struct hp_retained_sets *found,
				    struct hp_kind_tree *ret)
{
	struct kinds k = { .paths = hp_retained_paths(found) };
	enum hprof_status status = HPROF_E_NOMEM;
	size_t most;

	k.rows = hp_retained_paths_rows(found, &k.row_count);
	most = k.paths->count + k.row_count + 1;
	k.nodes = hp_calloc(most, sizeof *k.nodes);
	k.places = hp_calloc(most, sizeof *k.places);
	k.moved = hp_calloc(most, sizeof *k.moved);
	if (k.nodes && k.places && k.moved) {
		take_rows(&k);
		status = k.count > HP_KIND_NODES_MOST ? HPROF_END
						      : put_in_order(&k, ret);
	}
	hp_free(k.nodes);
	hp_free(k.places);
	hp_free(k.moved);
	return status;
}

/* HPROF_END: there are too many. */
static enum hprof_status find_paths(const struct hprof_graph *graph,
				    struct hp_kind_tree *ret,
				    struct hprof_error *error)
{
	struct hp_graph_memo *memo = graph->memo;
	enum hprof_status status = hp_retained_paths_need(graph, error);

	if (status != HPROF_OK)
		return status;
	pthread_mutex_lock(&memo->lock);
	status = take_paths(memo->found, ret);
	pthread_mutex_unlock(&memo->lock);
	return status == HPROF_E_NOMEM ? hp_no_memory(error) : status;
}

/* ---- the table ----------------------------------------------------------- */

static enum hprof_status make_table(const struct hp_kind_tree *tree,
				    struct hprof_dominator_kinds **ret)
{
	struct hprof_dominator_kinds *table = hp_calloc(1, sizeof *table);

	if (!table)
		return HPROF_E_NOMEM;
	table->rows = hp_calloc(tree->count, sizeof *table->rows);
	if (!table->rows) {
		hp_free(table);
		return HPROF_E_NOMEM;
	}
	table->count = tree->count;
	for (size_t i = 0; i < tree->count; i++) {
		const struct hp_kind_node *node = &tree->nodes[i];

		table->rows[i] = (struct hprof_dominator_kind){
			.parent = node->parent,
			.class_row = i ? hp_kind_row(node->kind) : SIZE_MAX,
			.is_class = i && hp_kind_is_class(node->kind),
			.objects = node->objects,
			.shallow = node->shallow,
		};
	}
	*ret = table;
	return HPROF_OK;
}

enum hprof_status
hprof_dominator_kinds_read(const struct hprof_graph *graph,
			   struct hprof_dominator_kinds **ret_kinds,
			   struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_kind_tree tree = { 0 };
	enum hprof_status status;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, error));
	HP_NEED(error, ret_kinds);
	status = find_paths(graph, &tree, error);
	if (status == HPROF_END)
		status = hp_kind_tree_walk(graph, &tree, error);
	HP_TRY(status);
	status = make_table(&tree, ret_kinds);
	hp_kind_tree_done(&tree);
	return status < 0 ? hp_no_memory(error) : HPROF_OK;
}

void hprof_dominator_kinds_free(struct hprof_dominator_kinds *kinds)
{
	if (!kinds)
		return;
	hp_free(kinds->rows);
	hp_free(kinds);
}
