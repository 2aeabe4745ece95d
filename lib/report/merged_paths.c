/* SPDX-License-Identifier: MIT */
/*
 * merged_paths.c - hprof_merged_paths_read: short paths to all objects of a
 * class, as one tree.
 *
 * They lead through what shunned_edges.h lists only where no other path exists,
 * and may begin at classes that are alive without any of the objects.
 *
 * Each object on a path belongs to one node, which is found from the node of
 * the object before it. Nodes are remembered by object, so that each object is
 * visited only once, however many paths lead through it.
 */
#include "hprof/retained.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/object_info.h"
#include "base/u64_map.h"
#include "base/mem.h"
#include "report/root_paths.h"

enum {
	NODES_MAX = 1 << 20,
	DEPTH_MAX = 1000 /* deeper nodes are merged with their parent */
};

#define NO_NODE UINT32_MAX

struct node {
	struct hprof_merged_path_node row;
	uint32_t parent; /* NO_NODE: at the top */
	uint32_t child, next;
	uint32_t same; /* another node with the same hash */
};

/*
 * Objects of which it is known whether they, or one that dominates them, are of
 * the classes. So no object is climbed past twice.
 */
struct covered {
	uint64_t *known, *yes; /* bits */
};

struct merged {
	struct hprof_merged_paths table;
	struct hp_arena arena;
	struct hp_root_paths paths;
	uint32_t *key; /* by kind: 1 for requested classes, else 0 */
	struct covered covered;
	uint32_t *of;	   /* the node of each object, plus 1; 0: not known */
	uint64_t *pending; /* objects still to be put into a node */
	size_t pending_count, pending_room;
	struct node *nodes;
	size_t count, room;
	struct hp_u64_map by_hash; /* -> index of a node, plus 1 */
	uint32_t top;
};

/* ---- nodes --------------------------------------------------------------- */

static uint32_t *children(struct merged *m, uint32_t parent)
{
	return parent == NO_NODE ? &m->top : &m->nodes[parent].child;
}

static bool fits(const struct node *node,
		 const struct hprof_merged_path_node *row)
{
	const struct hprof_merged_path_node *r = &node->row;

	return r->root == row->root && r->kind == row->kind &&
	       r->class_row == row->class_row && r->edge == row->edge &&
	       (r->field == row->field ||
		(r->field && row->field && !strcmp(r->field, row->field)));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* A hash, never 0, that is equal for rows that fit each other below PARENT. */
static uint64_t hash_of(uint32_t parent,
			const struct hprof_merged_path_node *row)
{
	uint64_t hash = mix(parent, (uint64_t)row->class_row);

	hash = mix(hash, (uint64_t)row->root << 16 | (uint64_t)row->kind << 8 |
				 (uint64_t)row->edge);
	for (const char *c = row->field; c && *c; c++)
		hash = mix(hash, (unsigned char)*c);
	return hash | 1;
}

static uint32_t new_node(struct merged *m, uint32_t parent,
			 const struct hprof_merged_path_node *row,
			 uint64_t hash, uint32_t same)
{
	uint32_t node = (uint32_t)m->count, *list;

	if (hp_grow((void **)&m->nodes, &m->room, m->count, sizeof *m->nodes) !=
		    HPROF_OK ||
	    hp_u64_map_put(&m->by_hash, hash, (void *)((uintptr_t)node + 1)) !=
		    HPROF_OK)
		return NO_NODE;
	m->count++;
	list = children(m, parent);
	m->nodes[node] = (struct node){ .row = *row,
					.parent = parent,
					.child = NO_NODE,
					.next = *list,
					.same = same };
	m->nodes[node].row.depth =
		parent == NO_NODE ? 0 : m->nodes[parent].row.depth + 1;
	*list = node;
	return node;
}

/* The node below PARENT for an object like ROW; NO_NODE without memory. */
static uint32_t take_node(struct merged *m, uint32_t parent,
			  const struct hprof_merged_path_node *row)
{
	uint64_t hash = hash_of(parent, row);
	uint32_t first, node;

	if (parent != NO_NODE && (fits(&m->nodes[parent], row) ||
				  m->nodes[parent].row.depth == DEPTH_MAX)) {
		m->nodes[parent].row.repeats = true;
		return parent;
	}
	first = (uint32_t)((uintptr_t)hp_u64_map_get(&m->by_hash, hash) - 1);
	for (node = first; node != NO_NODE; node = m->nodes[node].same)
		if (m->nodes[node].parent == parent &&
		    fits(&m->nodes[node], row))
			return node;
	if (m->count == NODES_MAX && parent != NO_NODE)
		return parent;
	return new_node(m, parent, row, hash, first);
}

/* The first class with the same name: copies by other loaders are as good. */
static size_t first_row(const struct merged *m, size_t row)
{
	size_t count = hprof_heap_summary(m->paths.look.heap)->class_count;

	return row < count
		       ? hp_kind_row(m->paths.key[hp_kind_of_instances(row)])
		       : row;
}

/* Describes OBJECT as the successor of FROM on a path. */
static enum hprof_status describe(struct merged *m, uint64_t from,
				  uint64_t object,
				  struct hprof_merged_path_node *ret,
				  struct hprof_error *error)
{
	const struct hp_look *look = &m->paths.look;
	struct hprof_path_root root;
	struct hprof_edge edge = { .kind = HPROF_EDGE_FIELD };
	struct hprof_object as;
	bool found = true;

	*ret = (struct hprof_merged_path_node){ .first = object };
	if (from == HPROF_NO_OBJECT) {
		HP_TRY(hp_root_index_get(&m->paths.roots, object, &root,
					 error));
		ret->root = root.tag;
	} else {
		HP_TRY(hp_root_paths_edge(look, from, object, false, &found,
					  &edge, error));
	}
	ret->edge = edge.kind;
	ret->field = edge.name;
	if (hprof_cursor_seek(look->cursor, object, &as) < 0)
		return hp_look_failure(look, error);
	ret->kind = as.kind;
	ret->class_row = first_row(m, as.class_row);
	ret->class_name = hp_class_name(look->heap, as.class_row);
	return HPROF_OK;
}

/* ---- what exists without them ---------------------------------------------- */

static bool is_covered(const struct merged *m, uint64_t object)
{
	const struct covered *c = &m->covered;
	const struct hprof_graph *graph = m->paths.look.graph;
	uint64_t at = object;
	bool yes;

	while (at != HPROF_NO_OBJECT && !hp_bit(c->known, at) &&
	       !m->key[hp_graph_kind(graph, (uint32_t)at)])
		at = hprof_graph_dominator(graph, at);
	yes = at != HPROF_NO_OBJECT &&
	      (!hp_bit(c->known, at) || hp_bit(c->yes, at));
	for (; object != at; object = hprof_graph_dominator(graph, object)) {
		hp_bit_set(c->known, object);
		if (yes)
			hp_bit_set(c->yes, object);
	}
	return yes;
}

/* Finds the paths, which may begin at classes that none of the objects keeps. */
static enum hprof_status find_paths(struct merged *m,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(graph->heap);
	uint64_t *starts =
		hp_calloc(hp_bit_words(graph->edges.count), sizeof *starts);
	enum hprof_status status;

	if (!starts)
		return hp_no_memory(error);
	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];
		uint64_t object = hprof_heap_find(graph->heap, row->class_id);

		if (object != HPROF_NO_OBJECT &&
		    hprof_graph_is_reachable(graph, object) &&
		    !is_covered(m, object) &&
		    !is_covered(m,
				hprof_heap_find(graph->heap, row->loader_id)))
			hp_bit_set(starts, object);
	}
	status = hp_root_paths_take_from(&m->paths, graph, starts, NULL, error);
	hp_free(starts);
	return status;
}

/* ---- from objects to nodes ----------------------------------------------- */

/* Goes up to an object whose node is known, or to a root; then back down. */
static enum hprof_status place(struct merged *m, uint64_t object,
			       struct hprof_error *error)
{
	uint64_t at = object;
	uint32_t node = NO_NODE;

	m->pending_count = 0;
	while (at != HPROF_NO_OBJECT && !m->of[at]) {
		if (hp_grow((void **)&m->pending, &m->pending_room,
			    m->pending_count, sizeof *m->pending) != HPROF_OK)
			return hp_no_memory(error);
		m->pending[m->pending_count++] = at;
		at = hprof_shortest_paths_parent(m->paths.shortest, at);
	}
	if (at != HPROF_NO_OBJECT)
		node = m->of[at] - 1;
	for (size_t i = m->pending_count; i-- > 0;) {
		struct hprof_merged_path_node row;

		HP_TRY(describe(m, at, m->pending[i], &row, error));
		node = take_node(m, node, &row);
		if (node == NO_NODE)
			return hp_no_memory(error);
		m->nodes[node].row.objects++;
		at = m->pending[i];
		m->of[at] = node + 1;
	}
	return HPROF_OK;
}

static enum hprof_status place_all(struct merged *m, struct hprof_error *error)
{
	uint64_t count = hprof_heap_count(m->paths.look.heap);
	const struct hprof_graph *graph = m->paths.look.graph;

	for (uint64_t i = 0; i < count; i++) {
		struct hprof_merged_path_node *row;

		if (!m->key[hp_graph_kind(graph, (uint32_t)i)])
			continue;
		if (!hprof_graph_is_reachable(graph, i)) {
			m->table.unreachable++;
			m->table.by_strength[hprof_graph_strength(graph, i)]++;
			continue;
		}
		HP_TRY(place(m, i, error));
		row = &m->nodes[m->of[i] - 1].row;
		row->targets++;
		row->shallow += hprof_graph_shallow(graph, i);
		m->table.targets++;
		m->table.shallow += hprof_graph_shallow(graph, i);
	}
	return HPROF_OK;
}

/* ---- the table ----------------------------------------------------------- */

/* Parents were made before their children. */
static void add_to_parents(struct merged *m)
{
	for (size_t i = m->count; i-- > 0;) {
		const struct node *node = &m->nodes[i];

		if (node->parent == NO_NODE)
			continue;
		m->nodes[node->parent].row.targets += node->row.targets;
		m->nodes[node->parent].row.shallow += node->row.shallow;
	}
}

static int compare_nodes(const void *left, const void *right)
{
	const struct node *a = *(struct node *const *)left;
	const struct node *b = *(struct node *const *)right;

	if (a->row.shallow != b->row.shallow)
		return a->row.shallow > b->row.shallow ? -1 : 1;
	if (a->row.targets != b->row.targets)
		return a->row.targets > b->row.targets ? -1 : 1;
	return a->row.first < b->row.first ? -1 : a->row.first > b->row.first;
}

/* Lists anew by bytes: pushed in ascending order, largest last. */
static enum hprof_status sort_lists(struct merged *m)
{
	struct node **order = hp_calloc(m->count + 1, sizeof(struct node *));

	if (!order)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < m->count; i++) {
		order[i] = &m->nodes[i];
		m->nodes[i].child = NO_NODE;
	}
	m->top = NO_NODE;
	if (m->count)
		qsort(order, m->count, sizeof *order, compare_nodes);
	for (size_t i = m->count; i-- > 0;) {
		uint32_t *list = children(m, order[i]->parent);

		order[i]->next = *list;
		*list = (uint32_t)(order[i] - m->nodes);
	}
	hp_free(order);
	return HPROF_OK;
}

static enum hprof_status fill_rows(struct merged *m)
{
	size_t *row_of = hp_calloc(m->count + 1, sizeof *row_of);
	uint32_t node = m->top;

	m->table.nodes = hp_arena_take(&m->arena,
				       (m->count + 1) * sizeof *m->table.nodes);
	if (!row_of || !m->table.nodes) {
		hp_free(row_of);
		return HPROF_E_NOMEM;
	}
	while (node != NO_NODE) {
		struct node *n = &m->nodes[node];

		n->row.parent =
			n->parent == NO_NODE ? SIZE_MAX : row_of[n->parent];
		row_of[node] = m->table.count;
		m->table.nodes[m->table.count++] = n->row;
		if (n->child != NO_NODE) {
			node = n->child;
			continue;
		}
		while (node != NO_NODE && m->nodes[node].next == NO_NODE)
			node = m->nodes[node].parent;
		if (node != NO_NODE)
			node = m->nodes[node].next;
	}
	hp_free(row_of);
	return HPROF_OK;
}

/* ---- what all of them retain --------------------------------------------- */

/* Adds what the objects of the classes retain as one set. */
static void add_retained(struct merged *m)
{
	const struct hprof_graph *graph = m->paths.look.graph;

	for (uint32_t i = 0; i < graph->edges.count; i++)
		if (m->key[hp_graph_kind(graph, i)] &&
		    hprof_graph_is_reachable(graph, i) &&
		    !is_covered(m, hprof_graph_dominator(graph, i)))
			m->table.retained += hprof_graph_retained(graph, i);
}

static enum hprof_status make_table(struct merged *m,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	size_t count = (size_t)hprof_heap_count(graph->heap);
	size_t words = hp_bit_words(graph->edges.count);

	m->top = NO_NODE;
	if (hp_u64_map_init(&m->by_hash, 2) != HPROF_OK)
		return hp_no_memory(error);
	HP_TRY(hp_root_paths_init(&m->paths, graph, &m->arena, error));
	m->covered.known = hp_calloc(words, sizeof *m->covered.known);
	m->covered.yes = hp_calloc(words, sizeof *m->covered.yes);
	if (!m->covered.known || !m->covered.yes)
		return hp_no_memory(error);
	HP_TRY(find_paths(m, graph, error));
	m->of = hp_calloc(count + 1, sizeof *m->of);
	if (!m->of)
		return hp_no_memory(error);
	HP_TRY(place_all(m, error));
	hp_free(m->of);
	m->of = NULL;
	add_to_parents(m);
	if (sort_lists(m) != HPROF_OK || fill_rows(m) != HPROF_OK)
		return hp_no_memory(error);
	add_retained(m);
	return HPROF_OK;
}

static void drop_work(struct merged *m)
{
	hp_root_paths_done(&m->paths);
	hp_free(m->key);
	hp_free(m->covered.known);
	hp_free(m->covered.yes);
	hp_free(m->of);
	hp_free(m->pending);
	hp_free(m->nodes);
	hp_u64_map_done(&m->by_hash);
}

enum hprof_status hprof_merged_paths_read(const struct hprof_graph *graph,
					  const size_t *rows, size_t row_count,
					  struct hprof_merged_paths **ret_table,
					  struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct merged *m;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS | HP_GRAPH_EDGES,
			     ret_error));
	if (!rows && row_count)
		return hp_bad_argument(ret_error, "rows", "is NULL");
	HP_NEED(ret_error, ret_table);
	m = hp_calloc(1, sizeof *m);
	if (!m)
		return hp_no_memory(ret_error);
	m->table.impl = m;
	m->key = hp_class_marks(graph->heap, rows, row_count);
	status = m->key ? make_table(m, graph, ret_error)
			: hp_no_memory(ret_error);
	drop_work(m);
	if (status < 0) {
		hprof_merged_paths_free(&m->table);
		return status;
	}
	*ret_table = &m->table;
	return HPROF_OK;
}

void hprof_merged_paths_free(struct hprof_merged_paths *table)
{
	struct merged *m = table ? table->impl : NULL;

	if (!m)
		return;
	hp_arena_done(&m->arena);
	hp_free(m);
}
