/* SPDX-License-Identifier: MIT */
/*
 * section_resources.c - sessions, connections, threads and other objects of which there
 * should be few: a table in the section of suspects.
 */
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/page/sections.h"

enum { ROWS_MOST = 50 };

static void put_row(struct html_table *table,
		    const struct hprof_resource_row *row, bool closed)
{
	html_cell_own(table, describe_kind(row->class_name, false));
	html_cell_text(table, hprof_resource_kind_name(row->kind));
	html_cell_number(table, row->objects);
	if (closed)
		html_cell_number(table, row->closed);
	html_cell_number(table, row->retained);
	html_cell_own(table, render_resource_owner(row));
}

void section_resources(struct page *page, const struct report *report)
{
	const struct html_column closed_column = { "closed", HTML_COUNT, true };
	const struct hprof_resource_table *resources = report->resources;
	struct html_column columns[6] = { { "class", HTML_NAME, false },
					  { "what", HTML_TEXT, false },
					  { "objects", HTML_COUNT, true } };
	struct html_table table;
	size_t count = 3;
	bool closed;

	if (!resources || !report->graph || !resources->count)
		return;
	closed = render_resources_closed(resources);
	if (closed)
		columns[count++] = closed_column;
	columns[count++] = (struct html_column){ "kept", HTML_BYTES, false };
	columns[count++] = (struct html_column){ "held by", HTML_TEXT, false };
	html_table_begin(&table, &page->body,
			 "Objects that are usually few or short-lived", columns,
			 count, page_rows(page, ROWS_MOST), 0);
	for (size_t i = 0; i < resources->count; i++)
		put_row(&table, &resources->rows[i], closed);
	html_table_end(&table);
}
