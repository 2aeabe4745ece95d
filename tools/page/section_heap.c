/* SPDX-License-Identifier: MIT */
/*
 * section_heap.c - where the bytes are: the dominator tree as pictures and as a
 * table, classes, the biggest objects.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/page/picture.h"
#include "tools/page/sections.h"
#include "tools/stacks/dominator_stacks.h"

enum { TREE_ROWS = 120, CLASS_ROWS = 500, SET_ROWS = 100, BIGGEST_ROWS = 100 };

/* ---- the dominator tree: pictures ---------------------------------------- */

/* The frames of one grouping of objects. */
struct grouping {
	const struct report *report;
	const struct hprof_loader_use_table *loaders;
};

static const char *class_name(const struct report *report, size_t row)
{
	const struct hprof_summary *summary = report->summary;

	return row < summary->class_count ? summary->class_rows[row].name
					  : NULL;
}

static char *package_of(void *user, size_t row, bool is_class)
{
	const struct grouping *grouping = user;
	const char *name = class_name(grouping->report, row);
	char package[DESCRIBE_NAME_LIMIT];

	(void)is_class;
	if (!name)
		return cli_strdup("(unknown)");
	hprof_package_name(name, package, sizeof(package));
	return cli_strdup(package);
}

static char *loader_of(void *user, size_t row, bool is_class)
{
	const struct grouping *grouping = user;

	(void)is_class;
	if (row >= grouping->report->summary->class_count)
		return cli_strdup("(unknown)");
	return render_loader_name(
		&grouping->loaders->rows[grouping->loaders->row_of_class[row]]);
}

/* What is above a row is the last one before it that is less deep. */
static uint32_t parent_of(const struct hprof_retained_tree *rows, size_t i,
			  const uint32_t *nodes, size_t *ret_row)
{
	for (size_t above = i; above-- > 0;)
		if (rows->rows[above].depth < rows->rows[i].depth) {
			*ret_row = above;
			return nodes[above];
		}
	*ret_row = SIZE_MAX;
	return 0;
}

static void put_objects(struct page *page, const struct report *report)
{
	const struct hprof_retained_tree *rows = report->tree;
	uint32_t *nodes = cli_calloc(rows->count + 1, sizeof(*nodes));
	uint64_t top = 0;
	struct stack_tree tree;

	stack_tree_init(&tree, false);
	tree.measure_count = 1;
	tree.measures[0] = (struct stack_measure){ "space", "bytes" };
	for (size_t i = 0; i < rows->count; i++) {
		const struct hprof_tree_row *row = &rows->rows[i];
		char *name = row->folded ? render_folded(row)
					 : describe_object(&row->held);
		size_t above;
		uint32_t parent = parent_of(rows, i, nodes, &above);

		nodes[i] = stack_tree_node(&tree, parent, name, NULL, 0);
		tree.nodes[nodes[i]].self[0] += row->held.retained;
		if (parent)
			tree.nodes[parent].self[0] -= row->held.retained;
		else
			top += row->held.retained;
		free(name);
	}
	if (report->graph->reachable_shallow > top)
		tree.nodes[0].self[0] = report->graph->reachable_shallow - top;
	stack_tree_sum(&tree);
	picture_put(&page->json, "object", "object", &tree, 0);
	stack_tree_free(&tree);
	free(nodes);
}

static void put_pictures(struct page *page, const struct report *report)
{
	enum { BY_CLASS, BY_PACKAGE, BY_LOADER, GROUPINGS };
	static const char *const words[] = { "class", "package", "loader" };
	struct grouping grouping = { report, report->loaders };
	struct stack_tree trees[GROUPINGS];
	const struct dominator_stacks wanted[] = {
		{ &trees[BY_CLASS], NULL, NULL },
		{ &trees[BY_PACKAGE], package_of, &grouping },
		{ &trees[BY_LOADER], loader_of, &grouping },
	};
	size_t count = report->loaders ? GROUPINGS : BY_LOADER;

	put_objects(page, report);
	for (size_t i = 0; i < count; i++) {
		stack_tree_init(&trees[i], false);
		dominator_stacks_make(&wanted[i], report->summary,
				      report->kinds);
		picture_put(&page->json, words[i], words[i], &trees[i], 0);
		stack_tree_free(&trees[i]);
	}
	page_picture(page, "class object package loader", "treemap",
		     "Dominator tree",
		     "The table below has the figures of the biggest objects.");
}

/* ---- the dominator tree: table ------------------------------------------- */

/* Frees LABEL. */
static void put_tree_row(struct html_table *table, size_t depth, char *label,
			 uint64_t retained, uint64_t shallow)
{
	enum { DEPTH_SHOWN = 20 };
	char dots[2 * DEPTH_SHOWN + 1] = "", *indented;

	depth = depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN;
	for (size_t i = 0; i < depth; i++)
		memcpy(dots + 2 * i, "\xc2\xb7", 3);
	/* On a narrow screen, too, the dots stay before the name. */
	indented =
		describe_format("%s%s%s", dots, depth ? "\xc2\xa0" : "", label);
	html_cell_own(table, indented);
	html_cell_number(table, retained);
	html_cell_number(table, retained);
	html_cell_number(table, shallow);
	free(label);
}

/* The row after I and all that it dominates. */
static size_t after_row(const struct hprof_retained_tree *tree, size_t i)
{
	size_t next = i + 1;

	while (next < tree->count &&
	       tree->rows[next].depth > tree->rows[i].depth)
		next++;
	return next;
}

static bool are_alike(const struct hprof_tree_row *a,
		      const struct hprof_tree_row *b)
{
	return a->depth == b->depth && !a->folded && !b->folded &&
	       a->held.kind == b->held.kind &&
	       a->held.class_row == b->held.class_row;
}

/* The rows from I on that are siblings of one class; 1 at least. */
static size_t count_alike(const struct hprof_retained_tree *tree, size_t i)
{
	size_t count = 1;

	for (size_t at = after_row(tree, i);
	     at < tree->count && are_alike(&tree->rows[i], &tree->rows[at]);
	     at = after_row(tree, at))
		count++;
	return count;
}

/* One row for COUNT siblings from row I on; returns the row after them. */
static size_t put_alike(struct html_table *table,
			const struct hprof_retained_tree *tree, size_t i,
			size_t count)
{
	struct hprof_tree_row row = tree->rows[i];
	uint64_t retained = 0, shallow = 0;

	row.folded = count;
	row.alike = true;
	for (; count > 0; count--, i = after_row(tree, i)) {
		retained += tree->rows[i].held.retained;
		shallow += tree->rows[i].held.shallow;
	}
	put_tree_row(table, row.depth, render_folded(&row), retained, shallow);
	return i;
}

/*
 * The rows FROM up to TO. Of many siblings of one class the biggest are shown with
 * what they dominate, and the others are one row: they would say the same again
 * and again. There are no more levels than rows, which are few.
 */
static void put_tree(struct html_table *table,
		     const struct hprof_retained_tree *tree, size_t from,
		     size_t to)
{
	enum { ALIKE_SHOWN = 3 };

	while (from < to) {
		size_t run = count_alike(tree, from);
		size_t shown = run > ALIKE_SHOWN + 1 ? ALIKE_SHOWN : run;

		for (size_t i = 0; i < shown; i++) {
			const struct hprof_tree_row *row = &tree->rows[from];
			size_t next = after_row(tree, from);

			put_tree_row(table, row->depth,
				     row->folded ? render_folded(row)
						 : describe_object(&row->held),
				     row->held.retained, row->held.shallow);
			put_tree(table, tree, from + 1, next);
			from = next;
		}
		if (shown < run)
			from = put_alike(table, tree, from, run - shown);
	}
}

void section_tree(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "object, and below it what it dominates", HTML_NAME, false },
		{ "retains", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
		{ "itself", HTML_BYTES, false },
	};
	struct html_table table;

	if (!report->tree || !report->kinds ||
	    !page_section(page, PAGE_TREE, "Dominator tree"))
		return;
	html_element(&page->body, "p",
		     "An object retains all that would become garbage with "
		     "it. Below each object, class, package or class loader is "
		     "what it alone keeps alive.");
	put_pictures(page, report);
	html_table_begin(&table, &page->body, "The biggest objects as a tree",
			 columns, 4, page_rows(page, TREE_ROWS),
			 report->graph->reachable_shallow);
	put_tree(&table, report->tree, 0, report->tree->count);
	html_table_end(&table);
	page_section_end(page);
}

/* ---- classes, packages --------------------------------------------------- */

static void put_sets(struct page *page, const struct report *report,
		     const char *caption, const struct hprof_set_row *rows,
		     size_t count, size_t most)
{
	static const struct html_column columns[] = {
		{ "name", HTML_NAME, false },
		{ "objects", HTML_COUNT, true },
		{ "size", HTML_BYTES, true },
		{ "retains", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
	};
	struct html_table table;

	html_table_begin(&table, &page->body, caption, columns, 5,
			 page_rows(page, most),
			 report->graph->reachable_shallow);
	for (size_t i = 0; i < count; i++) {
		html_cell_own(&table, render_set_name(report, &rows[i]));
		html_cell_number(&table, rows[i].objects);
		html_cell_number(&table, rows[i].shallow);
		html_cell_number(&table, rows[i].retained);
		html_cell_number(&table, rows[i].retained);
	}
	html_table_end(&table);
}

/* Without a graph: all objects, reachable or not. */
static void put_shallow(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "class", HTML_NAME, false },
		{ "objects", HTML_COUNT, true },
		{ "size", HTML_BYTES, true },
		{ "share", HTML_SHARE, true },
		{ "largest", HTML_BYTES, false },
	};
	const struct rollup_table *groups = report->groups;
	struct html_table table;

	html_table_begin(&table, &page->body, "All objects by class", columns,
			 5, page_rows(page, CLASS_ROWS), groups->whole);
	for (size_t i = 0; i < groups->count; i++) {
		const struct rollup_row *row = &groups->rows[i];

		html_cell_own(&table, describe_kind(row->name, false));
		html_cell_number(&table, row->instances);
		html_cell_number(&table, row->bytes);
		html_cell_number(&table, row->bytes);
		html_cell_number(&table, row->largest);
	}
	html_table_end(&table);
}

void section_classes(struct page *page, const struct report *report)
{
	const struct hprof_retained_table *retained = report->retained;

	if ((!retained && !report->groups) ||
	    !page_section(page, PAGE_CLASSES, "Classes"))
		return;
	if (retained) {
		size_t limit = html_keep(&page->body, PAGE_TABLE_KEEP);

		put_sets(page, report, "Live objects by class",
			 retained->classes, retained->class_count, CLASS_ROWS);
		page->body.limit = limit;
		put_sets(page, report, "Live objects by package",
			 retained->packages, retained->package_count, SET_ROWS);
	} else {
		put_shallow(page, report);
	}
	page_section_end(page);
}

/* ---- the biggest objects ------------------------------------------------- */

void section_biggest(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "object", HTML_NAME, false },
		{ "retains", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
		{ "itself", HTML_BYTES, false },
		{ "dominated by", HTML_TEXT, false },
	};
	const struct hprof_retained_table *retained = report->retained;
	size_t most = page_rows(page, BIGGEST_ROWS);
	struct html_table table;

	if (!retained || !page_section(page, PAGE_BIGGEST, "Biggest objects"))
		return;
	html_table_begin(&table, &page->body, "Objects that retain most",
			 columns, 5, most, retained->reachable_shallow);
	for (size_t i = 0; i < retained->big_count && i < most; i++) {
		const struct hprof_big_row *row = &retained->big[i];

		html_cell_own(&table, describe_object(&row->held));
		html_cell_number(&table, row->held.retained);
		html_cell_number(&table, row->held.retained);
		html_cell_number(&table, row->held.shallow);
		html_cell_own(&table, describe_object(&row->dominator));
	}
	html_table_end(&table);
	page_section_end(page);
}
