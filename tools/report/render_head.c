/* SPDX-License-Identifier: MIT */
/*
 * render_head.c - the head of the report: the file, and the totals of the heap.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/prose.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

/* Width of the labels. Long values are wrapped to the right of them. */
#define LABEL_WIDTH 9

/* "11,048,799 bytes (10.54 MiB)" */
static void put_size(FILE *out, uint64_t bytes)
{
	char count[UNITS_MAX], human[UNITS_MAX];

	fprintf(out, "%s bytes", units_count(bytes, count));
	if (bytes >= 1024)
		fprintf(out, " (%s)", units_bytes(bytes, human));
}

static void put_label(FILE *out, const char *label)
{
	fprintf(out, "%-*s", LABEL_WIDTH, label);
}

/* Prints TEXT after LABEL, wrapped between words. */
static void put_wrapped(FILE *out, const char *label, const char *text)
{
	put_label(out, label);
	prose_wrap(out, LABEL_WIDTH, text);
}

static void put_name(FILE *out, const struct report *report)
{
	put_label(out, "file");
	escape_write(out, report->path, ESCAPE_TERMINAL);
	putc('\n', out);
	if (report->summary->input.member) {
		put_label(out, "member");
		escape_write(out, report->summary->input.member,
			     ESCAPE_TERMINAL);
		putc('\n', out);
	}
}

static void put_file_size(FILE *out, const struct hprof_reader_info *input)
{
	put_label(out, "size");
	if (input->file_size) {
		put_size(out, input->file_size);
		fprintf(out, ", %s", input->container);
		if (input->file_size != input->bytes_read &&
		    strcmp(input->container, "plain")) {
			fputs(" of ", out);
			put_size(out, input->bytes_read);
		}
	} else {
		put_size(out, input->bytes_read);
		fprintf(out, ", %s", input->container);
	}
	putc('\n', out);
}

static void put_time(FILE *out, const struct hprof_header *header)
{
	char text[UNITS_MAX];

	put_label(out, "taken");
	if (hprof_time_text(header->time_ms, ' ', text))
		fprintf(out, "%s\n", text);
	else if (header->time_ms)
		fprintf(out, "unknown (%" PRIu64 " ms after 1970)\n",
			header->time_ms);
	else
		fputs("unknown\n", out);
}

static void put_counted(FILE *out, uint64_t count, const char *what)
{
	char text[UNITS_MAX];

	fprintf(out, "%s %s%s", units_count(count, text), what,
		count == 1 ? "" : "s");
}

/* Prints "whole", or what is wrong with the dump. */
static void put_state(FILE *out, const struct hprof_summary *summary)
{
	const struct hprof_reader_info *input = &summary->input;

	put_label(out, "dump");
	if (input->dump_count > 1)
		fprintf(out, "number %u of %u in this file, ", input->dump,
			input->dump_count);
	if (input->truncated)
		fputs("cut short", out);
	else if (summary->errors)
		fputs("damaged", out);
	else if (input->dump_count == 0)
		fputs("none in this file", out);
	else
		fputs(input->complete ? "whole" : "without an end", out);
	if (summary->errors) {
		fputs(", ", out);
		put_counted(out, summary->errors, "error");
	}
	if (summary->warnings) {
		fputs(", ", out);
		put_counted(out, summary->warnings, "warning");
	}
	putc('\n', out);
}

void render_head(FILE *out, const struct report *report)
{
	const struct hprof_summary *summary = report->summary;

	if (summary->errors)
		fputs("THE FILE IS DAMAGED. This is what could be read of "
		      "it.\n\n",
		      out);
	put_name(out, report);
	put_file_size(out, &summary->input);
	put_label(out, "format");
	escape_write(out, summary->header.version, ESCAPE_TERMINAL);
	fprintf(out, ", identifiers of %" PRIu32 " bytes\n",
		summary->header.id_size);
	put_time(out, &summary->header);
	put_state(out, summary);
}

/* ---- totals ------------------------------------------------------------- */

static void total_row(struct table *table, const char *name, uint64_t count,
		      const uint64_t *bytes)
{
	char text[UNITS_MAX];

	table_text(table, name);
	table_count(table, count);
	if (bytes)
		table_count(table, *bytes);
	else
		table_text(table, "");
	table_text(table,
		   bytes && *bytes >= 1024 ? units_bytes(*bytes, text) : "");
}

/* Shallow bytes by the kind of object. */
struct bytes {
	uint64_t by_kind[HPROF_CLASS_PRIM_ARRAY + 1];
	uint64_t mirrors; /* class objects */
};

/*
 * Class objects count for the row of java.lang.Class, but have a line of their
 * own in the totals, since records of their own describe them.
 */
static struct bytes sum_bytes(const struct hprof_summary *summary)
{
	uint64_t mirrors = summary->objects - summary->instances -
			   summary->obj_arrays - summary->prim_arrays;
	struct bytes bytes = { 0 };

	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];

		if (row->instances == mirrors &&
		    row->kind == HPROF_CLASS_PLAIN && row->name &&
		    !strcmp(row->name, "java.lang.Class"))
			bytes.mirrors += row->shallow;
		else
			bytes.by_kind[row->kind] += row->shallow;
	}
	return bytes;
}

static void object_rows(struct table *table,
			const struct hprof_summary *summary)
{
	struct bytes bytes = sum_bytes(summary);

	total_row(table, "objects", summary->objects, &summary->shallow);
	total_row(table, "  instances", summary->instances,
		  &bytes.by_kind[HPROF_CLASS_PLAIN]);
	total_row(table, "  object arrays", summary->obj_arrays,
		  &bytes.by_kind[HPROF_CLASS_OBJ_ARRAY]);
	total_row(table, "  primitive arrays", summary->prim_arrays,
		  &bytes.by_kind[HPROF_CLASS_PRIM_ARRAY]);
	total_row(table, "  class objects", summary->classes,
		  bytes.mirrors ? &bytes.mirrors : NULL);
}

static void root_rows(struct table *table, const struct hprof_summary *summary)
{
	char name[64];

	total_row(table, "GC roots", summary->roots, NULL);
	for (size_t i = 0; i < summary->tag_count; i++) {
		const struct hprof_tag_row *row = &summary->tag_rows[i];

		if (!hprof_tag_is_root(row->tag))
			continue;
		snprintf(name, sizeof(name), "  %s", hprof_root_name(row->tag));
		total_row(table, name, row->count, NULL);
	}
}

static const char *sizes_name(enum hprof_sizes sizes)
{
	static const char *const names[] = { "jvm", "mat", "data" };

	return names[sizes];
}

static void put_convention(FILE *out,
			   const struct hprof_size_convention *convention)
{
	char text[sizeof(convention->text) + 16];

	snprintf(text, sizeof(text), "%s: %s", sizes_name(convention->sizes),
		 convention->text);
	put_wrapped(out, "sizes", text);
	put_wrapped(out, "", "of every object in the file, reachable or not");
}

/* Of what there should be few; threads have a line of their own. */
static void resource_rows(struct table *table,
			  const struct hprof_resource_table *resources)
{
	uint64_t objects = 0;

	for (size_t i = 0; resources && i < resources->count; i++) {
		const struct hprof_resource_row *row = &resources->rows[i];

		objects += row->objects;
		if (i + 1 < resources->count && row[1].kind == row->kind)
			continue;
		if (row->kind != HPROF_RESOURCE_THREAD)
			total_row(table, hprof_resource_kind_name(row->kind),
				  objects, NULL);
		objects = 0;
	}
}

void render_totals(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "", TABLE_LEFT },
		{ "count", TABLE_RIGHT },
		{ "shallow bytes", TABLE_RIGHT },
		{ "", TABLE_RIGHT },
	};
	const struct hprof_summary *summary = report->summary;
	struct table *table = table_new(columns, 4);
	char *outside = render_outside_text(report->outside);

	put_convention(out, &summary->convention);
	if (outside)
		put_wrapped(out, "outside", outside);
	free(outside);
	putc('\n', out);
	object_rows(table, summary);
	total_row(table, "strings", summary->strings, NULL);
	total_row(table, "threads", summary->threads, NULL);
	resource_rows(table, report->resources);
	root_rows(table, summary);
	table_print(table, out, 0);
	table_free(table);
}
