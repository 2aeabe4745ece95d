/* SPDX-License-Identifier: MIT */
/*
 * section_growth.c - see section_growth.h.
 *
 * The lines need no script: their points are computed here. All dumps are at the
 * same distance from each other, since times in headers may be wrong or equal.
 */
#include "tools/page/section_growth.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/common/units.h"
#include "tools/diff/diff_sites.h"

enum {
	CLASS_ROWS = 200,
	PATHS_MOST = 10,
	STEPS_MOST = 40,
	FRAMES_MOST = 40, /* of a stack */
	DUMPS_SHOWN = 6,  /* of more, a table has the first and the last */
	LINES_MOST = 8,	  /* tones of lines */
	/* The space in which lines are drawn; it is stretched to fit. */
	WIDTH = 1000,
	HEIGHT = 200
};

static uint64_t bytes_of(const struct hprof_diff_row *row, size_t dump)
{
	return row->cells[dump].values[HPROF_DIFF_BYTES];
}

/* ---- limits --------------------------------------------------------------- */

static void put_limits(struct page *page, const struct thresholds *limits)
{
	static const struct html_column columns[] = {
		{ "fails if", HTML_NAME, false },
		{ "result", HTML_TEXT, false },
		{ "why", HTML_TEXT, false },
	};
	struct html_table table;

	if (!limits || !limits->count)
		return;
	html_table_begin(&table, &page->body, "Limits", columns, 3, 0, 0);
	for (size_t i = 0; i < limits->count; i++) {
		const struct verdict *verdict = &limits->verdicts[i];

		html_cell_text(&table, verdict->expression->text);
		html_cell_text(&table, verdict->failed	    ? "failed"
				       : verdict->unmatched ? "no name matches"
							    : "passed");
		html_cell_text(&table, verdict->sentence);
	}
	html_table_end(&table);
}

/* ---- the dumps ----------------------------------------------------------- */

static void put_dumps(struct page *page, const struct dump_inputs *dumps)
{
	static const struct html_column columns[] = {
		{ "dump", HTML_NAME, false },
		{ "taken", HTML_TEXT, false },
		{ "objects", HTML_COUNT, false },
		{ "all objects", HTML_BYTES, false },
		{ "state", HTML_TEXT, false },
		{ "live objects", HTML_BYTES, false },
	};
	/* What is alive is known with retained sizes only. */
	bool live = dumps->count && dumps->items[0].tree;
	struct html_table table;

	html_table_begin(&table, &page->body, "The dumps", columns,
			 live ? 6 : 5, 0, 0);
	for (size_t i = 0; i < dumps->count; i++) {
		const struct dump_input *dump = &dumps->items[i];
		const struct hprof_summary *summary = dump->summary;
		const char *fault = dump_input_fault(dump);
		char time[UNITS_MAX];
		const char *taken =
			hprof_time_text(summary->header.time_ms, ' ', time);

		html_cell_own(&table, page_dump_name(dump->path));
		html_cell_text(&table, taken ? taken : "unknown");
		html_cell_number(&table, summary->objects);
		html_cell_number(&table, summary->shallow);
		html_cell_text(&table, fault ? fault : "whole");
		if (live)
			html_cell_number(&table,
					 dump->tree ? dump->tree->shallow : 0);
	}
	html_table_end(&table);
}

/* ---- lines --------------------------------------------------------------- */

struct line {
	char *name;
	const struct hprof_diff_cell *cells;
};

static uint64_t highest(const struct line *lines, size_t count, size_t dumps)
{
	uint64_t most = 1;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < dumps; k++) {
			uint64_t value =
				lines[i].cells[k].values[HPROF_DIFF_BYTES];

			if (value > most)
				most = value;
		}
	return most;
}

static void put_line(struct html *html, const struct line *line, size_t tone,
		     size_t dumps, uint64_t most)
{
	html_putf(html,
		  "<polyline class=\"l%zu\" "
		  "vector-effect=\"non-scaling-stroke\" points=\"",
		  tone);
	for (size_t k = 0; k < dumps; k++) {
		double value = (double)line->cells[k].values[HPROF_DIFF_BYTES];

		html_putf(html, "%s%.1f,%.1f", k ? " " : "",
			  (double)k * WIDTH / (double)(dumps - 1),
			  HEIGHT - value * HEIGHT / (double)most);
	}
	html_put(html, "\"/>\n");
}

/* Below the lines: which end is which dump. */
static void put_dump_axis(struct html *html, size_t dumps)
{
	size_t step = dumps <= DUMPS_SHOWN ? 1 : dumps - 1;

	html_put(html, "<p class=\"soft ends\">");
	for (size_t k = 0; k < dumps; k += step)
		html_putf(html, "<span>dump %zu</span> ", k + 1);
	html_put(html, "</p>\n");
}

/* A picture of COUNT lines and what they are; frees the names. */
static void put_lines(struct page *page, const char *caption,
		      struct line *lines, size_t count, size_t dumps)
{
	struct html *html = &page->body;
	uint64_t most = highest(lines, count, dumps);
	char bytes[UNITS_MAX];

	html_put(html, "<figure>\n<figcaption>");
	html_text(html, caption);
	html_putf(html,
		  "; the height is %s</figcaption>\n"
		  "<svg class=\"lines\" viewBox=\"0 0 %d %d\" "
		  "preserveAspectRatio=\"none\" aria-hidden=\"true\">\n",
		  units_bytes(most, bytes), WIDTH, HEIGHT);
	for (size_t i = 0; i < count; i++)
		put_line(html, &lines[i], i, dumps, most);
	html_put(html, "</svg>\n");
	put_dump_axis(html, dumps);
	html_put(html, "<ul class=\"keys\">\n");
	for (size_t i = 0; i < count; i++) {
		html_putf(html,
			  "<li><svg class=\"key\" aria-hidden=\"true\"><line "
			  "class=\"l%zu\" x1=\"0\" y1=\"50%%\" x2=\"100%%\" "
			  "y2=\"50%%\"/></svg>",
			  i);
		html_own(html, lines[i].name);
		html_put(html, "</li>\n");
	}
	html_put(html, "</ul>\n</figure>\n");
}

static void put_pictures(struct page *page, const struct diff_report *report)
{
	size_t dumps = report->dumps->count, count = 0;
	struct line lines[LINES_MOST];

	lines[0] =
		(struct line){ cli_strdup(report->how.retained ? "live objects"
							       : "all objects"),
			       report->table->totals };
	put_lines(page, "Objects of each dump", lines, 1, dumps);
	for (size_t i = 0; i < report->count && count < LINES_MOST; i++) {
		const struct hprof_diff_row *row = report->rows[i];

		if (bytes_of(row, dumps - 1) > bytes_of(row, 0))
			lines[count++] =
				(struct line){ describe_kind(row->name, false),
					       row->cells };
	}
	if (count)
		put_lines(page, "The classes that grew most", lines, count,
			  dumps);
}

/* ---- by class ------------------------------------------------------------ */

/* The columns of dumps: all, or the first and the last. */
static size_t shown_dumps(size_t dumps)
{
	return dumps <= DUMPS_SHOWN ? dumps : 2;
}

static void put_class(struct html_table *table,
		      const struct hprof_diff_row *row, size_t dumps)
{
	size_t shown = shown_dumps(dumps), last = dumps - 1;
	uint64_t from = bytes_of(row, 0), to = bytes_of(row, last);

	html_cell_own(table, describe_kind(row->name, false));
	for (size_t k = 0; k < shown; k++)
		html_cell_number(table,
				 bytes_of(row, k + 1 < shown ? k : last));
	html_cell_number(table, to > from ? to - from : 0);
	html_cell_number(table, from > to ? from - to : 0);
	html_cell_change(table, row->cells[0].values[0],
			 row->cells[last].values[0]);
}

static void put_classes(struct page *page, const struct diff_report *report)
{
	struct html_column columns[DUMPS_SHOWN + 4];
	char names[DUMPS_SHOWN][32];
	size_t dumps = report->dumps->count, shown = shown_dumps(dumps), n = 0;
	struct html_table table;

	columns[n++] = (struct html_column){ "class", HTML_NAME, false };
	for (size_t k = 0; k < shown; k++) {
		snprintf(names[k], sizeof(names[k]), "dump %zu",
			 k + 1 < shown ? k + 1 : dumps);
		columns[n++] =
			(struct html_column){ names[k], HTML_BYTES, true };
	}
	columns[n++] = (struct html_column){ "grew by", HTML_BYTES, true };
	columns[n++] = (struct html_column){ "shrank by", HTML_BYTES, true };
	columns[n++] = (struct html_column){ "objects", HTML_CHANGE, false };
	html_table_begin(&table, &page->body, "Growth by class", columns, n,
			 page_rows(page, CLASS_ROWS), 0);
	for (size_t i = 0; i < report->count; i++)
		put_class(&table, report->rows[i], dumps);
	html_table_end(&table);
}

/* ---- where it was allocated ---------------------------------------------- */

static void put_site(struct html *html, const struct diff_site *site)
{
	char *name = describe_kind(site->name, false);
	char *growth = diff_site_growth(site);
	char *line = describe_format("%s: %s", name, growth);

	html_element(html, "h4", line);
	html_put(html, "<pre>");
	for (size_t i = 0; i < site->frame_count && i < FRAMES_MOST; i++) {
		html_put(html, "at ");
		html_own(html, describe_frame(&site->frames[i]));
		html_put(html, "\n");
	}
	html_put(html, "</pre>\n");
	free(name);
	free(growth);
	free(line);
}

static void put_sites(struct page *page, const struct diff_report *report)
{
	struct diff_sites sites;

	diff_sites_make(&sites, report);
	if (sites.count)
		html_element(&page->body, "h3",
			     "Where what grew was allocated");
	for (size_t i = 0; i < sites.count; i++)
		put_site(&page->body, &sites.rows[i]);
	diff_sites_done(&sites);
}

/* ---- suspects of the difference ------------------------------------------ */

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

/* Is it a class that a program's author knows? */
static bool is_own(const char *name)
{
	static const char *const others[] = { "java.", "javax.", "jdk.",
					      "sun." };

	if (!name || strchr(name, '['))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

/*
 * "com.acme.Feed.listeners": the field of the nearest class of the program that
 * holds what came or went; or what this is.
 */
static char *describe_point(const struct hprof_diff_path *path)
{
	size_t at = path->point;
	char *holder, *edge, *label;

	while (at > 0 && !is_own(path->steps[at - 1].class_name))
		at--;
	if (!at)
		return describe_kind(path->steps[path->point].class_name,
				     path->steps[path->point].kind ==
					     HPROF_OBJECT_CLASS);
	holder = describe_kind(path->steps[at - 1].class_name, false);
	edge = describe_edge(path->steps[at].edge, path->steps[at].field, 0,
			     false);
	label = describe_format("%s%s%s", holder, *edge == '.' ? "" : " ",
				edge);
	free(holder);
	free(edge);
	return label;
}

static uint64_t difference(const uint64_t values[static 2])
{
	return values[1] >= values[0] ? values[1] - values[0]
				      : values[0] - values[1];
}

static void put_path(struct page *page, const struct hprof_diff_path *path,
		     size_t dumps)
{
	uint64_t from = path->cells[0].values[HPROF_DIFF_RETAINED];
	uint64_t to = path->cells[dumps - 1].values[HPROF_DIFF_RETAINED];
	char change[UNITS_MAX], growth[UNITS_MAX];
	char *point = describe_point(path), *line;
	struct prose text = { NULL };

	line = describe_format(
		"%s: %s%s, %s", point, to >= from ? "+" : "-",
		units_bytes(to >= from ? to - from : from - to, change),
		from && !to ? "gone" : units_growth(from, to, growth));
	html_element(&page->body, "h4", line);
	if (dumps > 2 && path->grows[HPROF_DIFF_RETAINED])
		prose_say(&text, "It grows from each dump to the next.");
	for (size_t i = 0; i < path->part_count; i++) {
		const struct hprof_diff_part *part = &path->parts[i];
		char *name = describe_kind(part->class_name, part->is_class);

		prose_say(&text, "%s%s, %s objects of %s.",
			  part->bytes[1] >= part->bytes[0] ? "+" : "-",
			  units_bytes(difference(part->bytes), change),
			  units_change(part->objects[0], part->objects[1],
				       growth),
			  name);
		free(name);
	}
	if (text.text)
		html_element(&page->body, "p", text.text);
	put_steps(page, path, dumps);
	free(text.text);
	free(point);
	free(line);
}

static void put_suspects(struct page *page, const struct diff_report *report)
{
	size_t most = page_rows(page, PATHS_MOST);

	html_element(&page->body, "h3", "What changed, and who holds it");
	if (!report->held_count)
		html_element(&page->body, "p",
			     "What is held, and by whom, is the same in all "
			     "dumps.");
	for (size_t i = 0; i < report->held_count && i < most; i++)
		put_path(page, report->held[i], report->dumps->count);
	if (report->held_count > most)
		html_putf(&page->body, "<p>%zu more are left out.</p>\n",
			  report->held_count - most);
}

void section_growth(struct page *page, const struct diff_report *report)
{
	if (report->dumps->count < 2 ||
	    !page_section(page, PAGE_GROWTH, "Growth"))
		return;
	if (report->dumps->mixed)
		html_element(&page->body, "p",
			     "The sizes of these dumps cannot be compared.");
	put_limits(page, report->thresholds);
	put_dumps(page, report->dumps);
	put_pictures(page, report);
	if (report->paths)
		put_suspects(page, report);
	put_sites(page, report);
	put_classes(page, report);
	page_section_end(page);
}
