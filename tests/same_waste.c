/* SPDX-License-Identifier: MIT */
/*
 * same_waste.c - see same_waste.h.
 */
#include "same_waste.h"

#include <string.h>

#include "base/same_text.h"

static bool same_sum(const struct hprof_waste_sum *a,
		     const struct hprof_waste_sum *b)
{
	return a->objects == b->objects && a->bytes == b->bytes &&
	       a->saved == b->saved;
}

static bool same_holder(const struct hprof_waste_holder *a,
			const struct hprof_waste_holder *b)
{
	return a->class_row == b->class_row && a->is_static == b->is_static &&
	       hp_same_text(a->field, b->field);
}

static const char *kinds_differ(const struct hprof_waste_table *a,
				const struct hprof_waste_table *b)
{
	for (size_t i = 0; i < HPROF_WASTE_KINDS; i++)
		if (!same_sum(&a->kinds[i], &b->kinds[i]))
			return hprof_waste_kind_name((enum hprof_waste_kind)i);
	return a->live != b->live || a->live_objects != b->live_objects ||
			       a->saved != b->saved
		       ? "a sum"
		       : NULL;
}

static const char *rows_differ(const struct hprof_waste_table *a,
			       const struct hprof_waste_table *b)
{
	if (a->row_count != b->row_count)
		return "the number of rows";
	for (size_t i = 0; i < a->row_count; i++) {
		const struct hprof_waste_row *x = &a->rows[i], *y = &b->rows[i];

		if (x->kind != y->kind || x->class_row != y->class_row ||
		    x->example != y->example ||
		    x->example_id != y->example_id || x->fields != y->fields ||
		    !same_sum(&x->sum, &y->sum) ||
		    !same_holder(&x->holder, &y->holder))
			return "a row";
	}
	return NULL;
}

static bool same_contents(const struct hprof_waste_content *a,
			  const struct hprof_waste_content *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].example != b[i].example ||
		    a[i].example_id != b[i].example_id ||
		    a[i].class_row != b[i].class_row ||
		    a[i].length != b[i].length ||
		    !hp_same_text(a[i].text, b[i].text) ||
		    a[i].objects != b[i].objects || a[i].saved != b[i].saved ||
		    !same_holder(&a[i].holder, &b[i].holder) ||
		    a[i].held != b[i].held)
			return false;
	return true;
}

static bool same_maps(const struct hprof_waste_map *a,
		      const struct hprof_waste_map *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].kind != b[i].kind || a[i].object != b[i].object ||
		    a[i].id != b[i].id || a[i].class_row != b[i].class_row ||
		    a[i].entries != b[i].entries || a[i].used != b[i].used ||
		    a[i].deepest != b[i].deepest ||
		    a[i].refer_back != b[i].refer_back ||
		    a[i].key_row != b[i].key_row ||
		    !same_holder(&a[i].holder, &b[i].holder))
			return false;
	return true;
}

static const char *tables_differ(const struct hprof_waste_table *a,
				 const struct hprof_waste_table *b)
{
	const char *what = kinds_differ(a, b);

	what = what ? what : rows_differ(a, b);
	if (what)
		return what;
	if (a->string_count != b->string_count ||
	    !same_contents(a->strings, b->strings, a->string_count))
		return "equal strings";
	if (a->array_count != b->array_count ||
	    !same_contents(a->arrays, b->arrays, a->array_count))
		return "equal arrays";
	return a->map_count != b->map_count ||
			       !same_maps(a->maps, b->maps, a->map_count)
		       ? "a map"
		       : NULL;
}

/* A way to the same table. */
struct way {
	bool notes, again, dominators;
	bool sums; /* the graph has those of all objects by then */
	unsigned threads;
	uint64_t memory;
};

static struct hprof_notes *notes_for(const struct hprof_heap *heap,
				     const struct way *way)
{
	struct hprof_notes *notes = NULL;

	if (way->notes && hprof_waste_notes_new(heap, &notes, NULL) < 0)
		notes = NULL;
	return notes;
}

/* With suspects of any size. */
static bool find_sums(const struct hprof_graph *graph)
{
	const struct hprof_leak_options options = { .size = sizeof options,
						    .bytes = 1,
						    .sums = true };
	struct hprof_leak_table *table = NULL;

	if (hprof_leaks_read(graph, &options, &table, NULL) < 0)
		return false;
	hprof_leak_table_free(table);
	return true;
}

static struct hprof_waste_table *
read_waste(const struct hprof_heap *heap, unsigned hold, const struct way *way)
{
	struct hprof_notes *notes = notes_for(heap, way);
	const struct hprof_graph_options graph_options = {
		.size = sizeof graph_options,
		.threads = way->threads,
		.hold = hold,
		.dominators = way->dominators,
		.notes = notes,
	};
	const struct hprof_waste_options options = { .size = sizeof options,
						     .memory = way->memory };
	struct hprof_waste_table *table = NULL;
	struct hprof_graph *graph = NULL;

	if (hprof_graph_build(heap, &graph_options, &graph, NULL) < 0)
		return NULL;
	/* The second time there are no notes any more. */
	if (way->again && hprof_waste_read(graph, &options, &table, NULL) >= 0)
		hprof_waste_table_free(table);
	table = NULL;
	if ((way->sums && !find_sums(graph)) ||
	    hprof_waste_read(graph, &options, &table, NULL) < 0)
		table = NULL;
	hprof_graph_free(graph);
	return table;
}

const char *waste_differs(const struct hprof_heap *heap, unsigned hold)
{
	static const struct way ways[] = {
		{ .threads = 1 },
		{ .threads = 1, .notes = true },
		{ .threads = 3, .notes = true, .dominators = true },
		{ .threads = 2, .notes = true, .again = true },
		{ .threads = 2, .dominators = true, .sums = true },
		{ .threads = 3, .memory = 1 << 20 },
		{ .threads = 2, .notes = true, .memory = 1 << 20 },
	};
	struct hprof_waste_table *first = NULL, *other;
	const char *what = NULL;

	for (size_t i = 0; !what && i < sizeof ways / sizeof *ways; i++) {
		other = read_waste(heap, hold, &ways[i]);
		if (!other)
			what = "no table";
		else if (first)
			what = tables_differ(first, other);
		if (first)
			hprof_waste_table_free(other);
		else
			first = other;
	}
	hprof_waste_table_free(first);
	return what;
}
