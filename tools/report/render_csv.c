/* SPDX-License-Identifier: MIT */
/*
 * render_csv.c - the class table as CSV (RFC 4180), with CR LF.
 *
 * New columns are added at the end: scripts rely on the first ones.
 */
#include <inttypes.h>

#include "tools/common/escape.h"
#include "tools/report/render.h"

static void put_class_columns(FILE *out, const struct rollup_row *row)
{
	static const char *const kinds[] = { "plain", "object_array",
					     "primitive_array" };
	const struct hprof_class_row *class_row = row->class_row;

	fprintf(out, ",%s,0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64,
		kinds[class_row->kind], class_row->class_id,
		class_row->super_id, class_row->loader_id);
}

static void put_head(FILE *out, enum rollup_by by)
{
	static const char *const first[] = { "class", "package", "superclass",
					     "loader" };

	fprintf(out, "%s,instances,bytes,largest,data,%s\r\n", first[by],
		by == ROLLUP_CLASS    ? "kind,class_id,super_id,loader_id"
		: by == ROLLUP_SUPER  ? "classes,class_id"
		: by == ROLLUP_LOADER ? "classes,loader_id"
				      : "classes");
}

static void put_row(FILE *out, enum rollup_by by, const struct rollup_row *row)
{
	escape_csv_field(out, row->name);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		row->instances, row->bytes, row->largest, row->data);
	if (by == ROLLUP_CLASS)
		put_class_columns(out, row);
	else
		fprintf(out, ",%" PRIu64, row->classes);
	if (by == ROLLUP_SUPER || by == ROLLUP_LOADER)
		fprintf(out, ",0x%" PRIx64, row->id);
	fputs("\r\n", out);
}

void render_csv(FILE *out, const struct report *report)
{
	const struct rollup_table *groups = report->groups;
	size_t count = render_row_count(report);

	put_head(out, groups->by);
	for (size_t i = 0; i < count; i++)
		put_row(out, groups->by, &groups->rows[i]);
}
