/* SPDX-License-Identifier: MIT */
/*
 * section_waste.c - what could be saved, and the strings that are there many times.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/page/sections.h"

enum { ROWS_MOST = 150, CONTENTS_MOST = 150, MAPS_MOST = 30 };

static char *class_label(const struct report *report, size_t row)
{
	const struct hprof_summary *summary = report->summary;

	return describe_kind(row < summary->class_count
				     ? summary->class_rows[row].name
				     : NULL,
			     false);
}

/* Short: hprof-stat(1) has the rules. */
static const char *meaning_of(enum hprof_waste_kind kind)
{
	static const char *const texts[HPROF_WASTE_KINDS] = {
		[HPROF_WASTE_EQUAL_STRINGS] = "text that another has, too",
		[HPROF_WASTE_EQUAL_ARRAYS] = "content that another has, too",
		[HPROF_WASTE_HIGH_BYTES] = "two bytes where one would do",
		[HPROF_WASTE_BOXES] = "Integer, Boolean and so on",
		[HPROF_WASTE_UNUSED_COLLECTIONS] = "never had an element",
		[HPROF_WASTE_EMPTIED_COLLECTIONS] = "have no element any more",
		[HPROF_WASTE_EMPTY_COLLECTIONS] =
			"have no element; whether they had one is not known",
		[HPROF_WASTE_SINGLE_COLLECTIONS] = "of one element",
		[HPROF_WASTE_SMALL_COLLECTIONS] = "of two to four elements",
		[HPROF_WASTE_SPARSE_COLLECTIONS] =
			"more than half of the array is unused",
		[HPROF_WASTE_COLLISIONS] =
			"most entries share a bucket, which costs time",
		[HPROF_WASTE_WEAK_MAPS] = "values refer to their weak keys",
		[HPROF_WASTE_EMPTY_ARRAYS] = "of no element",
		[HPROF_WASTE_SINGLE_ARRAYS] = "of one reference",
		[HPROF_WASTE_NULL_ARRAYS] = "half or more is null",
		[HPROF_WASTE_SHORT_ROWS] =
			"an array of many short arrays, each with a header",
		[HPROF_WASTE_ZERO_ARRAYS] = "1 KiB and more of zeros",
		[HPROF_WASTE_ZERO_TAILS] = "the last half or more is zeros",
		[HPROF_WASTE_WIDE_ARRAYS] = "a smaller type would do",
		[HPROF_WASTE_NULL_FIELDS] =
			"null in all instances of the class",
		[HPROF_WASTE_WIDE_FIELDS] =
			"a smaller type would do in all instances",
	};

	return texts[kind];
}

static void put_kinds(struct page *page, const struct hprof_waste_table *waste)
{
	static const struct html_column columns[] = {
		{ "kind", HTML_NAME, false },
		{ "what it is", HTML_TEXT, false },
		{ "objects", HTML_COUNT, false },
		{ "size", HTML_BYTES, false },
		{ "saved", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
	};
	struct html_table table;

	html_table_begin(&table, &page->body, "Waste by kind", columns, 6, 0,
			 waste->live);
	for (int k = 0; k < HPROF_WASTE_KINDS; k++) {
		const struct hprof_waste_sum *sum = &waste->kinds[k];

		if (!sum->objects)
			continue;
		html_cell_own(&table,
			      render_waste_kind((enum hprof_waste_kind)k));
		html_cell_text(&table, meaning_of((enum hprof_waste_kind)k));
		html_cell_number(&table, sum->objects);
		html_cell_number(&table, sum->bytes);
		html_cell_number(&table, sum->saved);
		html_cell_number(&table, sum->saved);
	}
	html_table_end(&table);
}

static void put_row(struct html_table *table, const struct report *report,
		    const struct hprof_waste_row *row)
{
	html_cell_own(table, class_label(report, row->class_row));
	html_cell_own(table, render_waste_kind(row->kind));
	html_cell_number(table, row->sum.objects);
	html_cell_number(table, row->sum.saved);
	html_cell_number(table, row->sum.saved);
	html_cell_own(table, row->fields ? cli_strdup("")
					 : render_waste_holder(report->summary,
							       &row->holder));
}

static void put_rows(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "class", HTML_NAME, false },
		{ "kind", HTML_TEXT, false },
		{ "objects", HTML_COUNT, true },
		{ "saved", HTML_BYTES, true },
		{ "share", HTML_SHARE, true },
		{ "held by", HTML_TEXT, false },
	};
	const struct hprof_waste_table *waste = report->waste;
	const struct hprof_waste_row **rows = render_waste_rows(waste);
	struct html_table table;

	html_table_begin(&table, &page->body, "Who holds it", columns, 6,
			 page_rows(page, ROWS_MOST), waste->live);
	for (size_t i = 0; i < waste->row_count && rows[i]->sum.saved; i++)
		put_row(&table, report, rows[i]);
	html_table_end(&table);
	free(rows);
}

static void put_maps(struct page *page, const struct report *report)
{
	static const struct html_column columns[] = {
		{ "map", HTML_NAME, false },
		{ "entries", HTML_COUNT, false },
		{ "deepest bucket", HTML_COUNT, false },
		{ "refer back", HTML_COUNT, false },
		{ "held by", HTML_TEXT, false },
	};
	const struct hprof_waste_table *waste = report->waste;
	struct html_table table;

	if (!waste->map_count)
		return;
	html_table_begin(&table, &page->body,
			 "Maps that collide, or whose values refer back to "
			 "weak keys",
			 columns, 5, page_rows(page, MAPS_MOST), 0);
	for (size_t i = 0; i < waste->map_count; i++) {
		const struct hprof_waste_map *map = &waste->maps[i];

		html_cell_own(&table, class_label(report, map->class_row));
		html_cell_number(&table, map->entries);
		html_cell_number(&table, map->deepest);
		html_cell_number(&table, map->refer_back);
		html_cell_own(&table, render_waste_holder(report->summary,
							  &map->holder));
	}
	html_table_end(&table);
}

void section_waste(struct page *page, const struct report *report)
{
	const struct hprof_waste_table *waste = report->waste;
	char saved[UNITS_MAX], live[UNITS_MAX], share[UNITS_MAX], *text;

	if (!waste || !page_section(page, PAGE_WASTE, "Waste"))
		return;
	text = describe_format("%s of %s live objects could be saved, %s.",
			       units_bytes(waste->saved, saved),
			       units_bytes(waste->live, live),
			       units_share(waste->saved, waste->live, share));
	html_element(&page->body, "p", text);
	free(text);
	if (waste->row_count) {
		size_t limit = html_keep(&page->body, PAGE_TABLE_KEEP);

		put_kinds(page, waste);
		put_rows(page, report);
		page->body.limit = limit;
		put_maps(page, report);
	}
	page_section_end(page);
}

/* ---- contents ------------------------------------------------------------ */

static void put_contents(struct page *page, const struct report *report,
			 const char *caption,
			 const struct hprof_waste_content *contents,
			 size_t count)
{
	static const struct html_column columns[] = {
		{ "content", HTML_NAME, false },
		{ "copies", HTML_COUNT, true },
		{ "length", HTML_COUNT, false },
		{ "saved", HTML_BYTES, true },
		{ "held mostly by", HTML_TEXT, false },
	};
	struct html_table table;

	if (!count)
		return;
	html_table_begin(&table, &page->body, caption, columns, 5,
			 page_rows(page, CONTENTS_MOST), 0);
	for (size_t i = 0; i < count; i++) {
		const struct hprof_waste_content *content = &contents[i];

		html_cell_own(&table, render_waste_content(report, content));
		html_cell_number(&table, content->objects);
		html_cell_number(&table, content->length);
		html_cell_number(&table, content->saved);
		html_cell_own(&table, render_waste_holder(report->summary,
							  &content->holder));
	}
	html_table_end(&table);
}

void section_strings(struct page *page, const struct report *report)
{
	const struct hprof_waste_table *waste = report->waste;
	size_t limit;

	if (!waste || (!waste->string_count && !waste->array_count) ||
	    !page_section(page, PAGE_STRINGS, "Duplicate strings"))
		return;
	limit = html_keep(&page->body,
			  waste->array_count ? PAGE_TABLE_KEEP : 0);
	put_contents(page, report, "Strings with the same content",
		     waste->strings, waste->string_count);
	page->body.limit = limit;
	put_contents(page, report, "Arrays with the same content",
		     waste->arrays, waste->array_count);
	page_section_end(page);
}
