/* SPDX-License-Identifier: MIT */
/*
 * render_retained.c - the biggest objects and groups, and garbage, as text.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/shared_names.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

/* ---- the biggest objects ------------------------------------------------ */

/* By retained size, the largest first, then by number. */
static int compare_biggest(const void *key, const void *item)
{
	const struct hprof_object_info *a = key;
	const struct hprof_object_info *b =
		&((const struct hprof_big_row *)item)->held;

	if (a->retained != b->retained)
		return a->retained > b->retained ? -1 : 1;
	return (a->object > b->object) - (a->object < b->object);
}

/* The rank of OBJECT among the biggest, from 1; 0: it is not one of them. */
static size_t rank_of(const struct hprof_retained_table *retained,
		      const struct hprof_object_info *object)
{
	const struct hprof_big_row *found =
		bsearch(object, retained->big, retained->big_count,
			sizeof(*found), compare_biggest);

	return found ? (size_t)(found - retained->big) + 1 : 0;
}

/* A dominator that has a row of its own is named by its rank. */
static char *describe_dominator(const struct hprof_retained_table *retained,
				const struct hprof_object_info *dominator)
{
	size_t rank = rank_of(retained, dominator);

	if (rank)
		return describe_format("#%zu", rank);
	return dominator->object == HPROF_NO_OBJECT
		       ? describe_format("(roots)")
		       : describe_object(dominator);
}

static void put_below(struct table *table, const char *dominator)
{
	char *line = describe_format("      dominated by %s", dominator);

	table_line(table, line);
	free(line);
}

/* With OWN_LINES, dominators are below the objects and not beside them. */
static struct table *make_biggest(const struct hprof_retained_table *retained,
				  bool own_lines)
{
	static const struct table_column columns[] = {
		{ "rank", TABLE_RIGHT },  { "retained", TABLE_RIGHT },
		{ "share", TABLE_RIGHT }, { "shallow", TABLE_RIGHT },
		{ "object", TABLE_LEFT }, { "dominated by", TABLE_LEFT },
	};
	struct table *table = table_new(columns, own_lines ? 5 : 6);

	for (size_t i = 0; i < retained->big_count; i++) {
		const struct hprof_big_row *row = &retained->big[i];
		char *label;

		table_count(table, i + 1);
		table_count(table, row->held.retained);
		table_share(table, row->held.retained,
			    retained->reachable_shallow);
		table_count(table, row->held.shallow);
		label = describe_object(&row->held);
		table_text(table, label);
		free(label);
		label = describe_dominator(retained, &row->dominator);
		if (own_lines)
			put_below(table, label);
		else
			table_text(table, label);
		free(label);
	}
	return table;
}

static void put_biggest(FILE *out, const struct hprof_retained_table *retained)
{
	struct table *table;

	if (!retained->big_count) {
		fputs("\nno matching objects\n", out);
		return;
	}
	table = make_biggest(retained, false);
	if (!table_has_room(table, 0)) {
		table_free(table);
		table = make_biggest(retained, true);
	}
	fputs("\nThe biggest objects\n\n", out);
	table_print(table, out, 0);
	table_free(table);
}

/* ---- the tree of the biggest objects ------------------------------------- */

/* Deeper rows are not indented further. */
#define DEPTH_SHOWN 12

/* "(9 more of 2 classes)", "(5,998 more java.util.LinkedList$Node)" */
char *render_folded(const struct hprof_tree_row *row)
{
	char number[UNITS_MAX], classes[UNITS_MAX], *name, *label;

	units_count(row->folded, number);
	if (row->classes > 1)
		return describe_format("(%s more of %s classes)", number,
				       units_count(row->classes, classes));
	name = describe_class(&row->held, false);
	label = describe_format("(%s more %s)", number, name);
	free(name);
	return label;
}

static void put_tree_row(struct table *table, const struct hprof_tree_row *row,
			 uint64_t whole, size_t step)
{
	char *label =
		row->folded ? render_folded(row) : describe_object(&row->held);
	bool deep = row->depth > DEPTH_SHOWN;
	size_t depth = deep ? DEPTH_SHOWN : row->depth;
	char *indented = describe_format("%*s%s%s", (int)(step * depth), "",
					 deep ? "> " : "", label);

	table_count(table, row->held.retained);
	table_share(table, row->held.retained, whole);
	table_count(table, row->shallow);
	table_text(table, indented);
	free(indented);
	free(label);
}

/* Each row STEP blanks behind the one that dominates it. */
static struct table *make_tree(const struct report *report, size_t step)
{
	static const struct table_column columns[] = {
		{ "retained", TABLE_RIGHT },
		{ "share", TABLE_RIGHT },
		{ "shallow", TABLE_RIGHT },
		{ "object, and below it what it dominates", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 4);

	for (size_t i = 0; i < report->tree->count; i++)
		put_tree_row(table, &report->tree->rows[i],
			     report->retained->reachable_shallow, step);
	return table;
}

static void put_tree(FILE *out, const struct report *report)
{
	struct table *table = make_tree(report, 2);

	if (!table_has_room(table, 0)) {
		table_free(table);
		table = make_tree(report, 1);
	}
	fputs("\nThe biggest objects\n\n", out);
	table_print(table, out, 0);
	table_free(table);
}

/* ---- sets --------------------------------------------------------------- */

/* EMPTY cells follow the bytes: retained sets overlap, so they have no sum. */
static void sum_row(struct table *table, const char *name,
		    const struct hprof_set_row *rows, size_t from, size_t count,
		    unsigned empty)
{
	uint64_t objects = 0, shallow = 0;

	for (size_t i = from; i < count; i++) {
		objects += rows[i].objects;
		shallow += rows[i].shallow;
	}
	table_text(table, "");
	table_count(table, objects);
	table_count(table, shallow);
	while (empty--)
		table_text(table, "");
	table_words(table, name);
}

static void sum_rows(struct table *table, const struct report *report,
		     const struct hprof_set_row *rows, size_t shown,
		     size_t count, const char *const words[2], unsigned empty)
{
	char number[UNITS_MAX], *name;

	if (count < 2)
		return;
	if (count > shown) {
		name = describe_format("(%s more %s)",
				       units_count(count - shown, number),
				       words[count - shown != 1]);
		sum_row(table, name, rows, shown, count, empty);
		free(name);
	}
	name = describe_format("(%s%s %s)", units_count(count, number),
			       report->groups->filtered ? " matching" : "",
			       words[1]);
	sum_row(table, name, rows, 0, count, empty);
	free(name);
}

static const struct hprof_class_row *class_of(const struct report *report,
					      const struct hprof_set_row *row)
{
	const struct hprof_summary *summary = report->summary;

	return row->class_row < summary->class_count
		       ? &summary->class_rows[row->class_row]
		       : NULL;
}

/* Classes of the same name are told apart by their identifiers. */
char *render_set_name(const struct report *report,
		      const struct hprof_set_row *row)
{
	const struct hprof_class_row *class_row = class_of(report, row);
	char *name = describe_kind(row->name, false), *label;

	if (!class_row || !shared_names_has(report->names, class_row->name))
		return name;
	label = describe_format("%s  (class 0x%" PRIx64 ")", name,
				class_row->class_id);
	free(name);
	return label;
}

static void put_sets(FILE *out, const struct report *report,
		     const struct hprof_set_row *rows, size_t count,
		     const char *const words[2])
{
	const struct table_column columns[] = {
		{ "rank", TABLE_RIGHT },    { "objects", TABLE_RIGHT },
		{ "shallow", TABLE_RIGHT }, { "retained", TABLE_RIGHT },
		{ "share", TABLE_RIGHT },   { words[0], TABLE_LEFT },
	};
	struct table *table;
	size_t shown = render_rows(report, count);

	if (!count)
		return;
	table = table_new(columns, 6);
	for (size_t i = 0; i < shown; i++) {
		char *name = render_set_name(report, &rows[i]);

		table_count(table, i + 1);
		table_count(table, rows[i].objects);
		table_count(table, rows[i].shallow);
		table_count(table, rows[i].retained);
		table_share(table, rows[i].retained,
			    report->retained->reachable_shallow);
		table_text(table, name);
		free(name);
	}
	sum_rows(table, report, rows, shown, count, words, 2);
	putc('\n', out);
	table_print(table, out, 0);
	table_free(table);
}

void render_retained(FILE *out, const struct report *report)
{
	static const char *const classes[] = { "class", "classes" };
	static const char *const packages[] = { "package", "packages" };
	static const char *const loaders[] = { "loader", "loaders" };
	const struct hprof_retained_table *retained = report->retained;

	if (!retained)
		return;
	if (report->tree)
		put_tree(out, report);
	else
		put_biggest(out, retained);
	put_sets(out, report, retained->classes, retained->class_count,
		 classes);
	put_sets(out, report, retained->packages, retained->package_count,
		 packages);
	put_sets(out, report, retained->loaders, retained->loader_count,
		 loaders);
}

/* ---- garbage ------------------------------------------------------------ */

void render_garbage(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "rank", TABLE_RIGHT },  { "objects", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT }, { "share", TABLE_RIGHT },
		{ "class", TABLE_LEFT },
	};
	static const char *const words[] = { "class", "classes" };
	const struct hprof_garbage_table *garbage = report->garbage;
	char *objects, bytes[UNITS_MAX], share[UNITS_MAX];
	struct table *table;
	size_t shown;

	if (!garbage)
		return;
	objects = describe_count(garbage->objects, "object", "objects");
	fprintf(out, "\ngarbage: %s, %s (%s of the heap)\n", objects,
		units_bytes(garbage->shallow, bytes),
		units_share(garbage->shallow, report->graph->shallow, share));
	free(objects);
	if (!garbage->class_count)
		return;
	table = table_new(columns, 5);
	shown = render_rows(report, garbage->class_count);
	for (size_t i = 0; i < shown; i++) {
		const struct hprof_set_row *row = &garbage->classes[i];
		char *name = render_set_name(report, row);

		table_count(table, i + 1);
		table_count(table, row->objects);
		table_count(table, row->shallow);
		table_share(table, row->shallow, garbage->shallow);
		table_text(table, name);
		free(name);
	}
	sum_rows(table, report, garbage->classes, shown, garbage->class_count,
		 words, 1);
	putc('\n', out);
	table_print(table, out, 0);
	table_free(table);
}

/* ---- phases ------------------------------------------------------------- */

static void put_seconds(struct table *table, double seconds)
{
	char *text = describe_format("%.3f", seconds);

	table_text(table, text);
	free(text);
}

void render_stats(FILE *out, const struct hprof_graph *graph)
{
	static const struct table_column columns[] = {
		{ "phase", TABLE_LEFT },   { "seconds", TABLE_RIGHT },
		{ "cpu", TABLE_RIGHT },	   { "ns/object", TABLE_RIGHT },
		{ "memory", TABLE_RIGHT },
	};
	uint64_t objects = hprof_graph_totals(graph)->objects;
	const struct hprof_phase *phases;
	size_t count = hprof_graph_phases(graph, &phases);
	struct table *table = table_new(columns, 5);

	for (size_t i = 0; i < count; i++) {
		char bytes[UNITS_MAX], *each;

		each = describe_format("%.1f", objects ? phases[i].cpu * 1e9 /
								 (double)objects
						       : 0.0);
		table_text(table, phases[i].name);
		put_seconds(table, phases[i].seconds);
		put_seconds(table, phases[i].cpu);
		table_text(table, each);
		table_text(table, units_bytes(phases[i].bytes, bytes));
		free(each);
	}
	table_print(table, out, 0);
	table_free(table);
}
