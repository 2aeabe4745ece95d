/* SPDX-License-Identifier: MIT */
/*
 * render_allocations.c - where objects were allocated: the sites of all live
 * ones, and those of what a leak suspect or one object is about.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/json_graph.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

/* "1,024 objects of class Foo, 20.8 MiB" */
static char *describe_site(const struct hprof_allocation *site)
{
	char *count = describe_count(site->objects, "object", "objects");
	char *name = describe_kind(site->class_name, false);
	char bytes[UNITS_MAX];
	char *text = describe_format("%s of class %s, %s", count, name,
				     units_bytes(site->shallow, bytes));

	free(count);
	free(name);
	return text;
}

void render_stack(FILE *out, const struct hprof_allocation *site,
		  unsigned indent)
{
	for (size_t i = 0; i < site->frame_count; i++) {
		char *frame = describe_frame(&site->frames[i]);

		fprintf(out, "%*s%s\n", (int)indent, "", frame);
		free(frame);
	}
}

void render_allocated_at(FILE *out, const struct hprof_allocation *site,
			 unsigned indent)
{
	char *what = describe_site(site);

	fprintf(out, "\n%*sAllocated at, %s:\n", (int)indent, "", what);
	render_stack(out, site, indent + 2);
	free(what);
}

static bool is_named(const struct hprof_allocation *site, const char *name)
{
	return name && site->class_name && !strcmp(site->class_name, name);
}

const struct hprof_allocation *render_leak_site(const struct report *report,
						size_t i)
{
	const struct hprof_leak *leak = &report->leaks->leaks[i];
	const struct hprof_allocation_table *sites =
		report->leak_sites ? report->leak_sites[i] : NULL;
	const char *names[3];

	if (!sites || sites->count == 0)
		return NULL;
	names[0] = leak->element_class;
	names[1] = leak->item_class;
	names[2] = leak->member_class;
	for (size_t n = 0; n < 3; n++)
		for (size_t at = 0; at < sites->count; at++)
			if (is_named(&sites->rows[at], names[n]))
				return &sites->rows[at];
	return &sites->rows[0];
}

void render_allocations(FILE *out, const struct report *report)
{
	const struct hprof_allocation_table *sites = report->allocations;
	char bytes[UNITS_MAX], share[UNITS_MAX], *count;
	size_t shown;

	if (!sites)
		return;
	if (sites->count == 0) {
		fputs("\nthe dump does not say where objects were allocated\n",
		      out);
		return;
	}
	count = describe_count(sites->objects, "live object", "live objects");
	fprintf(out, "\nWhere %s were allocated, %s, %s of the live heap\n",
		count, units_bytes(sites->shallow, bytes),
		units_share(sites->shallow, report->graph->reachable_shallow,
			    share));
	free(count);
	shown = render_rows(report, sites->count);
	for (size_t i = 0; i < shown; i++) {
		char *what = describe_site(&sites->rows[i]);

		fprintf(out, "\n%3zu. %s, %s\n", i + 1, what,
			units_share(sites->rows[i].shallow, sites->shallow,
				    share));
		free(what);
		render_stack(out, &sites->rows[i], 5);
	}
	if (shown < sites->count)
		fprintf(out, "(%zu more sites)\n", sites->count - shown);
}

void render_json_site(struct json *json, const char *key,
		      const struct hprof_allocation *site)
{
	json_begin_object(json, key, JSON_BLOCK);
	json_string(json, "class", site->class_name);
	json_number(json, "objects", site->objects);
	json_number(json, "bytes", site->shallow);
	json_number(json, "trace_serial", site->trace_serial);
	json_begin_array(json, "frames", JSON_BLOCK);
	for (size_t i = 0; i < site->frame_count; i++)
		json_frame(json, NULL, &site->frames[i]);
	json_end(json);
	json_end(json);
}

void render_json_allocations(struct json *json, const struct report *report)
{
	const struct hprof_allocation_table *sites = report->allocations;
	size_t shown;

	if (!sites)
		return;
	shown = render_rows(report, sites->count);
	json_begin_object(json, "allocations", JSON_BLOCK);
	json_number(json, "objects", sites->objects);
	json_number(json, "bytes", sites->shallow);
	json_number(json, "site_count", sites->count);
	json_begin_array(json, "sites", JSON_BLOCK);
	for (size_t i = 0; i < shown; i++)
		render_json_site(json, NULL, &sites->rows[i]);
	json_end(json);
	json_end(json);
}
