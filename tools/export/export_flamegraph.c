/* SPDX-License-Identifier: MIT */
/*
 * export_flamegraph.c - a flame graph as one HTML file, which loads nothing from
 * anywhere: the roots on top, the width of a frame its share of the whole.
 *
 * Frames too narrow to be seen are left out, and the file says how many. Names
 * are those of a program that may be hostile: they are escaped for a terminal
 * and then for HTML, and the policy of the page lets no script run but ours,
 * which a browser knows by its hash.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/escape.h"
#include "tools/export/export_stacks.h"
#include "tools/export/flame_page.h"

enum {
	ROW = 18,	     /* pixels */
	FRAMES_MOST = 20000, /* more make a browser slow */
	NARROWEST = 10000,   /* of so many parts of the whole */
	HEAVIEST = 50,	     /* rows of the table */
	COLOURS = 6
};

struct page {
	struct hprof_output *output;
	enum hprof_status status;
	const struct stack_tree *tree;
	size_t measure;
	uint64_t whole;
};

static void put_bytes(struct page *page, const char *bytes, size_t size)
{
	if (page->status == HPROF_OK)
		page->status = hprof_output_write(page->output, bytes, size);
}

static void put(struct page *page, const char *text)
{
	put_bytes(page, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void
put_line(struct page *page, const char *format, ...)
{
	char line[256];
	va_list values;

	va_start(values, format);
	vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	put(page, line);
}

/* Safe inside of elements and of quoted attributes. */
static void put_name(struct page *page, const char *name)
{
	size_t size = strlen(name);

	while (size > 0) {
		char piece[ESCAPE_MAX];
		size_t n = escape_next(&name, &size, ESCAPE_TERMINAL, piece);

		if (n != 1)
			put_bytes(page, piece, n);
		else if (piece[0] == '<')
			put(page, "&lt;");
		else if (piece[0] == '>')
			put(page, "&gt;");
		else if (piece[0] == '&')
			put(page, "&amp;");
		else if (piece[0] == '"')
			put(page, "&quot;");
		else if (piece[0] == '\'')
			put(page, "&#39;");
		else
			put_bytes(page, piece, n);
	}
}

static const char *name_of(const struct page *page, uint32_t node)
{
	return page->tree->functions[page->tree->nodes[node].function].name;
}

static double share(const struct page *page, uint64_t part)
{
	return page->whole ? (double)part * 100 / (double)page->whole : 0;
}

/* ---- the frames that are shown ------------------------------------------- */

/* The least total that a frame needs to be shown. */
static uint64_t least_shown(const struct page *page)
{
	uint64_t seen = page->whole / NARROWEST;
	uint64_t least =
		stack_tree_least(page->tree, page->measure, FRAMES_MOST);

	return seen > least ? seen : least;
}

/*
 * Lays out the children of each node side by side. RET_LEFT gets where each
 * begins, in units of the measure. A parent comes before its children, so one
 * pass is enough.
 */
static uint64_t *lay_out(const struct page *page)
{
	const struct stack_tree *tree = page->tree;
	uint64_t *left = cli_calloc(tree->count, sizeof(*left));
	uint64_t *used = cli_calloc(tree->count, sizeof(*used));

	for (size_t i = 1; i < tree->count; i++) {
		uint32_t parent = tree->nodes[i].parent;

		left[i] = left[parent] + used[parent];
		used[parent] += tree->nodes[i].total[page->measure];
	}
	free(used);
	return left;
}

static unsigned colour(const char *name)
{
	unsigned hash = 0;

	for (; *name; name++)
		hash = hash * 31 + (unsigned char)*name;
	return hash % COLOURS;
}

static void put_frame(struct page *page, uint32_t node, uint64_t left)
{
	const struct stack_node *n = &page->tree->nodes[node];
	const char *name = name_of(page, node);
	uint64_t total = n->total[page->measure];

	put_line(page,
		 "<svg class=\"c%u\" x=\"%.6f%%\" y=\"%" PRIu32
		 "\" width=\"%.6f%%\" height=\"%d\"><title>",
		 colour(name), share(page, left), (n->depth - 1) * ROW,
		 share(page, total), ROW);
	put_name(page, name);
	put_line(page,
		 ": %" PRIu64 " (%.2f %%), self %" PRIu64
		 "</title><rect width=\"100%%\" height=\"%d\"/>"
		 "<text x=\"3\" y=\"13\">",
		 total, share(page, total), n->self[page->measure], ROW);
	put_name(page, name);
	put(page, "</text></svg>\n");
}

/* Returns how many frames were left out. */
static uint64_t put_frames(struct page *page, uint64_t least)
{
	const struct stack_tree *tree = page->tree;
	uint64_t *left = lay_out(page), left_out = 0;
	uint32_t deepest = 0;

	for (size_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].total[page->measure] >= least &&
		    tree->nodes[i].depth > deepest)
			deepest = tree->nodes[i].depth;
	put_line(page, "<svg id=\"graph\" height=\"%" PRIu32 "\">\n",
		 deepest * ROW);
	for (size_t i = 1; i < tree->count && page->status == HPROF_OK; i++) {
		uint64_t total = tree->nodes[i].total[page->measure];

		if (total >= least)
			put_frame(page, (uint32_t)i, left[i]);
		else
			left_out += total > 0;
	}
	put(page, "</svg>\n");
	free(left);
	return left_out;
}

/* ---- the table ----------------------------------------------------------- */

struct weight {
	uint64_t self;
	uint32_t function;
};

static int by_weight(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* What is heaviest by itself, in all stacks: readable without a picture. */
static void put_table(struct page *page)
{
	const struct stack_tree *tree = page->tree;
	struct weight *rows =
		cli_calloc(tree->function_count + 1, sizeof(*rows));

	for (size_t i = 0; i < tree->function_count; i++)
		rows[i].function = (uint32_t)i;
	for (size_t i = 1; i < tree->count; i++)
		rows[tree->nodes[i].function].self +=
			tree->nodes[i].self[page->measure];
	qsort(rows, tree->function_count, sizeof(*rows), by_weight);
	put(page, "<h2>By itself</h2>\n<table>\n"
		  "<tr><th>self</th><th>share</th><th>frame</th></tr>\n");
	for (size_t i = 0; i < tree->function_count && i < HEAVIEST; i++) {
		if (rows[i].self == 0)
			break;
		put_line(page, "<tr><td>%" PRIu64 "</td><td>%.2f %%</td><td>",
			 rows[i].self, share(page, rows[i].self));
		put_name(page, tree->functions[rows[i].function].name);
		put(page, "</td></tr>\n");
	}
	put(page, "</table>\n");
	free(rows);
}

/* ---- the page ------------------------------------------------------------ */

static void put_head(struct page *page)
{
	put(page, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
		  "<meta charset=\"utf-8\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" content=\""
		  "default-src 'none'; style-src '");
	put(page, flame_style_hash);
	put(page, "'; script-src '");
	put(page, flame_script_hash);
	put(page, "'\">\n<title>");
	put_name(page, page->tree->title);
	put(page, "</title>\n<style>");
	put(page, flame_style);
	put(page, "</style></head><body>\n<h1>");
	put_name(page, page->tree->title);
	put_line(page, "</h1>\n<p>%" PRIu64 " ", page->whole);
	put(page, page->tree->measures[page->measure].type);
	put(page, " (");
	put(page, page->tree->measures[page->measure].unit);
	put(page, ") in all.</p>\n"
		  "<p id=\"tools\" hidden><label>Find <input id=\"find\" "
		  "type=\"search\"></label> <output id=\"found\"></output> "
		  "<button id=\"whole\">Whole graph</button> "
		  "Click a frame to zoom; Escape shows all.</p>\n");
}

static enum hprof_status write_page(struct hprof_output *output,
				    const struct export_stacks *stacks)
{
	struct page page = {
		.output = output,
		.tree = &stacks->tree,
		.measure = stacks->measure,
		.whole = stacks->tree.nodes[0].total[stacks->measure],
	};
	uint64_t left_out;

	put_head(&page);
	left_out = put_frames(&page, least_shown(&page));
	if (left_out > 0)
		put_line(&page,
			 "<p>%" PRIu64 " narrow frames are left out.</p>\n",
			 left_out);
	put_table(&page);
	put(&page, "<script>");
	put(&page, flame_script);
	put(&page, "</script></body></html>\n");
	return page.status;
}

static int run_flamegraph(struct export_job *job)
{
	return export_stacks_run(job, false, write_page);
}

const struct export_form export_flamegraph = {
	.name = "flamegraph",
	.suffixes = ".html",
	.text = true,
	.packs = true,
	.run = run_flamegraph,
};
