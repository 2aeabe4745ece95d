/* SPDX-License-Identifier: MIT */
/*
 * view_sites.c - where live objects were allocated, and the profiles in the
 * dump: allocation sites and samples of the CPU. Each opens its stack.
 */
#include <stdlib.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"

enum { BYTES, COUNT };
enum { ROW_BITS = 32 }; /* a row of a profile: its section, then its number */

/* "of class Foo, in Bar.make (Bar.java:3)" */
static char *place_text(const char *class_name,
			const struct hprof_stack_frame *frames, size_t count)
{
	char *frame =
		count ? describe_frame(&frames[0]) : cli_strdup("(no stack)");
	char *name, *text;

	if (!class_name)
		return frame;
	name = describe_kind(class_name, false);
	text = describe_format("%s in %s", name, frame);
	free(name);
	free(frame);
	return text;
}

static void put_allocations(struct view *v)
{
	const struct hprof_allocation_table *t = v->tables->sites;
	size_t count = t->count < v->limit ? t->count : v->limit;

	if (count)
		view_heading(v, "Live objects, by where they were allocated");
	for (size_t i = 0; i < count; i++) {
		const struct hprof_allocation *site = &t->rows[i];
		struct view_row *row =
			view_add(v, place_text(site->class_name, site->frames,
					       site->frame_count));

		row->values[BYTES] = site->shallow;
		row->values[COUNT] = site->objects;
		row->class_row = site->class_row;
		row->target = target_of(TARGET_SITE, i);
	}
	view_more(v, t->count - count);
}

static void put_profile_row(struct view *v,
			    const struct hprof_profile_section *section,
			    size_t number, size_t i)
{
	const struct hprof_profile_row *profile = &section->rows[i];
	bool sampled = section->tag == HPROF_CPU_SAMPLES;
	struct view_row *row =
		view_add(v, place_text(profile->class_name, profile->frames,
				       profile->frame_count));

	if (!sampled)
		row->values[BYTES] = profile->live_bytes;
	row->values[COUNT] =
		sampled ? profile->samples : profile->live_instances;
	row->target =
		target_of(TARGET_PROFILE_ROW, (uint64_t)number << ROW_BITS | i);
}

static void put_section(struct view *v, size_t number)
{
	const struct hprof_profile_section *section =
		&v->tables->profile->sections[number];
	size_t count =
		section->row_count < v->limit ? section->row_count : v->limit;

	if (section->tag != HPROF_CPU_SAMPLES &&
	    section->tag != HPROF_ALLOC_SITES)
		return;
	view_heading(v, section->tag == HPROF_CPU_SAMPLES
				? "Profile: samples of the CPU"
				: "Profile: allocation sites, live");
	for (size_t i = 0; i < count; i++)
		put_profile_row(v, section, number, i);
	view_more(v, section->row_count - count);
}

static void make_sites(struct view *v)
{
	const struct hprof_profile_table *profile = v->tables->profile;

	view_title(v, cli_strdup("Allocation sites and profiles"));
	put_allocations(v);
	for (size_t i = 0; profile && i < profile->count; i++)
		put_section(v, i);
	if (!v->count)
		view_add(v, cli_strdup("the dump does not say where objects "
				       "were allocated"));
}

const struct view_kind sites_view = {
	.columns = { [BYTES] = { "bytes", COLUMN_BYTES },
		     [COUNT] = { "count", COLUMN_COUNT } },
	.text_title = "class, and the innermost frame",
	.needs = PART_SITES,
	.make = make_sites,
};

/* ---- one ----------------------------------------------------------------- */

static void put_stack(struct view *v, const struct hprof_stack_frame *frames,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		view_add(v, describe_frame(&frames[i]));
	if (!count)
		view_add(v, cli_strdup("(no stack)"));
}

/* Takes COUNT, "3 objects". */
static void put_title(struct view *v, const char *class_name, char *count,
		      uint64_t bytes)
{
	char *name = describe_kind(class_name, false);
	char size[UNITS_MAX];

	view_title(v, describe_format("Allocated: %s of class %s, %s", count,
				      name, units_bytes(bytes, size)));
	free(name);
	free(count);
}

static void make_site(struct view *v)
{
	const struct hprof_allocation *site =
		&v->tables->sites->rows[v->about.number];
	struct view_row *row;

	put_title(v, site->class_name,
		  describe_count(site->objects, "object", "objects"),
		  site->shallow);
	put_stack(v, site->frames, site->frame_count);
	if (site->class_row == SIZE_MAX)
		return;
	view_heading(v, "What was allocated");
	row = view_add(v, describe_kind(site->class_name, false));
	row->class_row = site->class_row;
	row->target = target_of(TARGET_INSTANCES, site->class_row);
}

static void make_profile_row(struct view *v)
{
	const struct hprof_profile_section *section =
		&v->tables->profile->sections[v->about.number >> ROW_BITS];
	const struct hprof_profile_row *row =
		&section->rows[v->about.number & UINT32_MAX];

	if (section->tag == HPROF_CPU_SAMPLES)
		view_title(v, describe_count(row->samples, "sample of the CPU",
					     "samples of the CPU"));
	else
		put_title(v, row->class_name,
			  describe_count(row->live_instances, "live object",
					 "live objects"),
			  row->live_bytes);
	put_stack(v, row->frames, row->frame_count);
}

const struct view_kind site_view = {
	.text_title = "stack, innermost first",
	.needs = PART_SITES,
	.make = make_site,
};

const struct view_kind profile_row_view = {
	.text_title = "stack, innermost first",
	.needs = PART_SITES,
	.make = make_profile_row,
};
