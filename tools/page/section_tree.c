/* SPDX-License-Identifier: MIT */
/*
 * section_tree.c - the dominator tree, by class, object, package and class loader:
 * for each way one picture and one table.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/page/picture.h"
#include "tools/page/sections.h"
#include "tools/page/tree_table.h"
#include "tools/stacks/dominator_stacks.h"

/* ---- by class, package, loader -------------------------------------------- */

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

/* ---- by object ------------------------------------------------------------ */

static void start_objects(struct stack_tree *tree, const struct report *report)
{
	stack_tree_init(tree, false);
	tree->measure_count = 1;
	tree->measures[0] = (struct stack_measure){ "space", "bytes" };
	tree->nodes[0].total[0] = report->graph->reachable_shallow;
	tree->nodes[0].self[1] = report->graph->reachable;
}

/*
 * Its totals are what the dump says, and no sums: most of what an object keeps has
 * no row. Frees NAME.
 */
static uint32_t add_object(struct stack_tree *tree, uint32_t parent, char *name,
			   uint64_t retained, uint64_t shallow,
			   uint64_t objects)
{
	uint32_t node = stack_tree_node(tree, parent, name, NULL, 0);

	free(name);
	if (node == parent) /* nothing is deeper */
		return node;
	tree->nodes[node].total[0] += retained;
	tree->nodes[node].self[0] += shallow;
	tree->nodes[node].self[1] += objects;
	return node;
}

static uint32_t add_row(struct stack_tree *tree, uint32_t parent,
			const struct hprof_tree_row *row)
{
	return add_object(tree, parent,
			  row->folded ? render_folded(row)
				      : describe_object(&row->held),
			  row->held.retained, row->shallow,
			  row->folded ? row->folded : 1);
}

/* What is above a row is the last one before it that is less deep. */
static uint32_t parent_of(const struct hprof_retained_tree *rows, size_t i,
			  const uint32_t *nodes)
{
	for (size_t above = i; above-- > 0;)
		if (rows->rows[above].depth < rows->rows[i].depth)
			return nodes[above];
	return 0;
}

static void put_object_picture(struct page *page, const struct report *report)
{
	const struct hprof_retained_tree *rows = report->tree;
	uint32_t *nodes = cli_calloc(rows->count + 1, sizeof(*nodes));
	struct stack_tree tree;

	start_objects(&tree, report);
	for (size_t i = 0; i < rows->count; i++)
		nodes[i] = add_row(&tree, parent_of(rows, i, nodes),
				   &rows->rows[i]);
	picture_put(&page->json, "object", "object", &tree, 0);
	stack_tree_free(&tree);
	free(nodes);
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

/* Several loaders may have loaded it. */
static bool same_class(const struct hprof_object_info *a,
		       const struct hprof_object_info *b)
{
	return a->class_row == b->class_row ||
	       (a->class_name && b->class_name &&
		strcmp(a->class_name, b->class_name) == 0);
}

static bool are_alike(const struct hprof_tree_row *a,
		      const struct hprof_tree_row *b)
{
	return a->depth == b->depth && !a->folded && !b->folded &&
	       a->held.kind == b->held.kind && same_class(&a->held, &b->held);
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

/* One node for COUNT siblings from row I on; returns the row after them. */
static size_t add_alike(struct stack_tree *tree, uint32_t parent,
			const struct hprof_retained_tree *rows, size_t i,
			size_t count)
{
	struct hprof_tree_row row = rows->rows[i];
	uint64_t retained = 0, shallow = 0;

	row.folded = count;
	row.classes = 1;
	for (; count > 0; count--, i = after_row(rows, i)) {
		retained += rows->rows[i].held.retained;
		shallow += rows->rows[i].held.shallow;
	}
	add_object(tree, parent, render_folded(&row), retained, shallow,
		   row.folded);
	return i;
}

/*
 * The rows FROM up to TO. Of many siblings of one class the biggest are nodes with
 * what they dominate, and the others are one node: they would say the same again
 * and again. There are no more levels than rows, which are few.
 */
static void add_rows(struct stack_tree *tree, uint32_t parent,
		     const struct hprof_retained_tree *rows, size_t from,
		     size_t to)
{
	enum { ALIKE_SHOWN = 3 };

	while (from < to) {
		size_t run = count_alike(rows, from);
		size_t shown = run > ALIKE_SHOWN + 1 ? ALIKE_SHOWN : run;

		for (size_t i = 0; i < shown; i++) {
			size_t next = after_row(rows, from);
			uint32_t node =
				add_row(tree, parent, &rows->rows[from]);

			add_rows(tree, node, rows, from + 1, next);
			from = next;
		}
		if (shown < run)
			from = add_alike(tree, parent, rows, from, run - shown);
	}
}

/* ---- pictures and tables -------------------------------------------------- */

enum way { BY_CLASS, BY_OBJECT, BY_PACKAGE, BY_LOADER, WAYS };

static const struct {
	const char *word, *summary;
	struct tree_table table;
} ways[WAYS] = {
	[BY_CLASS] = { "class",
		       NULL,
		       { "The dominator tree by class",
			 "class, and below it what it dominates", 120, false,
			 false } },
	[BY_OBJECT] = { "object",
			"By object",
			{ "The biggest objects as a tree",
			  "object, and below it what it dominates", 120, true,
			  true } },
	[BY_PACKAGE] = { "package",
			 "By package",
			 { "The dominator tree by package",
			   "package, and below it what it dominates", 80, false,
			   false } },
	[BY_LOADER] = { "loader",
			"By class loader",
			{ "The dominator tree by class loader",
			  "class loader, and below it what it dominates", 60,
			  false, false } },
};

/* What the picture shows at first is open; the script opens what it shows. */
static void put_table(struct page *page, enum way way,
		      const struct stack_tree *tree)
{
	struct html *html = &page->body;

	if (ways[way].summary)
		html_putf(html,
			  "<details data-tree=\"%s\"><summary>%s</summary>\n",
			  ways[way].word, ways[way].summary);
	tree_table_put(page, &ways[way].table, tree);
	if (ways[way].summary)
		html_put(html, "</details>\n");
}

static void put_objects(struct page *page, const struct report *report)
{
	struct stack_tree tree;

	put_object_picture(page, report);
	start_objects(&tree, report);
	add_rows(&tree, 0, report->tree, 0, report->tree->count);
	put_table(page, BY_OBJECT, &tree);
	stack_tree_free(&tree);
}

static void put_kinds(struct page *page, const struct report *report,
		      enum way way)
{
	struct grouping grouping = { report, report->loaders };
	struct stack_tree tree;
	const struct dominator_stacks wanted = {
		&tree,
		way == BY_PACKAGE  ? package_of
		: way == BY_LOADER ? loader_of
				   : NULL,
		&grouping,
	};

	stack_tree_init(&tree, false);
	dominator_stacks_make(&wanted, report->summary, report->kinds);
	picture_put(&page->json, ways[way].word, ways[way].word, &tree, 0);
	put_table(page, way, &tree);
	stack_tree_free(&tree);
}

void section_tree(struct page *page, const struct report *report)
{
	if (!report->tree || !report->kinds ||
	    !page_section(page, PAGE_TREE, "Dominator tree"))
		return;
	html_element(&page->body, "p",
		     "An object retains all that would become garbage with "
		     "it. Below each object, class, package or class loader is "
		     "what it alone keeps alive.");
	page_picture(page, "class object package loader", "treemap",
		     "Dominator tree",
		     "The tables below have the figures, the largest first.");
	put_kinds(page, report, BY_CLASS);
	put_objects(page, report);
	put_kinds(page, report, BY_PACKAGE);
	if (report->loaders)
		put_kinds(page, report, BY_LOADER);
	page_section_end(page);
}
