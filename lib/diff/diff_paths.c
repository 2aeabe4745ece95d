/* SPDX-License-Identifier: MIT */
/*
 * diff_paths.c - hprof_diff_paths: what grew, and who holds it.
 *
 * The trees are laid over each other. On the way down, the first node whose
 * number of objects has changed begins a row, which includes what is below it:
 * more sessions have more strings. A node below it that grew out of proportion
 * to it begins another row, for example a single list that one more thread does
 * not explain.
 */
#include <stdlib.h>
#include <string.h>

#include "diff/diff_parts.h"
#include "base/error.h"
#include "base/mem.h"
#include "diff/path_tree_overlay.h"

enum { FURTHER_MAX = 12 };
#define NO_ROW UINT32_MAX

/* The rows of a node of all trees. */
struct node_rows {
	uint32_t row; /* the row that it belongs to, or NO_ROW */
	uint32_t own; /* a row for its bytes only, or NO_ROW */
};

struct diff {
	struct hprof_diff_path_table table;
	struct hp_path_tree_overlay
		overlay; /* later only texts and objects are kept */
	struct hp_arena arena;
	size_t sides;
	struct node_rows *node_rows;
	uint32_t *heads; /* the node of each row */
	double *changes; /* of bytes, by node */
	uint32_t *main;	 /* the child with most of the change; 0: none */
	size_t row_count;
	struct hp_diff_parts parts;
};

static const struct hp_path_key *key_of(const struct diff *d, size_t node)
{
	return &d->overlay.nodes.items[node].key;
}

static uint64_t *objects_of(const struct diff *d, size_t node)
{
	return hp_path_tree_overlay_objects(&d->overlay, node);
}

static uint64_t *shallow_of(const struct diff *d, size_t node)
{
	return hp_path_tree_overlay_shallow(&d->overlay, node);
}

/* ---- rows ---------------------------------------------------------------- */

static bool differ(const struct diff *d, const uint64_t *cells)
{
	for (size_t i = 1; i < d->sides; i++)
		if (cells[i] != cells[0])
			return true;
	return false;
}

static double distance(double a, double b)
{
	return a > b ? a - b : b - a;
}

/* Below a node that changed: did this one change for reasons of its own? */
static bool is_out_of_proportion(const struct diff *d, size_t node,
				 size_t parent)
{
	const uint64_t *its = objects_of(d, node);
	const uint64_t *parents = objects_of(d, parent);
	double from = (double)its[0], to = (double)its[d->sides - 1];
	double parents_from = (double)parents[0];
	double parents_to = (double)parents[d->sides - 1];
	double change = distance(from, to);

	if (parents_from <= 0 || parents_to <= 0 ||
	    change <= distance(parents_from, parents_to))
		return false;
	return distance(to, from * parents_to / parents_from) > change / 2;
}

static uint32_t new_row(struct diff *d, size_t node)
{
	d->heads[d->row_count] = (uint32_t)node;
	return (uint32_t)d->row_count++;
}

/* Parents come before their children. */
static void find_rows(struct diff *d)
{
	for (size_t i = 0; i < d->overlay.nodes.count; i++) {
		uint32_t parent = key_of(d, i)->parent;
		uint32_t row = parent == HP_NO_NODE_YET
				       ? NO_ROW
				       : d->node_rows[parent].row;
		struct node_rows *of_node = &d->node_rows[i];
		bool begins = row == NO_ROW
				      ? differ(d, objects_of(d, i))
				      : is_out_of_proportion(d, i, parent);

		*of_node = (struct node_rows){ begins ? new_row(d, i) : row,
					       NO_ROW };
		if (of_node->row == NO_ROW && differ(d, shallow_of(d, i)))
			of_node->own = new_row(d, i);
	}
}

/* ---- where in a row it is ------------------------------------------------ */

static double size_of(double change)
{
	return change < 0 ? -change : change;
}

/* True if A comes before B: its change is larger, or its path comes first. */
static bool is_more(const struct diff *d, uint32_t a, uint32_t b)
{
	double first = size_of(d->changes[a]), second = size_of(d->changes[b]);

	if (first > second || first < second)
		return first > second;
	return hp_path_compare(&d->overlay.nodes, a, b) < 0;
}

/*
 * Computes for each node the bytes that changed in it and below it in its row.
 */
static enum hprof_status find_changes(struct diff *d)
{
	size_t count = d->overlay.nodes.count;

	d->changes = hp_calloc(count + 1, sizeof *d->changes);
	d->main = hp_calloc(count + 1, sizeof *d->main);
	if (!d->changes || !d->main)
		return HPROF_E_NOMEM;
	for (size_t i = count; i-- > 0;) {
		const uint64_t *shallow = shallow_of(d, i);
		uint32_t parent = key_of(d, i)->parent;

		d->changes[i] +=
			(double)shallow[d->sides - 1] - (double)shallow[0];
		if (parent == HP_NO_NODE_YET || d->node_rows[i].row == NO_ROW ||
		    d->node_rows[i].row != d->node_rows[parent].row)
			continue;
		d->changes[parent] += d->changes[i];
		if (!d->main[parent] ||
		    is_more(d, (uint32_t)i, d->main[parent]))
			d->main[parent] = (uint32_t)i;
	}
	return HPROF_OK;
}

/* ---- the table ----------------------------------------------------------- */

static struct hprof_diff_step step_of(struct diff *d, uint32_t node)
{
	const struct hp_path_key *key = key_of(d, node);

	return (struct hprof_diff_step){
		.root = key->root,
		.edge = (enum hprof_edge_kind)key->edge,
		.field = d->overlay.nodes.texts[key->field],
		.kind = (enum hprof_object_kind)key->kind,
		.class_name = d->overlay.nodes.texts[key->class_name],
		.objects = objects_of(d, node),
	};
}

/* The number of steps from the head of ROW to where most of the change is. */
static size_t further_steps(const struct diff *d, uint32_t row)
{
	uint32_t at = d->heads[row];
	double most = d->changes[at] / 2;
	size_t length = 0;

	if (d->node_rows[at].row != row)
		return 0;
	for (; length < FURTHER_MAX && d->main[at]; length++) {
		double change = d->changes[d->main[at]];

		if (most > 0 ? change < most : change > most)
			break;
		at = d->main[at];
	}
	return length;
}

static enum hprof_status fill_steps(struct diff *d, uint32_t row,
				    struct hprof_diff_path *path)
{
	uint32_t head = d->heads[row], at = head;
	size_t further = further_steps(d, row);
	struct hprof_diff_step *steps;

	path->point = d->overlay.nodes.items[head].depth;
	path->step_count = path->point + 1 + further;
	steps = hp_arena_take(&d->arena, path->step_count * sizeof *steps);
	if (!steps)
		return HPROF_E_NOMEM;
	for (size_t i = path->point + 1; i-- > 0;) {
		steps[i] = step_of(d, at);
		at = key_of(d, at)->parent;
	}
	at = head;
	for (size_t i = path->point + 1; i < path->step_count; i++) {
		at = d->main[at];
		steps[i] = step_of(d, at);
	}
	path->steps = steps;
	return HPROF_OK;
}

static enum hprof_status fill_row(struct diff *d, uint32_t row)
{
	struct hprof_diff_path *path = &d->table.paths[row];
	uint32_t head = d->heads[row];
	size_t size = d->sides * sizeof *path->cells;

	path->cells = hp_arena_take(&d->arena, size);
	if (!path->cells)
		return HPROF_E_NOMEM;
	memset(path->cells, 0, size);
	for (size_t i = 0; i < d->sides; i++) {
		struct hprof_diff_cell *cell = &path->cells[i];

		cell->items = objects_of(d, head)[i] != 0;
		cell->values[HPROF_DIFF_INSTANCES] = objects_of(d, head)[i];
		cell->values[HPROF_DIFF_BYTES] = shallow_of(d, head)[i];
	}
	return fill_steps(d, row, path);
}

/* Adds the objects of each node to its row. */
static enum hprof_status add_nodes(struct diff *d)
{
	for (size_t i = 0; i < d->overlay.nodes.count; i++) {
		const struct node_rows *of_node = &d->node_rows[i];
		uint32_t row =
			of_node->row == NO_ROW ? of_node->own : of_node->row;
		struct hprof_diff_cell *cells;

		if (row == NO_ROW)
			continue;
		cells = d->table.paths[row].cells;
		for (size_t k = 0; k < d->sides; k++)
			cells[k].values[HPROF_DIFF_RETAINED] +=
				shallow_of(d, i)[k];
		HP_TRY(hp_diff_parts_add(&d->parts, &d->overlay, i, row));
	}
	return HPROF_OK;
}

static void find_growth(const struct diff *d, struct hprof_diff_path *path)
{
	for (unsigned m = 0; m < HPROF_DIFF_MEASURES; m++) {
		path->grows[m] = d->sides > 1;
		for (size_t i = 1; i < d->sides; i++)
			path->grows[m] &= path->cells[i - 1].values[m] <
					  path->cells[i].values[m];
	}
}

/* ---- order --------------------------------------------------------------- */

struct growth {
	unsigned rank; /* 0: growth, 1: loss, 2: neither */
	uint64_t by;
};

static struct growth growth_of(const struct diff *d, uint32_t row)
{
	const struct hprof_diff_path *path = &d->table.paths[row];
	const struct hprof_diff_cell *cells = path->cells;
	uint64_t from = cells[0].values[HPROF_DIFF_RETAINED];
	uint64_t to = cells[d->sides - 1].values[HPROF_DIFF_RETAINED];

	if (to > from)
		return (struct growth){ 0, to - from };
	return (struct growth){ from > to ? 1 : 2, from - to };
}

struct sorted {
	const struct diff *diff;
	uint32_t row;
	struct growth growth;
};

static int compare_growth(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	const struct diff *d = a->diff;

	if (a->growth.rank != b->growth.rank)
		return a->growth.rank < b->growth.rank ? -1 : 1;
	if (a->growth.by != b->growth.by)
		return a->growth.by > b->growth.by ? -1 : 1;
	return hp_path_compare(&d->overlay.nodes, d->heads[a->row],
			       d->heads[b->row]);
}

static enum hprof_status order_rows(struct diff *d)
{
	size_t count = d->row_count;
	struct sorted *order = hp_calloc(count + 1, sizeof *order);
	struct hprof_diff_path *paths = hp_calloc(count + 1, sizeof *paths);

	if (!order || !paths) {
		hp_free(order);
		hp_free(paths);
		return HPROF_E_NOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct sorted){ d, i, growth_of(d, i) };
	if (count)
		qsort(order, count, sizeof *order, compare_growth);
	for (size_t i = 0; i < count; i++)
		paths[i] = d->table.paths[order[i].row];
	hp_free(order);
	hp_free(d->table.paths);
	d->table.paths = paths;
	return HPROF_OK;
}

/* -------------------------------------------------------------------------- */

static enum hprof_status make_rows(struct diff *d)
{
	d->table.paths = hp_calloc(d->row_count + 1, sizeof *d->table.paths);
	if (!d->table.paths)
		return HPROF_E_NOMEM;
	d->table.count = d->row_count;
	for (uint32_t i = 0; i < d->row_count; i++)
		HP_TRY(fill_row(d, i));
	HP_TRY(add_nodes(d));
	HP_TRY(hp_diff_parts_fill(&d->parts, &d->overlay, &d->arena,
				  d->table.paths, d->row_count));
	for (size_t i = 0; i < d->row_count; i++)
		find_growth(d, &d->table.paths[i]);
	return order_rows(d);
}

static enum hprof_status make_table(struct diff *d,
				    const struct hprof_path_tree *const *trees)
{
	size_t nodes;

	HP_TRY(hp_path_tree_overlay_make(&d->overlay, trees, d->sides));
	nodes = d->overlay.nodes.count;
	d->node_rows = hp_calloc(nodes + 1, sizeof *d->node_rows);
	d->heads = hp_calloc(nodes + 1, sizeof *d->heads);
	if (!d->node_rows || !d->heads)
		return HPROF_E_NOMEM;
	find_rows(d);
	HP_TRY(find_changes(d));
	return make_rows(d);
}

/* Frees all but texts and numbers of objects, which the rows use. */
static void drop_work(struct diff *d)
{
	hp_path_tree_overlay_drop_shallow(&d->overlay);
	hp_free(d->node_rows);
	hp_free(d->changes);
	hp_free(d->main);
	hp_free(d->heads);
	hp_diff_parts_done(&d->parts);
}

enum hprof_status hprof_diff_paths(const struct hprof_path_tree *const *trees,
				   size_t count,
				   struct hprof_diff_path_table **ret_table,
				   struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct diff *d;

	HP_NEED(ret_error, trees);
	if (!count)
		return hp_bad_argument(ret_error, "count", "is 0");
	for (size_t i = 0; i < count; i++)
		if (!trees[i])
			return hp_bad_argument(ret_error, "trees",
					       "has one that is NULL");
	HP_NEED(ret_error, ret_table);
	d = hp_calloc(1, sizeof *d);
	if (!d)
		return hp_no_memory(ret_error);
	d->table.impl = d;
	d->table.side_count = d->sides = count;
	status = make_table(d, trees);
	drop_work(d);
	if (status != HPROF_OK) {
		hprof_diff_path_table_free(&d->table);
		return hp_no_memory(ret_error);
	}
	*ret_table = &d->table;
	return HPROF_OK;
}

void hprof_diff_path_table_free(struct hprof_diff_path_table *table)
{
	struct diff *d = table ? table->impl : NULL;

	if (!d)
		return;
	hp_path_tree_overlay_done(&d->overlay);
	hp_arena_done(&d->arena);
	hp_free(d->table.paths);
	hp_free(d);
}
