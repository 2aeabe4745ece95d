/* SPDX-License-Identifier: MIT */
/*
 * tree_table.c - see tree_table.h.
 *
 * Rows are chosen by weight before any is written: a table that is cut while it is
 * written would show the first branch to its last leaf, and nothing of the others.
 * Nothing weighs more than what is above it, so the heaviest nodes are a tree.
 */
#include "tools/page/tree_table.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"

enum {
	/* Rows of one long chain must not take the place of all others. */
	LEVELS = 24,
	ITSELF = 3, /* the column */
	NAME_LONGEST = 160,
	ROW_ROOM = 400, /* bytes of a row, about, without its name */
	TABLE_ROOM = 80 * 1024
};

struct choice {
	uint64_t total;
	uint32_t node;
};

/* The chosen nodes; 0: none, since the root has no row. */
struct rows {
	const struct stack_tree *tree;
	struct choice *chosen;
	size_t count, heavy;	       /* those that retain anything */
	uint32_t *first, *last, *next; /* below each node, and beside it */
};

static int compare_weights(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int compare_places(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	return a->node < b->node ? -1 : a->node > b->node;
}

/* How many of the rows have room. */
static size_t count_fitting(const struct rows *rows, size_t most, size_t room)
{
	size_t bytes = 0, i;

	for (i = 0; i < rows->count && i < most; i++) {
		const struct stack_node *node =
			&rows->tree->nodes[rows->chosen[i].node];
		char *name =
			escape_copy(rows->tree->functions[node->function].name,
				    NAME_LONGEST);

		/* Some characters need more room in HTML. */
		bytes += ROW_ROOM + 2 * strlen(name);
		free(name);
		if (i && bytes > room)
			break;
	}
	return i;
}

static void choose(struct rows *rows, size_t most, size_t room)
{
	const struct stack_tree *tree = rows->tree;

	rows->chosen = cli_calloc(tree->count, sizeof(*rows->chosen));
	for (size_t i = 1; i < tree->count; i++) {
		const struct stack_node *node = &tree->nodes[i];

		rows->heavy += node->total[0] != 0;
		if (node->total[0] && node->depth <= LEVELS)
			rows->chosen[rows->count++] =
				(struct choice){ node->total[0], (uint32_t)i };
	}
	qsort(rows->chosen, rows->count, sizeof(*rows->chosen),
	      compare_weights);
	rows->count = count_fitting(rows, most, room);
}

/* Each chosen node below the one that it belongs to. */
static void link_rows(struct rows *rows)
{
	size_t count = rows->tree->count;

	rows->first = cli_calloc(count, sizeof(*rows->first));
	rows->last = cli_calloc(count, sizeof(*rows->last));
	rows->next = cli_calloc(count, sizeof(*rows->next));
	for (size_t i = 0; i < rows->count; i++) {
		uint32_t node = rows->chosen[i].node;
		uint32_t parent = rows->tree->nodes[node].parent;

		if (rows->last[parent])
			rows->next[rows->last[parent]] = node;
		else
			rows->first[parent] = node;
		rows->last[parent] = node;
	}
}

/* The row after that of NODE, from the top to the bottom; 0: none. */
static uint32_t row_after(const struct rows *rows, uint32_t node)
{
	if (rows->first[node])
		return rows->first[node];
	while (node && !rows->next[node])
		node = rows->tree->nodes[node].parent;
	return node ? rows->next[node] : 0;
}

static void put_row(struct html_table *table, const struct stack_tree *tree,
		    uint32_t i)
{
	const struct stack_node *node = &tree->nodes[i];
	char *name =
		escape_copy(tree->functions[node->function].name, NAME_LONGEST);

	html_cell_tree(table, name, node->depth - 1);
	html_cell_number(table, node->total[0]);
	html_cell_number(table, node->total[0]);
	html_cell_number(table, node->self[0]);
	if (tree->measure_count > 1)
		html_cell_number(table, node->total[1]);
	free(name);
}

/* What no row is about, since each of these is small. */
static void put_rest(struct html *html, const struct rows *rows)
{
	const struct stack_tree *tree = rows->tree;
	uint64_t whole = tree->nodes[0].total[0], rest = whole;
	char bytes[UNITS_MAX], share[UNITS_MAX], *line;

	for (uint32_t i = rows->first[0]; i; i = rows->next[i])
		rest -= tree->nodes[i].total[0] < rest ? tree->nodes[i].total[0]
						       : rest;
	if (!rest)
		return;
	line = describe_format("In no row: %s, %s.", units_bytes(rest, bytes),
			       units_share(rest, whole, share));
	html_put(html, "<p class=\"soft\">");
	html_own(html, line);
	html_put(html, "</p>\n");
}

/* The first of the rows are shown, if there is not room for all. */
static void put_other_objects(struct html_table *table, const struct rows *rows)
{
	const struct stack_node *nodes = rows->tree->nodes;
	uint64_t bytes = nodes[0].total[0], objects = nodes[0].self[1];
	uint32_t i = rows->first[0];

	if (!table->shown)
		return;
	for (size_t k = 0; k < table->shown; k++, i = row_after(rows, i)) {
		bytes -= nodes[i].self[0];
		objects -= nodes[i].self[1];
	}
	html_table_rest(table, objects, "more object", "more objects", ITSELF,
			bytes);
}

/* The script neither sorts what is in TREE nor hides what is above a row. */
static void put_table(struct html *html, const struct tree_table *how,
		      const struct rows *rows)
{
	const struct html_column columns[] = {
		{ how->head, HTML_NAME, false },
		{ "retains", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
		{ "itself", HTML_BYTES, how->of_objects },
		{ "objects", HTML_COUNT, false },
	};
	const struct stack_tree *tree = rows->tree;
	struct html_table table;

	html_put(html, "<div class=\"tree\">\n");
	html_table_begin(&table, html, how->caption, columns,
			 tree->measure_count > 1 ? 5 : 4, 0,
			 tree->nodes[0].total[0]);
	for (uint32_t i = rows->first[0]; i; i = row_after(rows, i))
		put_row(&table, tree, i);
	if (how->of_objects)
		put_other_objects(&table, rows);
	else
		html_table_skip(&table, rows->heavy - rows->count);
	html_table_end(&table);
	html_put(html, "</div>\n");
	put_rest(html, rows);
}

void tree_table_put(struct page *page, const struct tree_table *how,
		    const struct stack_tree *tree)
{
	struct html *html = &page->body;
	size_t room = html->limit > html->size ? html->limit - html->size : 0;
	struct rows rows = { .tree = tree };

	choose(&rows, page_rows(page, how->most),
	       room < TABLE_ROOM ? room : TABLE_ROOM);
	if (how->in_order)
		qsort(rows.chosen, rows.count, sizeof(*rows.chosen),
		      compare_places);
	link_rows(&rows);
	put_table(html, how, &rows);
	free(rows.chosen);
	free(rows.first);
	free(rows.last);
	free(rows.next);
}
