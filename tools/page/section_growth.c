/* SPDX-License-Identifier: MIT */
/*
 * section_growth.c - see section_growth.h.
 */
#include "tools/page/section_growth.h"

#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/diff/diff_sites.h"
#include "tools/page/growth.h"
#include "tools/page/growth_paths.h"
#include "tools/page/lead.h"

enum {
	CLASS_ROWS = 200,
	FRAMES_MOST = 40, /* of a stack */
	SITE_LEAST = 1000 /* bytes that one needs to be worth a place */
};

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

/* Frees TEXT. */
static void put_warning(struct html *html, char *text)
{
	html_warning(html, text);
	free(text);
}

/* What a dump lost seems to come with the next one. */
static void put_damage(struct html *html, const struct dump_inputs *dumps)
{
	size_t first = dumps->count, others = 0;
	char *more;

	for (size_t i = dumps->count; i-- > 0;) {
		if (!dump_input_fault(&dumps->items[i]))
			continue;
		others += first < dumps->count;
		first = i;
	}
	if (first == dumps->count)
		return;
	more = describe_count(others, "other is", "others are");
	put_warning(html,
		    describe_format("Dump %zu %s%s%s%s. What seems to come or "
				    "go may be what was lost of it.",
				    first + 1,
				    dump_input_fault(&dumps->items[first]),
				    others ? "; " : "", others ? more : "",
				    others ? " not whole, either" : ""));
	free(more);
}

/* Shrinking that is growth in truth must not be taken for it. */
static void put_order(struct html *html, const struct dump_inputs *dumps)
{
	size_t late = dump_inputs_out_of_order(dumps);

	if (late)
		put_warning(html,
			    describe_format(
				    "The dumps are not in the order in which "
				    "they were taken: dump %zu is older than "
				    "dump %zu. What seems to shrink may have "
				    "grown.",
				    late + 1, late));
}

static void put_dumps(struct page *page, const struct dump_inputs *dumps)
{
	struct html_column columns[] = {
		{ "dump", HTML_NAME, false },
		{ "taken", HTML_TEXT, false },
		{ "objects", HTML_COUNT, false },
		{ "all objects", HTML_BYTES, false },
		{ "live objects", HTML_BYTES, false },
		{ "state", HTML_TEXT, false },
	};
	/* What is alive is known with retained sizes only. */
	bool live = dumps->count && dumps->items[0].tree;
	struct html_table table;

	if (!live)
		columns[4] = columns[5];
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
		if (live)
			html_cell_number(&table,
					 dump->tree ? dump->tree->shallow : 0);
		html_cell_text(&table, fault ? fault : "whole");
	}
	html_table_end(&table);
}

/* ---- by class ------------------------------------------------------------ */

/* Classes of one name are told apart by their loaders. */
static char *describe_row(const struct hprof_diff_row *row)
{
	char *name = describe_kind(row->name, false), *loader, *both;

	if (!row->loader)
		return name;
	loader = describe_kind(row->loader, false);
	both = describe_format("%s (loader %s)", name, loader);
	free(name);
	free(loader);
	return both;
}

static void put_pictures(struct page *page, const struct diff_report *report)
{
	const size_t last = report->dumps->count - 1;
	const struct growth_line all = { cli_strdup(report->how.retained
							    ? "live objects"
							    : "all objects"),
					 report->table->totals,
					 HPROF_DIFF_BYTES };
	struct growth_line lines[GROWTH_LINES];
	size_t count = 0;

	growth_lines(&page->body, report->dumps, "Objects of each dump", &all,
		     1);
	for (size_t i = 0; i < report->count && count < GROWTH_LINES; i++) {
		const struct hprof_diff_row *row = report->rows[i];

		if (row->cells[last].values[HPROF_DIFF_BYTES] >
		    row->cells[0].values[HPROF_DIFF_BYTES])
			lines[count++] = (struct growth_line){
				describe_row(row), row->cells, HPROF_DIFF_BYTES
			};
	}
	if (count)
		growth_lines(&page->body, report->dumps,
			     "The classes that grew most", lines, count);
}

static void put_classes(struct page *page, const struct diff_report *report)
{
	static const struct html_column name = { "class", HTML_NAME, false };
	struct growth_table table;

	growth_table_begin(&table, &page->body, "Growth by class", &name, 1,
			   report->dumps->count, HPROF_DIFF_BYTES,
			   page_rows(page, CLASS_ROWS));
	for (size_t i = 0; i < report->count; i++) {
		html_cell_own(&table.table, describe_row(report->rows[i]));
		growth_table_cells(&table, report->rows[i]->cells);
	}
	html_table_end(&table.table);
}

/* ---- where it was allocated ---------------------------------------------- */

static void put_site(struct html *html, const struct diff_site *site)
{
	char *name = describe_kind(site->name, false);
	char *growth = diff_site_growth(site);
	char *line = describe_format("%s: %s", name, growth);

	html_element(html, "h4", line);
	html_frames(html, site->frames, site->frame_count, FRAMES_MOST);
	free(name);
	free(growth);
	free(line);
}

static void put_sites(struct page *page, const struct diff_report *report)
{
	struct diff_sites sites;
	size_t shown = 0;

	diff_sites_make(&sites, report);
	if (sites.count)
		html_element(&page->body, "h3",
			     "Where what grew was allocated");
	for (; shown < sites.count; shown++) {
		if (shown && !html_has_room(&page->body, SITE_LEAST))
			break;
		put_site(&page->body, &sites.rows[shown]);
	}
	if (shown < sites.count)
		html_putf(&page->body, "<p>%zu more are left out.</p>\n",
			  sites.count - shown);
	diff_sites_done(&sites);
}

/* ---- the lead ------------------------------------------------------------ */

/* "Live objects grew by 121.00 MiB, +402.5%, from 30.06 MiB to 151.06 MiB." */
static void put_lead(struct page *page, const struct diff_report *report)
{
	const struct hprof_diff_cell *totals = report->table->totals;
	const size_t last = report->dumps->count - 1;
	uint64_t before = totals[0].values[HPROF_DIFF_BYTES];
	uint64_t after = totals[last].values[HPROF_DIFF_BYTES];
	bool grew = after >= before;
	const char *what =
		report->how.retained ? "Live objects" : "All objects";
	char from[UNITS_MAX], to[UNITS_MAX], change[UNITS_MAX];
	char growth[UNITS_MAX];

	units_bytes(before, from);
	units_bytes(after, to);
	units_bytes(grew ? after - before : before - after, change);
	if (before == after)
		lead_say(page,
			 describe_format("%s are of the same size, %s, "
					 "in the first dump and the last.",
					 what, to));
	else
		lead_say(page,
			 describe_format("%s %s by %s, %s, from %s to %s.",
					 what, grew ? "grew" : "shrank", change,
					 units_growth(before, after, growth),
					 from, to));
}

/* "1 of 2 limits failed."; of a page of a build that is what one looks for. */
static void lead_limits(struct page *page, const struct thresholds *limits)
{
	size_t failed = 0, unmatched = 0;
	char *count;

	if (!limits || !limits->count)
		return;
	for (size_t i = 0; i < limits->count; i++) {
		failed += limits->verdicts[i].failed;
		unmatched += limits->verdicts[i].unmatched;
	}
	count = describe_count(limits->count, "limit", "limits");
	if (failed)
		lead_say(page,
			 describe_format("%zu of %s failed.", failed, count));
	else if (!unmatched)
		lead_say(page, describe_format("%s passed.", count));
	free(count);
}

/* ---- all of it ----------------------------------------------------------- */

/* Each part leaves room for those after it. */
void section_growth(struct page *page, const struct diff_report *report)
{
	struct html *html = &page->body;
	size_t limit;

	if (report->dumps->count < 2 ||
	    !page_section(page, PAGE_GROWTH, "Growth"))
		return;
	put_damage(html, report->dumps);
	put_order(html, report->dumps);
	if (report->dumps->mixed)
		put_warning(html, describe_format("The sizes of these dumps "
						  "cannot be compared."));
	page_lead(page);
	lead_limits(page, report->thresholds);
	if (!report->dumps->mixed)
		put_lead(page, report);
	limit = html_share(html, 4);
	put_limits(page, report->thresholds);
	put_dumps(page, report->dumps);
	html->limit = limit;
	put_pictures(page, report);
	limit = html_share(html, 2);
	if (report->paths)
		growth_paths(page, report);
	html->limit = limit;
	limit = html_share(html, 2);
	put_sites(page, report);
	html->limit = limit;
	put_classes(page, report);
	page_section_end(page);
}
