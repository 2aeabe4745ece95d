/* SPDX-License-Identifier: MIT */
/*
 * render_profile.c - profiles of the JDK's old hprof agent: allocation sites,
 * CPU samples and totals. The tables are similar to those of its own text
 * format. Each row is followed by its stack.
 */
#include <inttypes.h>

#include "tools/common/escape.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

/* Flags of ALLOC_SITES and CONTROL_SETTINGS. */
enum {
	SITES_INCREMENTAL = 1,
	SITES_BY_ALLOCATION = 2,
	SITES_AFTER_GC = 4,
	CONTROL_ALLOCATION = 1,
	CONTROL_CPU = 2
};

static void put_stack(FILE *out, const struct hprof_profile_row *row)
{
	for (size_t i = 0; i < row->frame_count; i++)
		render_frame(out, &row->frames[i]);
	if (row->frame_count == 0)
		fputs("\t(no stack)\n", out);
}

static void put_limit(FILE *out, uint64_t shown, uint64_t count)
{
	if (shown < count)
		fprintf(out, "(%" PRIu64 " more rows)\n", count - shown);
}

static uint64_t rows_shown(const struct report *report, size_t count)
{
	return report->top && report->top < count ? report->top : count;
}

static void render_sites(FILE *out, const struct report *report,
			 const struct hprof_profile_section *section)
{
	uint64_t shown = rows_shown(report, section->row_count);

	fprintf(out, "ALLOCATION SITES, by %s%s%s\n",
		section->flags & SITES_BY_ALLOCATION ? "bytes allocated"
						     : "live bytes",
		section->flags & SITES_INCREMENTAL ? ", since the last time"
						   : "",
		section->flags & SITES_AFTER_GC ? ", after a collection" : "");
	fprintf(out,
		"live %" PRIu64 " bytes in %" PRIu64
		" objects, allocated %" PRIu64 " bytes in %" PRIu64
		" objects\n",
		section->live_bytes, section->live_instances,
		section->allocated_bytes, section->allocated_instances);
	for (uint64_t i = 0; i < shown; i++) {
		const struct hprof_profile_row *row = &section->rows[i];
		fprintf(out,
			"%" PRIu64 ". live %" PRIu64 " bytes in %" PRIu64
			" objects, allocated %" PRIu64 " bytes in %" PRIu64
			" objects: ",
			i + 1, row->live_bytes, row->live_instances,
			row->allocated_bytes, row->allocated_instances);
		escape_write(out,
			     row->class_name ? row->class_name
					     : "(unknown class)",
			     ESCAPE_TERMINAL);
		putc('\n', out);
		put_stack(out, row);
	}
	put_limit(out, shown, section->row_count);
}

static void render_samples(FILE *out, const struct report *report,
			   const struct hprof_profile_section *section)
{
	uint64_t shown = rows_shown(report, section->row_count);
	uint64_t sum = 0;

	fprintf(out, "CPU SAMPLES, %" PRIu64 " in all\n", section->samples);
	for (uint64_t i = 0; i < shown; i++) {
		const struct hprof_profile_row *row = &section->rows[i];
		double all = section->samples ? (double)section->samples : 1;
		sum += row->samples;
		fprintf(out,
			"%" PRIu64 ". %.2f%% (%.2f%% so far), %" PRIu64
			" samples, trace %" PRIu32 "\n",
			i + 1, 100 * (double)row->samples / all,
			100 * (double)sum / all, row->samples,
			row->trace_serial);
		put_stack(out, row);
	}
	put_limit(out, shown, section->row_count);
}

static void render_section(FILE *out, const struct report *report,
			   const struct hprof_profile_section *section)
{
	putc('\n', out);
	switch (section->tag) {
	case HPROF_ALLOC_SITES:
		render_sites(out, report, section);
		break;
	case HPROF_CPU_SAMPLES:
		render_samples(out, report, section);
		break;
	case HPROF_HEAP_SUMMARY:
		fprintf(out,
			"HEAP SUMMARY\nlive %" PRIu64 " bytes in %" PRIu64
			" objects, allocated %" PRIu64 " bytes in %" PRIu64
			" objects\n",
			section->live_bytes, section->live_instances,
			section->allocated_bytes, section->allocated_instances);
		break;
	default:
		fprintf(out,
			"SETTINGS\nallocation traces %s, CPU sampling %s, "
			"stacks of at most %u frames\n",
			section->flags & CONTROL_ALLOCATION ? "on" : "off",
			section->flags & CONTROL_CPU ? "on" : "off",
			(unsigned)section->depth);
	}
}

void render_profile(FILE *out, const struct report *report)
{
	const struct hprof_profile_table *profile = report->profile;

	if (!profile)
		return;
	if (profile->count == 0)
		fputs("\nno profile in this dump\n", out);
	for (size_t i = 0; i < profile->count; i++)
		render_section(out, report, &profile->sections[i]);
}
