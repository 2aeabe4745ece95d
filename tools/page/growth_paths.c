/* SPDX-License-Identifier: MIT */
/*
 * growth_paths.c - see growth_paths.h.
 */
#include "tools/page/growth_paths.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/common/units.h"
#include "tools/page/growth.h"

enum {
	PATH_ROWS = 100,
	PATHS_MOST = 10,
	STEPS_MOST = 40,
	PATH_LEAST = 3000 /* bytes that one needs to be worth a place */
};

/* ---- lines and table ----------------------------------------------------- */

static void put_pictures(struct page *page, const struct diff_report *report)
{
	const size_t last = report->dumps->count - 1;
	struct growth_line lines[GROWTH_LINES];
	size_t count = 0;

	for (size_t i = 0; i < report->held_count && count < GROWTH_LINES;
	     i++) {
		const struct hprof_diff_path *path = report->held[i];

		if (path->cells[last].values[HPROF_DIFF_RETAINED] >
		    path->cells[0].values[HPROF_DIFF_RETAINED])
			lines[count++] =
				(struct growth_line){ diff_point_label(path),
						      path->cells,
						      HPROF_DIFF_RETAINED };
	}
	if (count)
		growth_lines(&page->body, report->dumps,
			     "What grew most, with all that it holds", lines,
			     count);
}

static void put_table(struct page *page, const struct diff_report *report)
{
	static const struct html_column names[] = {
		{ "where", HTML_NAME, false },
		{ "class", HTML_TEXT, false },
	};
	struct growth_table table;

	growth_table_begin(&table, &page->body, "Growth by path", names, 2,
			   report->dumps->count, HPROF_DIFF_RETAINED,
			   page_rows(page, PATH_ROWS));
	for (size_t i = 0; i < report->held_count; i++) {
		const struct hprof_diff_path *path = report->held[i];
		const struct hprof_diff_step *point = &path->steps[path->point];

		html_cell_own(&table.table, diff_point_label(path));
		html_cell_own(&table.table,
			      describe_kind(point->class_name,
					    point->kind == HPROF_OBJECT_CLASS));
		growth_table_cells(&table, path->cells);
	}
	html_table_end(&table.table);
}

/* ---- one path ------------------------------------------------------------ */

static void put_steps(struct page *page, const struct hprof_diff_path *path,
		      size_t dumps)
{
	static const struct html_column columns[] = {
		{ "held by", HTML_TEXT, false },
		{ "class", HTML_NAME, false },
		{ "objects before", HTML_COUNT, false },
		{ "objects after", HTML_COUNT, false },
	};
	char *root = diff_root_label(&path->steps[0]), *caption;
	struct html_table table;

	html_put(&page->body, "<details><summary>Who holds it</summary>\n");
	caption = describe_format("From GC root: %s", root);
	html_table_begin(&table, &page->body, caption, columns, 4, STEPS_MOST,
			 0);
	for (size_t i = 0; i < path->step_count; i++) {
		const struct hprof_diff_step *step = &path->steps[i];

		html_cell_own(&table, i ? describe_edge(step->edge, step->field,
							0, false)
					: cli_strdup(""));
		html_cell_own(&table,
			      describe_kind(step->class_name,
					    step->kind == HPROF_OBJECT_CLASS));
		html_cell_number(&table, step->objects[0]);
		html_cell_number(&table, step->objects[dumps - 1]);
	}
	html_table_end(&table);
	html_put(&page->body, "</details>\n");
	free(root);
	free(caption);
}

static uint64_t difference(const uint64_t values[static 2])
{
	return values[1] >= values[0] ? values[1] - values[0]
				      : values[0] - values[1];
}

/* What changed, in sentences, and the path unfolded; no more than half the room. */
static void put_path(struct page *page, const struct hprof_diff_path *path,
		     size_t dumps)
{
	uint64_t from = path->cells[0].values[HPROF_DIFF_RETAINED];
	uint64_t to = path->cells[dumps - 1].values[HPROF_DIFF_RETAINED];
	char change[UNITS_MAX], growth[UNITS_MAX];
	char *point = diff_point_label(path), *line;
	struct prose text = { NULL };
	size_t limit = html_share(&page->body, 2);

	line = describe_format(
		"%s: %s%s, %s", point, to >= from ? "+" : "-",
		units_bytes(to >= from ? to - from : from - to, change),
		from && !to ? "gone" : units_growth(from, to, growth));
	html_element(&page->body, "h4", line);
	if (dumps > 2 && path->grows[HPROF_DIFF_RETAINED])
		prose_say(&text, "It grows from each dump to the next.");
	for (size_t i = 0; i < path->part_count; i++) {
		const struct hprof_diff_part *part = &path->parts[i];
		char *label = diff_part_label(part);

		prose_say(&text, "%s%s, %s.",
			  part->bytes[1] >= part->bytes[0] ? "+" : "-",
			  units_bytes(difference(part->bytes), change), label);
		free(label);
	}
	if (text.text)
		html_element(&page->body, "p", text.text);
	put_steps(page, path, dumps);
	page->body.limit = limit;
	free(text.text);
	free(point);
	free(line);
}

/* ---- all of them --------------------------------------------------------- */

static void put_those_that_changed_most(struct page *page,
					const struct diff_report *report)
{
	size_t most = page_rows(page, PATHS_MOST), shown = 0;

	for (; shown < report->held_count && shown < most; shown++) {
		if (shown && !html_has_room(&page->body, PATH_LEAST))
			break;
		put_path(page, report->held[shown], report->dumps->count);
	}
	if (report->held_count > shown)
		html_putf(&page->body,
			  "<p>Of %zu more, only the table says how they "
			  "changed.</p>\n",
			  report->held_count - shown);
}

void growth_paths(struct page *page, const struct diff_report *report)
{
	struct html *html = &page->body;
	size_t limit;

	html_element(html, "h3", "What changed, and who holds it");
	if (!report->held_count) {
		html_element(html, "p",
			     "What is held, and by whom, is the same in all "
			     "dumps.");
		return;
	}
	put_pictures(page, report);
	limit = html_share(html, 2);
	put_table(page, report);
	html->limit = limit;
	put_those_that_changed_most(page, report);
}
