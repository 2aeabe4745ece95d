/*
 * diff_paths.c - hprof_diff_paths: what grew, and who holds it.
 *
 * The trees are laid over each other. From the top down, the first node whose
 * objects are not as many as before begins a row, which takes what is below it:
 * more sessions have more strings. A node below that grew out of proportion,
 * as one list in a thread more, begins another.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "pathtree.h"

enum { PARTS_MAX = 3, TRAIL_MAX = 12 };
#define NO_ROW UINT32_MAX

/* Nodes of all trees at one place. */
struct place {
	uint32_t row; /* that it belongs to, or NO_ROW */
	uint32_t own; /* row for its bytes alone, or NO_ROW */
};

/* A class in a row, before these are sorted. */
struct part {
	uint32_t row, name;
	bool is_class;
	uint64_t objects[2], bytes[2];
};

struct diff {
	struct hprof_diff_path_table table;
	struct hp_path_nodes nodes; /* texts stay, the rest goes */
	struct hp_arena arena;
	size_t sides;
	uint64_t *objects, *shallow; /* by node, then tree */
	size_t room;		     /* nodes that these have room for */
	struct place *places;
	uint32_t *heads; /* the node of each row */
	double *changes; /* of bytes, by node */
	uint32_t *main;	 /* the node below with most of it; 0: none */
	size_t row_count;
	struct part *parts;
	size_t part_count, part_room;
};

/* ---- laying over each other -------------------------------------------------- */

static uint64_t *cells_of(const struct diff *d, uint64_t *table, size_t node)
{
	return table + node * d->sides;
}

static int make_room(struct diff *d, size_t count)
{
	size_t room = d->room ? d->room : 256;
	uint64_t *objects, *shallow;

	if (count <= d->room)
		return 0;
	while (room < count)
		room *= 2;
	objects = hp_realloc(d->objects, room * d->sides, sizeof *objects);
	if (!objects)
		return -1;
	d->objects = objects;
	shallow = hp_realloc(d->shallow, room * d->sides, sizeof *shallow);
	if (!shallow)
		return -1;
	d->shallow = shallow;
	memset(objects + d->room * d->sides, 0,
	       (room - d->room) * d->sides * sizeof *objects);
	memset(shallow + d->room * d->sides, 0,
	       (room - d->room) * d->sides * sizeof *shallow);
	d->room = room;
	return 0;
}

static int take_text(struct diff *d, const char *text, uint32_t *ret)
{
	*ret = text ? hp_path_text(&d->nodes, text, strlen(text)) : 0;
	return text && !*ret ? -1 : 0;
}

static int take_node(struct diff *d, const struct hprof_path_node *from,
		     size_t side, const uint32_t *place_of, uint32_t *ret)
{
	struct hp_path_key key = {
		.parent = from->parent == SIZE_MAX ? HP_NO_NODE_YET
						   : place_of[from->parent],
		.edge = (uint8_t)from->edge,
		.kind = (uint8_t)from->kind,
		.root = (uint16_t)from->root,
	};

	if (take_text(d, from->field, &key.field) != 0 ||
	    take_text(d, from->class_name, &key.class_name) != 0)
		return -1;
	*ret = hp_path_node(&d->nodes, &key);
	if (*ret == HP_NO_NODE_YET || make_room(d, d->nodes.count) != 0)
		return -1;
	cells_of(d, d->objects, *ret)[side] += from->objects;
	cells_of(d, d->shallow, *ret)[side] += from->shallow;
	return 0;
}

static int take_tree(struct diff *d, const struct hprof_path_tree *tree,
		     size_t side)
{
	uint32_t *place_of = hp_calloc(tree->count + 1, sizeof *place_of);
	int failed = place_of ? 0 : -1;

	for (size_t i = 0; !failed && i < tree->count; i++)
		failed = take_node(d, &tree->nodes[i], side, place_of,
				   &place_of[i]);
	hp_free(place_of);
	return failed;
}

/* ---- rows ---------------------------------------------------------------------- */

static bool differ(const struct diff *d, uint64_t *table, size_t node)
{
	const uint64_t *cells = cells_of(d, table, node);

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
				 size_t above)
{
	const uint64_t *its = cells_of(d, d->objects, node);
	const uint64_t *parents = cells_of(d, d->objects, above);
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

/* Nodes come behind those above them. */
static void find_rows(struct diff *d)
{
	for (size_t i = 0; i < d->nodes.count; i++) {
		uint32_t above = d->nodes.items[i].key.parent;
		uint32_t row =
			above == HP_NO_NODE_YET ? NO_ROW : d->places[above].row;
		struct place *place = &d->places[i];
		bool begins = row == NO_ROW ? differ(d, d->objects, i)
					    : is_out_of_proportion(d, i, above);

		*place = (struct place){ begins ? new_row(d, i) : row, NO_ROW };
		if (place->row == NO_ROW && differ(d, d->shallow, i))
			place->own = new_row(d, i);
	}
}

/* ---- where in a row it is ---------------------------------------------------------- */

static double size_of(double change)
{
	return change < 0 ? -change : change;
}

/* True if most of what changed below its parent is below A, not B. */
static bool is_more(const struct diff *d, uint32_t a, uint32_t b)
{
	double first = size_of(d->changes[a]), second = size_of(d->changes[b]);

	if (first > second || first < second)
		return first > second;
	return hp_path_compare(&d->nodes, a, b) < 0;
}

/* Of each node, the bytes that changed in it and below it in its row. */
static int find_changes(struct diff *d)
{
	size_t count = d->nodes.count;

	d->changes = hp_calloc(count + 1, sizeof *d->changes);
	d->main = hp_calloc(count + 1, sizeof *d->main);
	if (!d->changes || !d->main)
		return -1;
	for (size_t i = count; i-- > 0;) {
		const uint64_t *shallow = cells_of(d, d->shallow, i);
		uint32_t above = d->nodes.items[i].key.parent;

		d->changes[i] +=
			(double)shallow[d->sides - 1] - (double)shallow[0];
		if (above == HP_NO_NODE_YET || d->places[i].row == NO_ROW ||
		    d->places[i].row != d->places[above].row)
			continue;
		d->changes[above] += d->changes[i];
		if (!d->main[above] || is_more(d, (uint32_t)i, d->main[above]))
			d->main[above] = (uint32_t)i;
	}
	return 0;
}

/* ---- what they keep --------------------------------------------------------------- */

static int add_part(struct diff *d, size_t node, uint32_t row)
{
	const struct hp_path_key *key = &d->nodes.items[node].key;
	const uint64_t *objects = cells_of(d, d->objects, node);
	const uint64_t *shallow = cells_of(d, d->shallow, node);
	size_t last = d->sides - 1;

	if (hp_grow((void **)&d->parts, &d->part_room, d->part_count,
		    sizeof *d->parts) != 0)
		return -1;
	d->parts[d->part_count++] = (struct part){
		.row = row,
		.name = key->class_name,
		.is_class = key->kind == HPROF_OBJECT_CLASS,
		.objects = { objects[0], objects[last] },
		.bytes = { shallow[0], shallow[last] },
	};
	return 0;
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (int)a->is_class - (int)b->is_class;
}

static void merge_parts(struct diff *d)
{
	size_t used = 0;

	if (d->part_count)
		qsort(d->parts, d->part_count, sizeof *d->parts, compare_parts);
	for (size_t i = 0; i < d->part_count; i++) {
		struct part *to = &d->parts[used ? used - 1 : 0];
		const struct part *part = &d->parts[i];

		if (!used || compare_parts(to, part) != 0) {
			d->parts[used++] = *part;
			continue;
		}
		for (unsigned k = 0; k < 2; k++) {
			to->objects[k] += part->objects[k];
			to->bytes[k] += part->bytes[k];
		}
	}
	d->part_count = used;
}

static uint64_t change_of(const struct part *part)
{
	return part->bytes[1] > part->bytes[0]
		       ? part->bytes[1] - part->bytes[0]
		       : part->bytes[0] - part->bytes[1];
}

/* True if A changed more than B, or as much and comes first by name. */
static bool matters_more(const struct diff *d, const struct part *a,
			 const struct part *b)
{
	const char *a_name = d->nodes.texts[a->name];
	const char *b_name = d->nodes.texts[b->name];
	int order;

	if (change_of(a) != change_of(b))
		return change_of(a) > change_of(b);
	order = strcmp(a_name ? a_name : "", b_name ? b_name : "");
	return order ? order < 0 : a->is_class < b->is_class;
}

/* The parts of a row that changed most, of COUNT from FIRST on. */
static int choose_parts(struct diff *d, const struct part *first, size_t count,
			struct hprof_diff_path *path)
{
	const struct part *best[PARTS_MAX + 1];
	struct hprof_diff_part *parts;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = used;

		if (!change_of(&first[i]))
			continue;
		for (; at && matters_more(d, &first[i], best[at - 1]); at--)
			best[at] = best[at - 1];
		best[at] = &first[i];
		if (used < PARTS_MAX)
			used++;
	}
	parts = hp_arena_take(&d->arena, (used + 1) * sizeof *parts);
	if (!parts)
		return -1;
	for (size_t i = 0; i < used; i++) {
		parts[i] = (struct hprof_diff_part){
			.class_name = d->nodes.texts[best[i]->name],
			.is_class = best[i]->is_class,
		};
		memcpy(parts[i].objects, best[i]->objects,
		       sizeof parts[i].objects);
		memcpy(parts[i].bytes, best[i]->bytes, sizeof parts[i].bytes);
	}
	path->part_count = used;
	path->parts = parts;
	return 0;
}

/* ---- the table ------------------------------------------------------------------------ */

static struct hprof_diff_step step_of(struct diff *d, uint32_t node)
{
	const struct hp_path_key *key = &d->nodes.items[node].key;

	return (struct hprof_diff_step){
		.root = key->root,
		.edge = (enum hprof_edge_kind)key->edge,
		.field = d->nodes.texts[key->field],
		.kind = (enum hprof_object_kind)key->kind,
		.class_name = d->nodes.texts[key->class_name],
		.objects = cells_of(d, d->objects, node),
	};
}

/* How many steps lead from HEAD to where most of the change is. */
static size_t trail_length(const struct diff *d, uint32_t row)
{
	uint32_t at = d->heads[row];
	double most = d->changes[at] / 2;
	size_t length = 0;

	if (d->places[at].row != row)
		return 0;
	for (; length < TRAIL_MAX && d->main[at]; length++) {
		double change = d->changes[d->main[at]];

		if (most > 0 ? change < most : change > most)
			break;
		at = d->main[at];
	}
	return length;
}

static int fill_steps(struct diff *d, uint32_t row,
		      struct hprof_diff_path *path)
{
	uint32_t head = d->heads[row], at = head;
	size_t trail = trail_length(d, row);
	struct hprof_diff_step *steps;

	path->point = d->nodes.items[head].depth;
	path->step_count = path->point + 1 + trail;
	steps = hp_arena_take(&d->arena, path->step_count * sizeof *steps);
	if (!steps)
		return -1;
	for (size_t i = path->point + 1; i-- > 0;) {
		steps[i] = step_of(d, at);
		at = d->nodes.items[at].key.parent;
	}
	at = head;
	for (size_t i = path->point + 1; i < path->step_count; i++) {
		at = d->main[at];
		steps[i] = step_of(d, at);
	}
	path->steps = steps;
	return 0;
}

static int fill_row(struct diff *d, uint32_t row)
{
	struct hprof_diff_path *path = &d->table.paths[row];
	uint32_t head = d->heads[row];
	size_t size = d->sides * sizeof *path->cells;

	path->cells = hp_arena_take(&d->arena, size);
	if (!path->cells)
		return -1;
	memset(path->cells, 0, size);
	for (size_t i = 0; i < d->sides; i++) {
		struct hprof_diff_cell *cell = &path->cells[i];

		cell->items = cells_of(d, d->objects, head)[i] != 0;
		cell->values[HPROF_DIFF_INSTANCES] =
			cells_of(d, d->objects, head)[i];
		cell->values[HPROF_DIFF_BYTES] =
			cells_of(d, d->shallow, head)[i];
	}
	return fill_steps(d, row, path);
}

/* What each node keeps goes to its row. */
static int add_nodes(struct diff *d)
{
	for (size_t i = 0; i < d->nodes.count; i++) {
		const struct place *place = &d->places[i];
		uint32_t row = place->row == NO_ROW ? place->own : place->row;

		if (row == NO_ROW)
			continue;
		for (size_t k = 0; k < d->sides; k++)
			d->table.paths[row]
				.cells[k]
				.values[HPROF_DIFF_RETAINED] +=
				cells_of(d, d->shallow, i)[k];
		if (add_part(d, i, row) != 0)
			return -1;
	}
	return 0;
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

static int fill_parts(struct diff *d)
{
	size_t at = 0;

	merge_parts(d);
	for (uint32_t row = 0; row < d->row_count; row++) {
		size_t first = at;

		while (at < d->part_count && d->parts[at].row == row)
			at++;
		if (choose_parts(d, &d->parts[first], at - first,
				 &d->table.paths[row]) != 0)
			return -1;
		find_growth(d, &d->table.paths[row]);
	}
	return 0;
}

/* ---- order ------------------------------------------------------------------------------ */

struct growth {
	unsigned rank; /* all the time, growth, loss, neither */
	uint64_t by;
};

static struct growth growth_of(const struct diff *d, uint32_t row)
{
	const struct hprof_diff_path *path = &d->table.paths[row];
	const struct hprof_diff_cell *cells = path->cells;
	uint64_t from = cells[0].values[HPROF_DIFF_RETAINED];
	uint64_t to = cells[d->sides - 1].values[HPROF_DIFF_RETAINED];

	if (to > from)
		return (struct growth){ path->grows[HPROF_DIFF_RETAINED] ? 0
									 : 1,
					to - from };
	return (struct growth){ from > to ? 2 : 3, from - to };
}

static int compare_growth(const struct diff *d, uint32_t left, uint32_t right)
{
	struct growth a = growth_of(d, left), b = growth_of(d, right);

	if (a.rank != b.rank)
		return a.rank < b.rank ? -1 : 1;
	if (a.by != b.by)
		return a.by > b.by ? -1 : 1;
	return hp_path_compare(&d->nodes, d->heads[left], d->heads[right]);
}

/* Sorts the COUNT rows at ITEMS, with room for as many at OTHER. */
static void sort_rows(const struct diff *d, uint32_t *items, uint32_t *other,
		      size_t count)
{
	size_t middle = count / 2, a = 0, b = middle;

	if (count < 2)
		return;
	sort_rows(d, items, other, middle);
	sort_rows(d, items + middle, other, count - middle);
	memcpy(other, items, count * sizeof *other);
	for (size_t i = 0; i < count; i++) {
		bool left = a < middle &&
			    (b == count ||
			     compare_growth(d, other[a], other[b]) <= 0);

		items[i] = left ? other[a++] : other[b++];
	}
}

static int order_rows(struct diff *d)
{
	uint32_t *order = hp_calloc(2 * d->row_count + 1, sizeof *order);
	struct hprof_diff_path *sorted =
		hp_calloc(d->row_count + 1, sizeof *sorted);
	int failed = order && sorted ? 0 : -1;

	if (!failed) {
		for (uint32_t i = 0; i < d->row_count; i++)
			order[i] = i;
		sort_rows(d, order, order + d->row_count, d->row_count);
		for (size_t i = 0; i < d->row_count; i++)
			sorted[i] = d->table.paths[order[i]];
		hp_free(d->table.paths);
		d->table.paths = sorted;
		sorted = NULL;
	}
	hp_free(sorted);
	hp_free(order);
	return failed;
}

/* ------------------------------------------------------------------------------------------ */

static int make_table(struct diff *d,
		      const struct hprof_path_tree *const *trees)
{
	for (size_t i = 0; i < d->sides; i++)
		if (take_tree(d, trees[i], i) != 0)
			return -1;
	d->places = hp_calloc(d->nodes.count + 1, sizeof *d->places);
	d->heads = hp_calloc(d->nodes.count + 1, sizeof *d->heads);
	if (!d->places || !d->heads)
		return -1;
	find_rows(d);
	if (find_changes(d) != 0)
		return -1;
	d->table.paths = hp_calloc(d->row_count + 1, sizeof *d->table.paths);
	if (!d->table.paths)
		return -1;
	d->table.count = d->row_count;
	for (uint32_t i = 0; i < d->row_count; i++)
		if (fill_row(d, i) != 0)
			return -1;
	if (add_nodes(d) != 0 || fill_parts(d) != 0)
		return -1;
	return order_rows(d);
}

/* All but texts and numbers of objects, which the rows show. */
static void drop_work(struct diff *d)
{
	hp_free(d->shallow);
	hp_free(d->places);
	hp_free(d->changes);
	hp_free(d->main);
	hp_free(d->heads);
	hp_free(d->parts);
}

enum hprof_status hprof_diff_paths(const struct hprof_path_tree *const *trees,
				   size_t count,
				   struct hprof_diff_path_table **ret_table,
				   struct hprof_error *ret_error)
{
	struct diff *d;
	int failed;

	if (!trees || !count || !ret_table)
		return hp_wrong_arguments(ret_error);
	d = hp_calloc(1, sizeof *d);
	if (!d)
		return hp_no_memory(ret_error);
	d->table.impl = d;
	d->table.side_count = d->sides = count;
	failed = hp_path_nodes_init(&d->nodes);
	if (!failed)
		failed = make_table(d, trees);
	drop_work(d);
	if (failed) {
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
	hp_path_nodes_done(&d->nodes);
	hp_arena_done(&d->arena);
	hp_free(d->objects);
	hp_free(d->table.paths);
	hp_free(d);
}
