/* SPDX-License-Identifier: MIT */
/*
 * table_profile.c - the rows of recorded profiles, of the places where objects
 * were allocated, and of the stacks that both name by number.
 */
#include <stdlib.h>

#include "tables/table_rows.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "java/stack_traces.h"
#include "layout/summary.h"

/* ---- profiles ------------------------------------------------------------ */

static struct hprof_cell serial_or_null(uint32_t serial)
{
	return serial ? hprof_cell_number(serial) : hprof_cell_null();
}

static bool sample_row(const struct hprof_tables_walk *walk, int64_t id,
		       size_t section_number,
		       const struct hprof_profile_section *section,
		       const struct hprof_profile_row *row)
{
	bool cpu = section->tag == HPROF_CPU_SAMPLES;
	struct hprof_cell none = hprof_cell_null();
	const struct hprof_cell cells[] = {
		hprof_cell_number(id),
		hprof_cell_number((int64_t)section_number),
		hprof_cell_text(cpu ? "cpu" : "allocation"),
		hprof_cell_number(section->time_us),
		hprof_cell_number(row->trace_serial),
		serial_or_null(row->thread_serial),
		hprof_cell_text(row->class_name),
		cpu ? hprof_cell_number((int64_t)row->samples) : none,
		cpu ? none : hprof_cell_number((int64_t)row->live_bytes),
		cpu ? none : hprof_cell_number((int64_t)row->live_instances),
		cpu ? none : hprof_cell_number((int64_t)row->allocated_bytes),
		cpu ? none
		    : hprof_cell_number((int64_t)row->allocated_instances),
	};

	return walk->row(walk->user, HPROF_TABLE_SAMPLE, cells);
}

static bool sample_rows(const struct hprof_tables_walk *walk,
			const struct hprof_profile_table *profile)
{
	int64_t id = 0;

	for (size_t i = 0; i < profile->count; i++) {
		const struct hprof_profile_section *section =
			&profile->sections[i];

		for (size_t k = 0; k < section->row_count; k++)
			if (!sample_row(walk, id++, i, section,
					&section->rows[k]))
				return false;
	}
	return true;
}

enum hprof_status hp_table_samples(const struct hprof_tables_walk *walk,
				   struct hprof_error *error)
{
	struct hprof_profile_table *profile;
	bool whole;

	if (!walk->wanted[HPROF_TABLE_SAMPLE])
		return HPROF_OK;
	HP_TRY(hprof_summary_profile(hprof_heap_summary(walk->heap), &profile,
				     error));
	whole = sample_rows(walk, profile);
	hprof_profile_table_free(profile);
	return whole ? HPROF_OK : HPROF_END;
}

/* ---- stacks -------------------------------------------------------------- */

static int compare_serials(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The numbers of all traces with frames, ascending; free them with hp_free. */
static uint32_t *list_traces(const struct hp_u64_map *traces, size_t *ret_count)
{
	uint32_t *serials = hp_calloc(traces->count + 1, sizeof *serials);
	size_t count = 0;

	for (size_t i = 0; serials && i <= traces->mask; i++) {
		const struct hp_trace_info *trace = traces->slots[i].value;

		if (trace && trace->frame_count > 0)
			serials[count++] = (uint32_t)traces->slots[i].key;
	}
	if (serials)
		qsort(serials, count, sizeof *serials, compare_serials);
	*ret_count = count;
	return serials;
}

bool hp_frame_rows(const struct hprof_tables_walk *walk, enum hprof_table table,
		   int64_t number, const struct hprof_stack_frame *frames,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct hprof_cell cells[] = {
			hprof_cell_number(number),
			hprof_cell_number((int64_t)i),
			hprof_cell_text(frames[i].class_name),
			hprof_cell_text(frames[i].method),
			hprof_cell_text(frames[i].signature),
			hprof_cell_text(frames[i].source),
			hprof_cell_number(frames[i].line),
		};

		if (!walk->row(walk->user, table, cells))
			return false;
	}
	return true;
}

static enum hprof_status put_traces(const struct hprof_tables_walk *walk,
				    struct hp_stack_traces *stacks,
				    const uint32_t *serials, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct hp_stack stack =
			hp_stack_traces_trace(stacks, serials[i]);

		if (stacks->no_memory)
			return HPROF_E_NOMEM;
		if (!hp_frame_rows(walk, HPROF_TABLE_TRACE, serials[i],
				   stack.frames, stack.count))
			return HPROF_END;
	}
	return HPROF_OK;
}

enum hprof_status hp_table_traces(const struct hprof_tables_walk *walk,
				  struct hprof_error *error)
{
	const struct hp_name_table *names =
		&hprof_heap_summary(walk->heap)->impl->census.symbols;
	struct hp_stack_traces stacks;
	struct hp_arena arena = { 0 };
	enum hprof_status status;
	uint32_t *serials;
	size_t count;

	if (!walk->wanted[HPROF_TABLE_TRACE])
		return HPROF_OK;
	status = hp_stack_traces_init(&stacks, names, &arena);
	serials = list_traces(&names->traces, &count);
	if (!serials)
		status = HPROF_E_NOMEM;
	if (status == HPROF_OK)
		status = put_traces(walk, &stacks, serials, count);
	hp_free(serials);
	hp_stack_traces_done(&stacks);
	hp_arena_done(&arena);
	return status == HPROF_E_NOMEM ? hp_no_memory(error) : status;
}

/* ---- allocations --------------------------------------------------------- */

enum hprof_status hp_table_sites(const struct hprof_tables_walk *walk)
{
	const struct hprof_allocation_table *sites = walk->allocations;

	if (!sites || !walk->wanted[HPROF_TABLE_SITE])
		return HPROF_OK;
	for (size_t i = 0; i < sites->count; i++) {
		const struct hprof_allocation *site = &sites->rows[i];
		const struct hprof_cell cells[] = {
			hprof_cell_number((int64_t)i),
			hprof_cell_number(site->trace_serial),
			hprof_cell_class(site->class_row),
			hprof_cell_number((int64_t)site->objects),
			hprof_cell_number((int64_t)site->shallow),
		};

		if (!walk->row(walk->user, HPROF_TABLE_SITE, cells))
			return HPROF_END;
	}
	return HPROF_OK;
}
