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
#include "tools/page/lead.h"

enum {
	PATH_ROWS = 100,
	PATHS_MOST = 10,
	STEPS_MOST = 40,
	PATH_LEAST = 3000, /* bytes that one needs to be worth a place */
	/* Of what grew, the lead names so many, and more if each is a part of it. */
	LEAD_LEAST = 3,
	LEAD_PART = 100
};

static const char changes_anchor[] = "changes";

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

/*
 * "; +4,000 objects of com.acme.Listener"; without the class if LABEL begins with it.
 * Of one object, as an array that grew, only its size is of interest.
 */
/* Whether LABEL is about the class NAME: what follows is a field or a root. */
static bool is_about(const char *label, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(label, name, length) == 0 &&
	       (label[length] == '\0' || label[length] == '.' ||
		label[length] == ' ');
}

static char *objects_of_point(const struct hprof_diff_path *path, size_t dumps,
			      const char *label)
{
	const struct hprof_diff_step *point = &path->steps[path->point];
	uint64_t from = path->cells[0].values[HPROF_DIFF_INSTANCES];
	uint64_t to = path->cells[dumps - 1].values[HPROF_DIFF_INSTANCES];
	char *change, *name, *objects;

	if ((to > from ? to - from : from - to) < 2)
		return describe_format("%s", "");
	change = describe_change(from, to, "object", "objects");
	name = describe_kind(point->class_name,
			     point->kind == HPROF_OBJECT_CLASS);
	if (is_about(label, name))
		objects = describe_format("; %s", change);
	else
		objects = describe_format("; %s of %s", change, name);
	free(change);
	free(name);
	return objects;
}

/* "com.acme.Feed.listeners: +15.75 MiB, +200.0%; +4,000 objects of com.acme.Listener" */
static char *headline_of(const struct hprof_diff_path *path, size_t dumps)
{
	uint64_t from = path->cells[0].values[HPROF_DIFF_RETAINED];
	uint64_t to = path->cells[dumps - 1].values[HPROF_DIFF_RETAINED];
	char change[UNITS_MAX], growth[UNITS_MAX];
	char *point = diff_point_label(path);
	char *objects = objects_of_point(path, dumps, point);
	char *line = describe_format(
		"%s: %s%s, %s%s", point, to >= from ? "+" : "-",
		units_bytes(to >= from ? to - from : from - to, change),
		from && !to ? "gone" : units_growth(from, to, growth), objects);

	free(point);
	free(objects);
	return line;
}

/*
 * What changed, in sentences, and the path unfolded; no more than half the room. LIST
 * is of the lead; NULL: this one is not in it.
 */
static void put_path(struct page *page, const struct hprof_diff_path *path,
		     size_t dumps, struct lead_list *list)
{
	char *line = headline_of(path, dumps), change[UNITS_MAX];
	struct prose text = { NULL };
	size_t limit = html_share(&page->body, 2);

	if (list) {
		lead_headline(page, list, line);
	} else {
		html_element(&page->body, "h4", line);
		free(line);
	}
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
}

/* ---- all of them --------------------------------------------------------- */

/* By how much it grew; 0 also if it shrank. */
static uint64_t growth_of(const struct hprof_diff_path *path, size_t dumps)
{
	uint64_t from = path->cells[0].values[HPROF_DIFF_RETAINED];
	uint64_t to = path->cells[dumps - 1].values[HPROF_DIFF_RETAINED];

	return to > from ? to - from : 0;
}

/* Behind the FIRST, which the lead names: "620 more grew by 1.2 MiB"; NULL: none. */
static char *describe_others(const struct diff_report *report, size_t first)
{
	const size_t dumps = report->dumps->count;
	char bytes[UNITS_MAX], number[UNITS_MAX];
	uint64_t sum = 0, count = 0;

	for (size_t i = first; i < report->held_count; i++) {
		uint64_t growth = growth_of(report->held[i], dumps);

		sum += growth;
		count += growth > 0;
	}
	if (!count)
		return NULL;
	return describe_format("%s %s by %s", units_count(count, number),
			       first ? "more grew" : "grew",
			       units_bytes(sum, bytes));
}

/* How many, of those that grew most, are worth a line in the lead. */
static size_t count_for_lead(const struct diff_report *report)
{
	const size_t dumps = report->dumps->count;
	uint64_t sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < report->held_count; i++)
		sum += growth_of(report->held[i], dumps);
	while (count < report->held_count) {
		uint64_t growth = growth_of(report->held[count], dumps);

		if (!growth ||
		    (count >= LEAD_LEAST && growth < sum / LEAD_PART))
			break;
		count++;
	}
	return count;
}

static void put_those_that_changed_most(struct page *page,
					const struct diff_report *report)
{
	struct lead_list list = { .anchor = "growth", .tag = "h4" };
	size_t most = page_rows(page, PATHS_MOST), shown = 0;
	const bool comparable = !report->dumps->mixed;
	size_t led = comparable ? count_for_lead(report) : 0;
	size_t limit = html_share(&page->lead, 2); /* suspects follow */

	for (; shown < report->held_count && shown < most; shown++) {
		if (shown && !html_has_room(&page->body, PATH_LEAST))
			break;
		put_path(page, report->held[shown], report->dumps->count,
			 shown < led ? &list : NULL);
	}
	lead_end(page, &list, changes_anchor,
		 comparable ? describe_others(report, list.shown) : NULL);
	page->lead.limit = limit;
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

	html_putf(html, "<h3 id=\"%s\">What changed, and who holds it</h3>\n",
		  changes_anchor);
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
