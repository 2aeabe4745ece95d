/* SPDX-License-Identifier: MIT */
/*
 * section_outside.c - memory outside of the heap, by kind and by who holds it: a part
 * of the overview, and a line of the lead.
 */
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/page/lead.h"
#include "tools/page/sections.h"

enum { OWNERS_MOST = 25 };

static const char anchor[] = "outside";

/* Also says how much of it only garbage holds: that goes when it is collected. */
static void put_kinds(struct html *html,
		      const struct hprof_native_table *native)
{
	static const struct html_column columns[] = {
		{ "kind", HTML_NAME, false },
		{ "objects", HTML_COUNT, false },
		{ "size", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
		{ "held by garbage", HTML_BYTES, false },
	};
	struct html_table table;

	html_table_begin(&table, html, "Memory outside of the heap", columns, 5,
			 0, native->bytes);
	for (unsigned i = 0; i < HPROF_NATIVE_KINDS; i++) {
		const struct hprof_native_sum *sum = &native->kinds[i];

		if (!sum->objects || i == HPROF_NATIVE_MODULES)
			continue;
		html_cell_text(&table,
			       render_native_kind((enum hprof_native_kind)i));
		html_cell_number(&table, sum->objects);
		html_cell_number(&table, sum->bytes);
		html_cell_number(&table, sum->bytes);
		html_cell_number(&table, sum->unreachable_bytes);
	}
	html_table_end(&table);
}

static void put_owners(struct page *page,
		       const struct hprof_native_table *native)
{
	static const struct html_column columns[] = {
		{ "held by", HTML_NAME, false }, { "kind", HTML_TEXT, false },
		{ "objects", HTML_COUNT, true }, { "size", HTML_BYTES, true },
		{ "share", HTML_SHARE, true },
	};
	struct html_table table;

	html_table_begin(&table, &page->body,
			 "Who holds memory outside of the heap", columns, 5,
			 page_rows(page, OWNERS_MOST), native->bytes);
	for (size_t i = 0; i < native->owner_count; i++) {
		const struct hprof_native_owner *row = &native->owners[i];

		if (row->kind == HPROF_NATIVE_MODULES)
			continue;
		html_cell_own(&table, render_native_owner(row));
		html_cell_text(&table, render_native_kind(row->kind));
		html_cell_number(&table, row->objects);
		html_cell_number(&table, row->bytes);
		html_cell_number(&table, row->bytes);
	}
	html_table_end(&table);
}

void section_outside(struct page *page, const struct report *report)
{
	const struct hprof_native_table *native = report->native;
	struct html *html = &page->body;
	size_t limit;

	if (!native || !native->bytes)
		return;
	/* No heading: what follows in the overview is not about it. */
	html_putf(html, "<div id=\"%s\">\n", anchor);
	put_kinds(html, native);
	limit = html_keep(html, PAGE_TABLE_KEEP);
	put_owners(page, native);
	html->limit = limit;
	html_put(html, "</div>\n");
}

/* It is worth as much as what a suspect keeps; where it leads is in the overview. */
void section_outside_lead(struct page *page, const struct report *report)
{
	const struct hprof_native_owner *most =
		report->native && page->shown & 1u << PAGE_OVERVIEW
			? render_native_most(report->native)
			: NULL;
	const struct lead_list none = { .shown = 0 };
	char *held;

	if (!most || most->bytes < report->leaks->threshold)
		return;
	held = render_native_held(most);
	lead_end(page, &none, anchor,
		 describe_format("Outside of the heap: %s", held));
	free(held);
}
