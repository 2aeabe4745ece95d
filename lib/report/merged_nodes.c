/* SPDX-License-Identifier: MIT */
/*
 * merged_nodes.c - see merged_nodes.h.
 */
#include "report/merged_nodes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/same_text.h"

enum {
	NODES_MAX = 1 << 20,
	DEPTH_MAX = 1000 /* deeper nodes are merged with their parent */
};

enum hprof_status hp_merged_nodes_init(struct hp_merged_nodes *m)
{
	*m = (struct hp_merged_nodes){ .top = HP_NO_MERGED_NODE };
	return hp_u64_map_init(&m->by_hash, 2);
}

void hp_merged_nodes_done(struct hp_merged_nodes *m)
{
	hp_free(m->items);
	hp_u64_map_done(&m->by_hash);
	*m = (struct hp_merged_nodes){ .items = NULL };
}

/* ---- taking nodes -------------------------------------------------------- */

static uint32_t *children(struct hp_merged_nodes *m, uint32_t parent)
{
	return parent == HP_NO_MERGED_NODE ? &m->top : &m->items[parent].child;
}

static bool fits(const struct hp_merged_node *node,
		 const struct hprof_merged_path_node *row)
{
	const struct hprof_merged_path_node *r = &node->row;

	return r->root.tag == row->root.tag && r->kind == row->kind &&
	       r->class_row == row->class_row && r->edge == row->edge &&
	       hp_same_text(r->field, row->field) &&
	       hp_same_text(r->local_class, row->local_class) &&
	       hp_same_text(r->local_field, row->local_field) &&
	       hp_same_text(r->root.frame.class_name,
			    row->root.frame.class_name) &&
	       hp_same_text(r->root.frame.method, row->root.frame.method);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = mix(hash, (unsigned char)*text);
	return hash;
}

/* A hash, never 0, that is equal for rows that fit each other below PARENT. */
static uint64_t hash_of(uint32_t parent,
			const struct hprof_merged_path_node *row)
{
	uint64_t hash = mix(parent, (uint64_t)row->class_row);

	hash = mix(hash, (uint64_t)row->root.tag << 16 |
				 (uint64_t)row->kind << 8 |
				 (uint64_t)row->edge);
	hash = mix_text(hash, row->field);
	hash = mix_text(hash, row->root.frame.class_name);
	hash = mix_text(hash, row->root.frame.method);
	hash = mix_text(hash, row->local_class);
	return mix_text(hash, row->local_field) | 1;
}

static uint32_t new_node(struct hp_merged_nodes *m, uint32_t parent,
			 const struct hprof_merged_path_node *row,
			 uint64_t hash, uint32_t same)
{
	uint32_t node = (uint32_t)m->count, *list;

	if (hp_grow((void **)&m->items, &m->room, m->count, sizeof *m->items) !=
		    HPROF_OK ||
	    hp_u64_map_put_number(&m->by_hash, hash, node) != HPROF_OK)
		return HP_NO_MERGED_NODE;
	m->count++;
	list = children(m, parent);
	m->items[node] = (struct hp_merged_node){ .row = *row,
						  .parent = parent,
						  .child = HP_NO_MERGED_NODE,
						  .next = *list,
						  .same = same };
	m->items[node].row.depth = parent == HP_NO_MERGED_NODE
					   ? 0
					   : m->items[parent].row.depth + 1;
	*list = node;
	return node;
}

uint32_t hp_merged_nodes_take(struct hp_merged_nodes *m, uint32_t parent,
			      const struct hprof_merged_path_node *row)
{
	uint64_t hash = hash_of(parent, row);
	uint32_t first, node;

	if (parent != HP_NO_MERGED_NODE &&
	    (fits(&m->items[parent], row) ||
	     m->items[parent].row.depth == DEPTH_MAX)) {
		m->items[parent].row.repeats = true;
		return parent;
	}
	first = (uint32_t)hp_u64_map_number(&m->by_hash, hash);
	for (node = first; node != HP_NO_MERGED_NODE;
	     node = m->items[node].same)
		if (m->items[node].parent == parent &&
		    fits(&m->items[node], row))
			return node;
	if (m->count == NODES_MAX && parent != HP_NO_MERGED_NODE)
		return parent;
	return new_node(m, parent, row, hash, first);
}

/* ---- the rows ------------------------------------------------------------ */

/* Parents were made before their children. */
static void add_to_parents(struct hp_merged_nodes *m)
{
	for (size_t i = m->count; i-- > 0;) {
		const struct hp_merged_node *node = &m->items[i];

		if (node->parent == HP_NO_MERGED_NODE)
			continue;
		m->items[node->parent].row.targets += node->row.targets;
		m->items[node->parent].row.shallow += node->row.shallow;
	}
}

static int compare_nodes(const void *left, const void *right)
{
	const struct hp_merged_node *a = *(struct hp_merged_node *const *)left;
	const struct hp_merged_node *b = *(struct hp_merged_node *const *)right;

	if (a->row.shallow != b->row.shallow)
		return a->row.shallow > b->row.shallow ? -1 : 1;
	if (a->row.targets != b->row.targets)
		return a->row.targets > b->row.targets ? -1 : 1;
	return a->row.first < b->row.first ? -1 : a->row.first > b->row.first;
}

/* Lists anew by bytes: pushed in ascending order, largest last. */
static enum hprof_status sort_lists(struct hp_merged_nodes *m)
{
	struct hp_merged_node **order =
		hp_calloc(m->count + 1, sizeof(struct hp_merged_node *));

	if (!order)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < m->count; i++) {
		order[i] = &m->items[i];
		m->items[i].child = HP_NO_MERGED_NODE;
	}
	m->top = HP_NO_MERGED_NODE;
	if (m->count)
		qsort(order, m->count, sizeof *order, compare_nodes);
	for (size_t i = m->count; i-- > 0;) {
		uint32_t *list = children(m, order[i]->parent);

		order[i]->next = *list;
		*list = (uint32_t)(order[i] - m->items);
	}
	hp_free(order);
	return HPROF_OK;
}

static enum hprof_status fill_rows(struct hp_merged_nodes *m,
				   struct hp_arena *arena,
				   struct hprof_merged_path_node **ret_rows,
				   size_t *ret_count)
{
	size_t *row_of = hp_calloc(m->count + 1, sizeof *row_of);
	struct hprof_merged_path_node *rows;
	uint32_t node = m->top;
	size_t count = 0;

	rows = hp_arena_take(arena, (m->count + 1) * sizeof *rows);
	if (!row_of || !rows) {
		hp_free(row_of);
		return HPROF_E_NOMEM;
	}
	while (node != HP_NO_MERGED_NODE) {
		struct hp_merged_node *n = &m->items[node];

		n->row.parent = n->parent == HP_NO_MERGED_NODE
					? SIZE_MAX
					: row_of[n->parent];
		row_of[node] = count;
		rows[count++] = n->row;
		if (n->child != HP_NO_MERGED_NODE) {
			node = n->child;
			continue;
		}
		while (node != HP_NO_MERGED_NODE &&
		       m->items[node].next == HP_NO_MERGED_NODE)
			node = m->items[node].parent;
		if (node != HP_NO_MERGED_NODE)
			node = m->items[node].next;
	}
	hp_free(row_of);
	*ret_rows = rows;
	*ret_count = count;
	return HPROF_OK;
}

enum hprof_status hp_merged_nodes_rows(struct hp_merged_nodes *m,
				       struct hp_arena *arena,
				       struct hprof_merged_path_node **ret_rows,
				       size_t *ret_count)
{
	add_to_parents(m);
	HP_TRY(sort_lists(m));
	return fill_rows(m, arena, ret_rows, ret_count);
}
