/* SPDX-License-Identifier: MIT */
/*
 * export_text_profile.c - the sections SITES and CPU SAMPLES, and the threads of dumps
 * that have no START_THREAD records.
 */
#include <stdlib.h>

#include "text/text_profile.h"
#include "tools/common/cli.h"
#include "tools/export/export_text.h"

/* ---- threads ------------------------------------------------------------- */

/* The object that the field NAME of the cursor's object refers to. */
static uint64_t follow(const struct hprof_heap *heap,
		       struct hprof_cursor *cursor, const char *name)
{
	struct hprof_field field;

	if (hprof_cursor_field_named(cursor, NULL, name, &field) != HPROF_OK ||
	    field.type != HPROF_TYPE_OBJECT || !field.value)
		return HPROF_NO_OBJECT;
	return hprof_heap_find(heap, field.value);
}

static bool go(struct hprof_cursor *cursor, uint64_t index)
{
	struct hprof_object object;

	return index != HPROF_NO_OBJECT &&
	       hprof_cursor_seek(cursor, index, &object) == HPROF_OK;
}

/*
 * The name in Thread.group, which is in Thread.holder since JDK 19. "" if
 * unknown.
 */
static const char *group_name(const struct hprof_heap *heap,
			      struct hprof_cursor *cursor, uint64_t thread_id)
{
	uint64_t thread = hprof_heap_find(heap, thread_id), group;
	const char *text;

	if (!go(cursor, thread))
		return "";
	group = follow(heap, cursor, "group");
	if (group == HPROF_NO_OBJECT &&
	    go(cursor, follow(heap, cursor, "holder")))
		group = follow(heap, cursor, "group");
	if (!go(cursor, group) || !go(cursor, follow(heap, cursor, "name")) ||
	    hprof_cursor_text(cursor, 200, &text, NULL) != HPROF_OK)
		return "";
	return text;
}

enum hprof_status export_text_threads(struct text_writer *text,
				      const struct export_heap *heap,
				      struct hprof_error *error)
{
	struct hprof_thread_table *table;
	struct hprof_cursor *cursor;
	enum hprof_status status = hprof_summary_threads(
		hprof_heap_summary(heap->heap), &table, error);

	if (status < 0)
		return status;
	status = hprof_cursor_new(heap->heap, &cursor, error);
	for (size_t i = 0; i < table->count && status == HPROF_OK; i++) {
		const struct hprof_thread_row *row = &table->rows[i];
		const struct text_thread thread = {
			.object_id = row->object_id,
			.serial = row->thread_serial,
			.name = row->name,
			.group = group_name(heap->heap, cursor, row->object_id),
		};

		text_put_thread_start(text, &thread);
	}
	if (status == HPROF_OK)
		hprof_cursor_free(cursor);
	hprof_thread_table_free(table);
	return status;
}

/* ---- profiles ------------------------------------------------------------ */

/* When the section was written. */
static uint64_t time_of(const struct hprof_header *header,
			const struct hprof_profile_section *section)
{
	return header->time_ms + section->time_us / 1000;
}

static void put_sites(struct text_writer *text,
		      const struct hprof_header *header,
		      const struct hprof_profile_section *section)
{
	struct text_site *rows =
		cli_calloc(section->row_count + 1, sizeof(*rows));
	const struct text_sites sites = {
		.time_ms = time_of(header, section),
		.by_allocation = section->flags & 2,
		.live_bytes = section->live_bytes,
		.allocated_bytes = section->allocated_bytes,
		.count = section->row_count,
		.rows = rows,
	};

	for (size_t i = 0; i < section->row_count; i++) {
		const struct hprof_profile_row *row = &section->rows[i];

		rows[i] = (struct text_site){
			.class_name = row->class_name,
			.trace_serial = row->trace_serial,
			.live_bytes = row->live_bytes,
			.live_objects = row->live_instances,
			.allocated_bytes = row->allocated_bytes,
			.allocated_objects = row->allocated_instances,
		};
	}
	text_put_sites(text, &sites);
	free(rows);
}

static struct text_cost cost_of(const struct hprof_profile_row *row)
{
	struct text_cost cost = {
		.cost = row->samples,
		.count = row->samples,
		.trace_serial = row->trace_serial,
	};

	if (row->frame_count > 0) {
		const struct hprof_stack_frame *top = row->frames;

		cost.class_name =
			top->class_name ? top->class_name : "<Unknown Class>";
		cost.method = top->method;
	}
	return cost;
}

static void put_samples(struct text_writer *text,
			const struct hprof_header *header,
			const struct hprof_profile_section *section)
{
	struct text_cost *rows =
		cli_calloc(section->row_count + 1, sizeof(*rows));
	const struct text_costs costs = {
		.time_ms = time_of(header, section),
		.total = section->samples,
		.count = section->row_count,
		.rows = rows,
	};

	for (size_t i = 0; i < section->row_count; i++)
		rows[i] = cost_of(&section->rows[i]);
	text_put_samples(text, &costs);
	free(rows);
}

enum hprof_status export_text_profile(struct text_writer *text,
				      const struct export_heap *heap,
				      struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap->heap);
	struct hprof_profile_table *table;
	enum hprof_status status =
		hprof_summary_profile(summary, &table, error);

	if (status < 0)
		return status;
	for (size_t i = 0; i < table->count; i++)
		if (table->sections[i].tag == HPROF_ALLOC_SITES)
			put_sites(text, &summary->header, &table->sections[i]);
		else if (table->sections[i].tag == HPROF_CPU_SAMPLES)
			put_samples(text, &summary->header,
				    &table->sections[i]);
	hprof_profile_table_free(table);
	return HPROF_OK;
}
