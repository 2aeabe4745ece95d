/* SPDX-License-Identifier: MIT */
/*
 * section_runtime.c - the JVM behind the dump: class loaders, system properties,
 * profiles.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/page/lead.h"
#include "tools/page/picture.h"
#include "tools/page/sections.h"
#include "tools/report/loader_lines.h"
#include "tools/stacks/stack_source.h"

enum { LOADERS_MOST = 200, PROPERTIES_MOST = 400, HEAVIEST_MOST = 80 };

/* ---- class loaders ------------------------------------------------------- */

static void put_loader(struct html_table *table, const struct loader_line *line)
{
	const struct hprof_loader_use *sum = &line->sum;
	char *holder = render_loader_holder(sum);

	html_cell_own(table, loader_line_name(line));
	html_cell_text(table, render_loader_state(sum->state));
	html_cell_number(table, sum->classes);
	html_cell_number(table, sum->duplicates);
	html_cell_number(table, sum->instances);
	html_cell_number(table, sum->retained);
	html_cell_number(table, sum->retained);
	html_cell_own(table, holder ? holder : cli_strdup(""));
}

void section_loaders(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "loader", HTML_NAME, false },
		{ "state", HTML_TEXT, false },
		{ "classes", HTML_COUNT, true },
		{ "twice", HTML_COUNT, true },
		{ "instances", HTML_COUNT, true },
		{ "retains", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
		{ "held by", HTML_TEXT, false },
	};
	const struct hprof_loader_use_table *loaders = report->loaders;
	struct loader_choice lines;
	struct html_table table;

	if (!loaders || !page_section(page, PAGE_LOADERS, "Class loaders"))
		return;
	html_put(&page->body,
		 "<p class=\"soft\">A loader retains what its classes and all "
		 "of their instances do, which includes objects of other "
		 "loaders' classes: shares overlap.</p>\n");
	lines = loader_lines_choose(report, true);
	html_table_begin(&table, &page->body,
			 "Class loaders; twice: classes that other loaders "
			 "have defined as well",
			 columns, 8, page_rows(page, LOADERS_MOST),
			 report->graph->reachable_shallow);
	for (size_t i = 0; i < lines.count; i++)
		put_loader(&table, &lines.lines[lines.order[i]]);
	html_table_end(&table);
	loader_lines_done(&lines);
	page_section_end(page);
}

/* ---- system properties --------------------------------------------------- */

void section_properties(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "property", HTML_NAME, false },
		{ "value", HTML_TEXT, false },
	};
	const struct hprof_property_table *properties = report->properties;
	struct html_table table;

	if (!properties || !properties->count ||
	    !page_section(page, PAGE_PROPERTIES, "System properties"))
		return;
	html_table_begin(&table, &page->body, "System properties of the JVM",
			 columns, 2, page_rows(page, PROPERTIES_MOST), 0);
	for (size_t i = 0; i < properties->count; i++) {
		const struct hprof_property *row = &properties->rows[i];

		html_cell_own(&table,
			      describe_kind(row->key ? row->key : "", false));
		html_cell_own(
			&table,
			describe_kind(row->value ? row->value : "-", false));
	}
	html_table_end(&table);
	page_section_end(page);
}

/* ---- profiles ------------------------------------------------------------ */

struct weight {
	struct stack_weighed of;
	bool shown;
};

static int compare(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_totals(const void *left, const void *right)
{
	const struct weight *a = left, *b = right;
	int order = compare(a->of.total, b->of.total);

	return order ? order : compare(b->of.function, a->of.function);
}

/* What is shown first; the heaviest of it first. */
static int compare_selves(const void *left, const void *right)
{
	const struct weight *a = left, *b = right;

	if (a->shown != b->shown)
		return a->shown ? -1 : 1;
	if (a->of.self != b->of.self)
		return compare(a->of.self, b->of.self);
	return compare_totals(left, right);
}

/*
 * Half of MOST are the heaviest by themselves, the others in total: the callers
 * would leave no room for what is called, and the other way round. Returns how many
 * there are.
 */
static size_t choose_weights(struct weight *rows, size_t count, size_t most)
{
	size_t shown = 0;

	qsort(rows, count, sizeof(*rows), compare_selves);
	for (size_t i = 0; i < count && i < (most + 1) / 2 && rows[i].of.self;
	     i++, shown++)
		rows[i].shown = true;
	qsort(rows, count, sizeof(*rows), compare_totals);
	for (size_t i = 0; i < count && shown < most && rows[i].of.total; i++) {
		shown += !rows[i].shown;
		rows[i].shown = true;
	}
	qsort(rows, count, sizeof(*rows), compare_selves);
	return shown;
}

static struct weight *weigh(const struct stack_tree *tree, size_t measure)
{
	size_t count = tree->function_count;
	struct stack_weighed *weighed = cli_calloc(count + 1, sizeof(*weighed));
	struct weight *rows = cli_calloc(count + 1, sizeof(*rows));

	stack_tree_weigh(tree, measure, weighed);
	for (size_t i = 0; i < count; i++)
		rows[i].of = weighed[i];
	free(weighed);
	return rows;
}

/* "total", of samples "total samples". */
static char *describe_column(const char *word,
			     const struct stack_measure *measure)
{
	bool bytes = strcmp(measure->unit, "bytes") == 0;

	return describe_format("%s%s%s", word, bytes ? "" : " ",
			       bytes ? "" : picture_unit(measure));
}

/* What was running most often is at the head of the page, too. */
static void lead_samples(struct page *page, const struct stack_tree *tree,
			 const struct weight *most, uint64_t all)
{
	char count[UNITS_MAX], total[UNITS_MAX], share[UNITS_MAX];

	if (!most->of.self)
		return;
	lead_link(page, "profiles",
		  describe_format("%s of %s CPU samples, %s, were in %s",
				  units_count(most->of.self, count),
				  units_count(all, total),
				  units_share(most->of.self, all, share),
				  tree->functions[most->of.function].name));
}

static void put_frames(struct page *page, const struct stack_tree *tree,
		       size_t measure)
{
	const struct stack_measure *of = &tree->measures[measure];
	enum html_cell cell =
		strcmp(of->unit, "bytes") ? HTML_COUNT : HTML_BYTES;
	char *total = describe_column("total", of);
	char *self = describe_column("own", of);
	char *caption = describe_format("%s: each frame's own, and in total "
					"with what it calls",
					tree->title);
	const struct html_column columns[] = {
		{ "frame", HTML_NAME, false },	   { self, cell, true },
		{ "own share", HTML_SHARE, true }, { total, cell, false },
		{ "share", HTML_SHARE, false },
	};
	struct weight *rows = weigh(tree, measure);
	size_t count = tree->function_count;
	size_t shown =
		choose_weights(rows, count, page_rows(page, HEAVIEST_MOST));
	struct html_table table;

	if (count && strcmp(of->type, "samples") == 0)
		lead_samples(page, tree, &rows[0],
			     tree->nodes[0].total[measure]);
	html_table_begin(&table, &page->body, caption, columns, 5, shown,
			 tree->nodes[0].total[measure]);
	for (size_t i = 0; i < count && rows[i].of.total; i++) {
		html_cell_text(&table,
			       tree->functions[rows[i].of.function].name);
		html_cell_number(&table, rows[i].of.self);
		html_cell_number(&table, rows[i].of.self);
		html_cell_number(&table, rows[i].of.total);
		html_cell_number(&table, rows[i].of.total);
	}
	html_table_end(&table);
	free(rows);
	free(total);
	free(self);
	free(caption);
}

/* With room for the table of another. */
static void put_profile(struct page *page, const char *key,
			const struct stack_tree *tree, size_t measure)
{
	size_t limit = html_share(&page->body, 2);

	html_element(&page->body, "h3", tree->title);
	picture_put(&page->json, key, tree->title, tree, measure);
	page_picture(page, key, "icicle", tree->title,
		     "The table below has the figures of each frame.");
	put_frames(page, tree, measure);
	page->body.limit = limit;
}

/* True if the dump has the stacks that WEIGHT is about. */
static bool read_profile(struct stack_tree *tree, const struct report *report,
			 enum stack_weight weight, size_t *ret_measure)
{
	stack_tree_init(tree, false);
	if (report->profile &&
	    stack_source_profile(tree, report->profile, weight, ret_measure))
		return true;
	stack_tree_free(tree);
	return false;
}

void section_profiles(struct page *page, const struct report *report)
{
	static const struct {
		enum stack_weight weight;
		const char *key;
	} profiles[] = {
		{ STACK_SAMPLES, "samples" },
		{ STACK_LIVE_BYTES, "sites" },
	};
	struct stack_tree trees[3];
	size_t measures[3] = { 0 };
	bool has[3];

	has[0] = read_profile(&trees[0], report, profiles[0].weight,
			      &measures[0]);
	has[1] = read_profile(&trees[1], report, profiles[1].weight,
			      &measures[1]);
	has[2] = report->allocations && report->allocations->count;
	if (has[2]) {
		stack_tree_init(&trees[2], false);
		stack_source_allocations(&trees[2], report->allocations);
	}
	if ((has[0] || has[1] || has[2]) &&
	    page_section(page, PAGE_PROFILES, "Profiles")) {
		for (size_t i = 0; i < 2; i++)
			if (has[i])
				put_profile(page, profiles[i].key, &trees[i],
					    measures[i]);
		if (has[2])
			put_profile(page, "allocations", &trees[2], 0);
		page_section_end(page);
	}
	for (size_t i = 0; i < 3; i++)
		if (has[i])
			stack_tree_free(&trees[i]);
}
