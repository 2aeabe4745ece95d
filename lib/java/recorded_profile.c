/* SPDX-License-Identifier: MIT */
/*
 * recorded_profile.c - hprof_summary_profile: the profiles that the hprof
 * agents of JDK 8 and earlier wrote, with the stack traces to which their
 * records only refer by serial number.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "java/stack_traces.h"
#include "layout/summary.h"

struct profile {
	struct hprof_profile_table table;
	struct hp_arena arena;
	struct hp_stack_traces stacks;
	struct hp_u64_map arrays; /* name -> the same with "[]" */
	bool no_memory;
};

static void set_stack(struct profile *p, struct hprof_profile_row *row)
{
	struct hp_stack stack =
		hp_stack_traces_trace(&p->stacks, row->trace_serial);

	row->thread_serial =
		hp_stack_traces_thread(&p->stacks, row->trace_serial);
	row->frame_count = stack.count;
	row->frames = stack.frames;
}

/* NAME with "[]", made once: many sites may have an array of one long name. */
static const char *array_name(struct profile *p, const char *name)
{
	const size_t size = strlen(name);
	char *array = hp_u64_map_get(&p->arrays, (uintptr_t)name);

	if (array)
		return array;
	array = hp_arena_take(&p->arena, size + 3);
	if (!array ||
	    hp_u64_map_put(&p->arrays, (uintptr_t)name, array) != HPROF_OK) {
		p->no_memory = true;
		return NULL;
	}
	memcpy(array, name, size);
	memcpy(array + size, "[]", 3);
	return array;
}

static bool ends_with_brackets(const char *name)
{
	const size_t size = strlen(name);

	return size > 2 && strcmp(name + size - 2, "[]") == 0;
}

/* Appends "[]" where the record says array and the class name does not. */
static const char *site_class(struct profile *p,
			      const struct hprof_alloc_site *site)
{
	const char *name =
		hp_stack_traces_class(&p->stacks, site->class_serial);

	return !name || site->array_kind == 0 || ends_with_brackets(name)
		       ? name
		       : array_name(p, name);
}

static struct hprof_profile_row *new_rows(struct profile *p, size_t count)
{
	struct hprof_profile_row *rows =
		hp_arena_take(&p->arena, (count + 1) * sizeof *rows);

	if (rows)
		memset(rows, 0, (count + 1) * sizeof *rows);
	p->no_memory = p->no_memory || !rows;
	return rows;
}

/*
 * BITS should be a float. The JVMTI agent stored half of a double there (quirk
 * Q13); a value outside of 0 to 1 is taken for that. Returns -1 then.
 */
static double decode_cutoff(uint32_t bits)
{
	float cutoff;

	memcpy(&cutoff, &bits, sizeof cutoff);
	return cutoff >= 0 && cutoff <= 1 ? (double)cutoff : -1;
}

static void fill_sites(struct profile *p, struct hprof_profile_section *to,
		       const struct hprof_alloc_sites *from)
{
	struct hprof_alloc_site site;

	to->flags = from->flags;
	to->cutoff = decode_cutoff(from->cutoff);
	to->live_bytes = from->live_bytes;
	to->live_instances = from->live_instances;
	to->allocated_bytes = from->allocated_bytes;
	to->allocated_instances = from->allocated_instances;
	to->rows = new_rows(p, from->site_count);
	while (to->rows && hprof_alloc_site_at(from->sites, to->row_count,
					       &site) == HPROF_OK) {
		struct hprof_profile_row *row = &to->rows[to->row_count++];
		row->class_name = site_class(p, &site);
		row->trace_serial = site.trace_serial;
		row->live_bytes = site.live_bytes;
		row->live_instances = site.live_instances;
		row->allocated_bytes = site.allocated_bytes;
		row->allocated_instances = site.allocated_instances;
		set_stack(p, row);
	}
}

static void fill_samples(struct profile *p, struct hprof_profile_section *to,
			 const struct hprof_cpu_samples *from)
{
	struct hprof_cpu_sample sample;

	to->samples = from->total;
	to->rows = new_rows(p, from->sample_count);
	while (to->rows && hprof_cpu_sample_at(from->samples, to->row_count,
					       &sample) == HPROF_OK) {
		struct hprof_profile_row *row = &to->rows[to->row_count++];
		row->samples = sample.samples;
		row->trace_serial = sample.trace_serial;
		set_stack(p, row);
	}
}

static void fill_section(struct profile *p, struct hprof_profile_section *to,
			 const struct hprof_record *record)
{
	const struct hprof_heap_summary *totals = &record->u.heap_summary;

	*to = (struct hprof_profile_section){ .tag = record->tag,
					      .offset = record->offset,
					      .time_us = record->time_us };
	switch (record->tag) {
	case HPROF_ALLOC_SITES:
		fill_sites(p, to, &record->u.alloc_sites);
		break;
	case HPROF_CPU_SAMPLES:
		fill_samples(p, to, &record->u.cpu_samples);
		break;
	case HPROF_HEAP_SUMMARY:
		to->live_bytes = totals->live_bytes;
		to->live_instances = totals->live_instances;
		to->allocated_bytes = totals->allocated_bytes;
		to->allocated_instances = totals->allocated_instances;
		break;
	case HPROF_CONTROL_SETTINGS:
		to->flags = record->u.control_settings.flags;
		to->depth = record->u.control_settings.depth;
		break;
	}
}

static bool make_sections(struct profile *p,
			  const struct hp_name_table *symbols)
{
	const struct hp_profile_record *r;
	size_t count = 0;

	for (r = symbols->profile; r; r = r->next)
		count++;
	p->table.sections = hp_arena_take(
		&p->arena, (count + 1) * sizeof *p->table.sections);
	if (!p->table.sections)
		return false;
	for (r = symbols->profile; r; r = r->next)
		fill_section(p, &p->table.sections[p->table.count++],
			     &r->record);
	return !p->no_memory && !p->stacks.no_memory;
}

enum hprof_status hprof_summary_profile(const struct hprof_summary *summary,
					struct hprof_profile_table **ret_table,
					struct hprof_error *ret_error)
{
	const struct hp_name_table *symbols;
	struct profile *p;
	bool good;

	HP_NEED(ret_error, summary);
	HP_NEED(ret_error, ret_table);
	symbols = &summary->impl->census.symbols;
	p = hp_calloc(1, sizeof *p);
	if (!p)
		return hp_no_memory(ret_error);
	p->table.impl = p;
	good = hp_stack_traces_init(&p->stacks, symbols, &p->arena) ==
		       HPROF_OK &&
	       hp_u64_map_init(&p->arrays, 3) == HPROF_OK &&
	       make_sections(p, symbols);
	hp_u64_map_done(&p->arrays);
	hp_stack_traces_done(&p->stacks);
	if (!good) {
		hprof_profile_table_free(&p->table);
		return hp_no_memory(ret_error);
	}
	*ret_table = &p->table;
	return HPROF_OK;
}

void hprof_profile_table_free(struct hprof_profile_table *table)
{
	struct profile *p = table ? table->impl : NULL;

	if (!p)
		return;
	hp_arena_done(&p->arena);
	hp_free(p);
}
