/* SPDX-License-Identifier: MIT */
/*
 * render_records.c - how many records there are by tag, and roots by kind.
 */
#include <stddef.h>
#include <stdio.h>

#include "tools/common/describe.h"
#include "tools/common/table.h"
#include "tools/report/render.h"

static uint64_t all_bytes(const struct hprof_summary *summary)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < summary->tag_count; i++)
		bytes += summary->tag_rows[i].bytes;
	return bytes;
}

static uint64_t all_records(const struct hprof_summary *summary)
{
	uint64_t count = 0;

	for (size_t i = 0; i < summary->tag_count; i++)
		count += summary->tag_rows[i].count;
	return count;
}

static void record_row(struct table *table, const char *tag, uint64_t count,
		       uint64_t bytes, uint64_t whole, const char *name)
{
	table_text(table, tag);
	table_count(table, count);
	table_count(table, bytes);
	table_share(table, bytes, whole);
	table_text(table, name);
}

void render_records(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "tag", TABLE_LEFT },	  { "count", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT }, { "share", TABLE_RIGHT },
		{ "record", TABLE_LEFT },
	};
	const struct hprof_summary *summary = report->summary;
	struct table *table = table_new(columns, 5);
	uint64_t whole = all_bytes(summary);
	char tag[16], name[64];

	for (size_t i = 0; i < summary->tag_count; i++) {
		const struct hprof_tag_row *row = &summary->tag_rows[i];

		snprintf(tag, sizeof(tag), "0x%02x", row->tag & 0xFFu);
		snprintf(name, sizeof(name), "%s%s",
			 row->tag >= HPROF_SUB ? "  " : "",
			 hprof_tag_name(row->tag));
		record_row(table, tag, row->count, row->bytes, whole, name);
	}
	record_row(table, "", all_records(summary), whole, whole, "(all)");
	putc('\n', out);
	table_print(table, out, 0);
	table_free(table);
}

void render_roots(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "count", TABLE_RIGHT },
		{ "share", TABLE_RIGHT },
		{ "GC root", TABLE_LEFT },
	};
	const struct hprof_summary *summary = report->summary;
	struct table *table = table_new(columns, 3);

	for (size_t i = 0; i < summary->tag_count; i++) {
		const struct hprof_tag_row *row = &summary->tag_rows[i];

		if (!hprof_tag_is_root(row->tag))
			continue;
		table_count(table, row->count);
		table_share(table, row->count, summary->roots);
		table_text(table, hprof_root_name(row->tag));
	}
	table_count(table, summary->roots);
	table_share(table, summary->roots, summary->roots);
	table_text(table, "(all)");
	putc('\n', out);
	table_print(table, out, 0);
	table_free(table);
}
