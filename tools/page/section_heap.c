/* SPDX-License-Identifier: MIT */
/*
 * section_heap.c - where the bytes are: classes, packages, the biggest objects.
 */
#include "tools/common/describe.h"
#include "tools/page/sections.h"

enum { CLASS_ROWS = 500, SET_ROWS = 100, BIGGEST_ROWS = 100 };

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

/* All live objects that have no row, and not only those that the library named. */
static void put_other_objects(struct html_table *table,
			      const struct hprof_retained_table *retained)
{
	uint64_t shallow = retained->reachable_shallow;

	if (!table->shown)
		return;
	for (size_t i = 0; i < table->shown; i++)
		shallow -= retained->big[i].held.shallow;
	html_table_rest(table, retained->reachable_objects - table->shown,
			"more object", "more objects", 3, shallow);
}

void section_biggest(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "object", HTML_NAME, false },
		{ "retains", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
		{ "itself", HTML_BYTES, true },
		{ "dominated by", HTML_TEXT, false },
	};
	const struct hprof_retained_table *retained = report->retained;
	size_t most = page_rows(page, BIGGEST_ROWS);
	struct html_table table;

	if (!retained || !page_section(page, PAGE_BIGGEST, "Biggest objects"))
		return;
	html_table_begin(&table, &page->body, "Objects that retain most",
			 columns, 5, most, retained->reachable_shallow);
	for (size_t i = 0; i < retained->big_count; i++) {
		const struct hprof_big_row *row = &retained->big[i];

		html_cell_own(&table, describe_object(&row->held));
		html_cell_number(&table, row->held.retained);
		html_cell_number(&table, row->held.retained);
		html_cell_number(&table, row->held.shallow);
		html_cell_own(&table, describe_object(&row->dominator));
	}
	put_other_objects(&table, retained);
	html_table_end(&table);
	page_section_end(page);
}
