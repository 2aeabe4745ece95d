/* SPDX-License-Identifier: MIT */
/*
 * diff.c - see diff.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/common/glob.h"

static struct hprof_diff_side
without_loaders(const struct hprof_diff_side *dump)
{
	struct hprof_diff_item *items = cli_calloc(dump->count, sizeof(*items));

	for (size_t i = 0; i < dump->count; i++) {
		items[i] = dump->items[i];
		items[i].loader = NULL;
	}
	return (struct hprof_diff_side){ dump->count, items };
}

struct hprof_diff_table *diff_table(const struct dump_inputs *dumps,
				    enum rollup_by by,
				    const struct cli_list *match, bool loaders)
{
	struct dump_items *items = cli_calloc(dumps->count, sizeof(*items));
	struct hprof_diff_side *of = cli_calloc(dumps->count, sizeof(*of));
	struct hprof_diff_table *table = NULL;
	struct hprof_error error = { 0 };
	enum hprof_status status;

	/* A pattern for classes is matched against the names that are shown. */
	for (size_t i = 0; i < dumps->count; i++) {
		dump_items_make(&items[i], &dumps->items[i], by,
				by == ROLLUP_CLASS ? NULL : match);
		of[i] = items[i].table;
	}
	for (size_t i = 0; i < dumps->count && !loaders; i++)
		of[i] = without_loaders(&of[i]);
	status = hprof_diff_match(of, dumps->count, &table, &error);
	for (size_t i = 0; i < dumps->count; i++)
		dump_items_done(&items[i]);
	for (size_t i = 0; i < dumps->count && !loaders; i++)
		free((void *)(uintptr_t)of[i].items);
	free(items);
	free(of);
	if (status < 0) {
		cli_message("%s", error.text);
		exit(CLI_TROUBLE);
	}
	return table;
}

struct hprof_diff_path_table *diff_paths(const struct dump_inputs *dumps)
{
	const struct hprof_path_tree **trees =
		cli_calloc(dumps->count, sizeof(*trees));
	struct hprof_diff_path_table *table = NULL;
	struct hprof_error error = { 0 };
	enum hprof_status status;

	for (size_t i = 0; i < dumps->count; i++)
		trees[i] = dumps->items[i].tree;
	status = hprof_diff_paths(trees, dumps->count, &table, &error);
	free((void *)trees);
	if (status < 0) {
		cli_message("%s", error.text);
		exit(CLI_TROUBLE);
	}
	return table;
}

/* ---- rows ---------------------------------------------------------------- */

/*
 * What rows are sorted by. Static, since qsort passes no context; there is only
 * one report at a time.
 */
static struct {
	enum hprof_diff_measure measure;
	size_t last;
} sorting;

struct change {
	unsigned rank; /* 0: growth, 1: loss, 2: neither */
	uint64_t by;
};

static struct change change_of(const struct hprof_diff_row *row)
{
	uint64_t from = row->cells[0].values[sorting.measure];
	uint64_t to = row->cells[sorting.last].values[sorting.measure];

	if (to > from)
		return (struct change){ 0, to - from };
	return (struct change){ from > to ? 1 : 2, from - to };
}

/* The largest growth comes first, then the largest loss. */
static int compare_changes(const struct hprof_diff_row *left,
			   const struct hprof_diff_row *right)
{
	struct change a = change_of(left), b = change_of(right);

	if (a.rank != b.rank)
		return a.rank < b.rank ? -1 : 1;
	return (a.by < b.by) - (a.by > b.by);
}

static int compare_rows(const void *left, const void *right)
{
	const struct hprof_diff_row *a =
		*(const struct hprof_diff_row *const *)left;
	const struct hprof_diff_row *b =
		*(const struct hprof_diff_row *const *)right;
	int order = compare_changes(a, b);

	/* Rows of the table are sorted by name, so their addresses are, too. */
	return order ? order : (a > b) - (a < b);
}

static bool fits(const struct diff_options *how,
		 const struct hprof_diff_row *row)
{
	if (how->growing && !row->grows[how->measure])
		return false;
	if (how->by != ROLLUP_CLASS || !how->match->count)
		return true;
	for (size_t i = 0; i < how->match->count; i++)
		if (glob_matches(how->match->items[i], row->name))
			return true;
	return false;
}

void diff_add_cells(struct hprof_diff_cell *to,
		    const struct hprof_diff_row *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i].items += row->cells[i].items;
		for (unsigned m = 0; m < HPROF_DIFF_MEASURES; m++)
			to[i].values[m] += row->cells[i].values[m];
	}
}

static void choose_paths(struct diff_report *report)
{
	const struct hprof_diff_path_table *paths = report->paths;

	if (!paths)
		return;
	report->held = cli_calloc(paths->count, sizeof(report->held[0]));
	for (size_t i = 0; i < paths->count; i++)
		if (!report->how.growing ||
		    paths->paths[i].grows[HPROF_DIFF_RETAINED])
			report->held[report->held_count++] = &paths->paths[i];
}

void diff_report_make(struct diff_report *report,
		      const struct dump_inputs *dumps,
		      const struct diff_options *how,
		      struct hprof_diff_table *table,
		      const struct hprof_diff_path_table *paths)
{
	*report = (struct diff_report){
		.dumps = dumps, .how = *how, .table = table, .paths = paths
	};
	choose_paths(report);
	report->rows = cli_calloc(table->count, sizeof(report->rows[0]));
	report->totals = cli_calloc(dumps->count, sizeof(report->totals[0]));
	for (size_t i = 0; i < table->count; i++) {
		const struct hprof_diff_row *row = &table->rows[i];

		if (!fits(how, row))
			continue;
		report->fitting++;
		diff_add_cells(report->totals, row, dumps->count);
		if (row->differs)
			report->rows[report->count++] = row;
	}
	sorting.measure = how->measure;
	sorting.last = table->side_count - 1;
	if (!how->by_name && report->count)
		qsort((void *)report->rows, report->count,
		      sizeof(report->rows[0]), compare_rows);
}

void diff_report_done(struct diff_report *report)
{
	free((void *)report->rows);
	free((void *)report->held);
	free(report->totals);
}

size_t diff_row_count(const struct diff_report *report)
{
	uint64_t top = report->how.top;

	return top && top < report->count ? (size_t)top : report->count;
}

bool diff_is_new(const struct diff_report *report,
		 const struct hprof_diff_row *row)
{
	size_t last = report->table->side_count - 1;

	return !row->cells[0].items && row->cells[last].items;
}

bool diff_is_gone(const struct diff_report *report,
		  const struct hprof_diff_row *row)
{
	size_t last = report->table->side_count - 1;

	return row->cells[0].items && !row->cells[last].items;
}

const char *diff_measure_word(enum hprof_diff_measure measure)
{
	static const char *const words[] = { "instances", "bytes", "retained" };

	return words[measure];
}
