/* SPDX-License-Identifier: MIT */
/*
 * diff_sites.c - see diff_sites.h.
 *
 * Sites are equal if their classes have the same name in a diff and their stacks
 * the same methods. Lines do not count, as the source may have changed in between;
 * those shown are of the last dump.
 */
#include "tools/diff/diff_sites.h"

#include <stdlib.h>
#include <string.h>

#include <hprof/record.h>

#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/input.h"
#include "tools/common/json_graph.h"
#include "tools/common/units.h"

#define SITES_DEFAULT 5

/* ---- the sites of one dump ----------------------------------------------- */

static char *name_of(const char *class_name)
{
	size_t size = hprof_diff_name(class_name, NULL, 0) + 1;
	char *name = cli_calloc(size, 1);

	hprof_diff_name(class_name, name, size);
	return name;
}

/* There is room for it. */
static struct diff_site *add(struct diff_sites *sites, const char *class_name,
			     const struct hprof_stack_frame *frames,
			     size_t frame_count)
{
	struct diff_site *site = &sites->rows[sites->count];

	if (!class_name || frame_count == 0)
		return NULL;
	*site = (struct diff_site){ .name = name_of(class_name),
				    .frames = frames,
				    .frame_count = frame_count };
	sites->count++;
	return site;
}

static void make_room(struct diff_sites *sites, size_t more)
{
	sites->rows = cli_realloc(sites->rows, sites->count + more,
				  sizeof(*sites->rows));
}

static bool read_record(struct diff_sites *sites, unsigned side,
			const struct dump_input *dump)
{
	const struct hprof_profile_section *section;
	struct hprof_error error = { 0 };
	enum hprof_status status = hprof_summary_profile(
		dump->summary, &sites->profiles[side], &error);

	if (status < 0) {
		input_print_failure(dump->path, status, &error);
		return false;
	}
	section = dump_input_sites(sites->profiles[side]);
	if (!section)
		return false;
	make_room(sites, section->row_count);
	for (size_t i = 0; i < section->row_count; i++) {
		const struct hprof_profile_row *from = &section->rows[i];
		struct diff_site *site = add(sites, from->class_name,
					     from->frames, from->frame_count);

		if (!site)
			continue;
		site->bytes[side] = from->live_bytes;
		site->objects[side] = from->live_instances;
	}
	return true;
}

static bool read_objects(struct diff_sites *sites, unsigned side,
			 const struct hprof_allocation_table *from)
{
	if (from->count)
		make_room(sites, from->count);
	for (size_t i = 0; i < from->count; i++) {
		const struct hprof_allocation *row = &from->rows[i];
		struct diff_site *site = add(sites, row->class_name,
					     row->frames, row->frame_count);

		if (!site)
			continue;
		site->bytes[side] = row->shallow;
		site->objects[side] = row->objects;
	}
	return from->count > 0;
}

/* Both are read in the same way, or sizes could not be compared. */
static bool read_both(struct diff_sites *sites, const struct dump_inputs *dumps)
{
	const struct dump_input *first = &dumps->items[0],
				*last = &dumps->items[dumps->count - 1];

	if (first->allocations && last->allocations)
		return read_objects(sites, 0, first->allocations) &&
		       read_objects(sites, 1, last->allocations);
	return read_record(sites, 0, first) && read_record(sites, 1, last);
}

/* ---- both ---------------------------------------------------------------- */

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_keys(const void *left, const void *right)
{
	const struct diff_site *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	for (size_t i = 0; !order && i < a->frame_count && i < b->frame_count;
	     i++) {
		const struct hprof_stack_frame *x = &a->frames[i];
		const struct hprof_stack_frame *y = &b->frames[i];

		order = compare_text(x->method, y->method);
		if (!order)
			order = compare_text(x->class_name, y->class_name);
		if (!order)
			order = compare_text(x->signature, y->signature);
	}
	if (order || a->frame_count == b->frame_count)
		return order;
	return a->frame_count < b->frame_count ? -1 : 1;
}

/* Equal ones become one, with the stack of the last of them. */
static void merge(struct diff_sites *sites)
{
	size_t kept = 0;

	qsort(sites->rows, sites->count, sizeof(*sites->rows), compare_keys);
	for (size_t i = 1; i < sites->count; i++) {
		struct diff_site *to = &sites->rows[kept];
		struct diff_site *from = &sites->rows[i];

		if (compare_keys(to, from) != 0) {
			sites->rows[++kept] = *from;
			continue;
		}
		for (unsigned side = 0; side < 2; side++) {
			to->bytes[side] += from->bytes[side];
			to->objects[side] += from->objects[side];
		}
		if (from->bytes[1]) {
			to->frames = from->frames;
			to->frame_count = from->frame_count;
		}
		free(from->name);
	}
	sites->count = sites->count ? kept + 1 : 0;
}

static bool row_grew(const struct diff_report *report, const char *name)
{
	const size_t last = report->dumps->count - 1;

	for (size_t i = 0; i < report->count; i++) {
		const struct hprof_diff_row *row = report->rows[i];

		if (strcmp(row->name, name) == 0 &&
		    row->cells[last].values[HPROF_DIFF_BYTES] >
			    row->cells[0].values[HPROF_DIFF_BYTES])
			return true;
	}
	return false;
}

/* What has grown most comes first. */
static int compare_growth(const void *left, const void *right)
{
	const struct diff_site *a = left, *b = right;
	uint64_t x = a->bytes[1] - a->bytes[0], y = b->bytes[1] - b->bytes[0];

	if (x != y)
		return x > y ? -1 : 1;
	return compare_keys(left, right);
}

/* Only those that grew, most first; the first LIMIT of classes that did, too. */
static void choose(struct diff_sites *sites, const struct diff_report *report,
		   size_t limit)
{
	size_t grown = 0, kept = 0;

	for (size_t i = 0; i < sites->count; i++) {
		if (sites->rows[i].bytes[1] > sites->rows[i].bytes[0])
			sites->rows[grown++] = sites->rows[i];
		else
			free(sites->rows[i].name);
	}
	if (grown)
		qsort(sites->rows, grown, sizeof(*sites->rows), compare_growth);
	for (size_t i = 0; i < grown; i++) {
		if (kept < limit && row_grew(report, sites->rows[i].name))
			sites->rows[kept++] = sites->rows[i];
		else
			free(sites->rows[i].name);
	}
	sites->count = kept;
}

void diff_sites_make(struct diff_sites *sites, const struct diff_report *report)
{
	const struct dump_inputs *dumps = report->dumps;
	const uint64_t top = report->how.top_given || !report->how.top
				     ? report->how.top
				     : SITES_DEFAULT;

	*sites = (struct diff_sites){ .rows = NULL };
	if (report->how.by != ROLLUP_CLASS || !read_both(sites, dumps)) {
		diff_sites_done(sites);
		return;
	}
	merge(sites);
	choose(sites, report, top ? (size_t)top : SIZE_MAX);
}

void diff_sites_done(struct diff_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		free(sites->rows[i].name);
	free(sites->rows);
	hprof_profile_table_free(sites->profiles[0]);
	hprof_profile_table_free(sites->profiles[1]);
	*sites = (struct diff_sites){ .rows = NULL };
}

/* ---- printing ------------------------------------------------------------ */

char *diff_site_growth(const struct diff_site *site)
{
	char grew[UNITS_MAX], bytes[UNITS_MAX];
	char before[UNITS_MAX], after[UNITS_MAX];

	return describe_format(
		"+%s, to %s; from %s to %s objects",
		units_bytes(site->bytes[1] - site->bytes[0], grew),
		units_bytes(site->bytes[1], bytes),
		units_count(site->objects[0], before),
		units_count(site->objects[1], after));
}

static void put_site(FILE *out, const struct diff_site *site)
{
	char *name = escape_copy(site->name, DESCRIBE_NAME_LIMIT);
	char *growth = diff_site_growth(site);

	fprintf(out, "\n  %s: %s\n", name, growth);
	free(name);
	free(growth);
	for (size_t i = 0; i < site->frame_count; i++) {
		char *frame = describe_frame(&site->frames[i]);

		fprintf(out, "      %s\n", frame);
		free(frame);
	}
}

void render_diff_sites(FILE *out, const struct diff_report *report)
{
	struct diff_sites sites;

	diff_sites_make(&sites, report);
	if (sites.count)
		fputs("\nWhat grew was allocated at:\n", out);
	for (size_t i = 0; i < sites.count; i++)
		put_site(out, &sites.rows[i]);
	diff_sites_done(&sites);
}

static void put_values(struct json *json, const char *key,
		       const uint64_t values[2])
{
	json_begin_array(json, key, JSON_LINE);
	json_number(json, NULL, values[0]);
	json_number(json, NULL, values[1]);
	json_end(json);
}

void render_diff_sites_json(struct json *json, const struct diff_report *report)
{
	struct diff_sites sites;

	diff_sites_make(&sites, report);
	if (sites.count)
		json_begin_array(json, "allocated_at", JSON_BLOCK);
	for (size_t i = 0; i < sites.count; i++) {
		const struct diff_site *site = &sites.rows[i];

		json_begin_object(json, NULL, JSON_BLOCK);
		json_string(json, "class", site->name);
		put_values(json, "bytes", site->bytes);
		put_values(json, "instances", site->objects);
		json_begin_array(json, "frames", JSON_BLOCK);
		for (size_t n = 0; n < site->frame_count; n++)
			json_frame(json, NULL, &site->frames[n]);
		json_end(json);
		json_end(json);
	}
	if (sites.count)
		json_end(json);
	diff_sites_done(&sites);
}
