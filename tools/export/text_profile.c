/* SPDX-License-Identifier: MIT */
/*
 * text_profile.c - the sections SITES and CPU SAMPLES, and the threads of dumps
 * that have no START_THREAD records.
 */
#include <stdio.h>
#include <string.h>

#include "tools/export/text_form.h"

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

enum hprof_status text_put_threads(struct text_form *text,
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

		text_put(text,
			 "THREAD START (obj=%x, id = %u, name=\"%s\", "
			 "group=\"%s\")\n",
			 row->object_id, (uint64_t)row->thread_serial,
			 row->name ? row->name : "",
			 group_name(heap->heap, cursor, row->object_id));
	}
	if (status == HPROF_OK)
		hprof_cursor_free(cursor);
	hprof_thread_table_free(table);
	return status;
}

/* ---- profiles ------------------------------------------------------------ */

/* Writes " 12.34%" and the sum so far. */
static void put_shares(struct text_form *text, uint64_t part, uint64_t so_far,
		       uint64_t whole)
{
	char line[64];
	double total = whole ? (double)whole : 1;

	snprintf(line, sizeof(line), "%5.2f%% %5.2f%%",
		 (double)part * 100 / total, (double)so_far * 100 / total);
	text_put(text, "%s", line);
}

static void put_site(struct text_form *text,
		     const struct hprof_profile_row *row)
{
	char line[128];

	snprintf(line, sizeof(line), " %9llu %4llu %9llu %5llu %5lu ",
		 (unsigned long long)row->live_bytes,
		 (unsigned long long)row->live_instances,
		 (unsigned long long)row->allocated_bytes,
		 (unsigned long long)row->allocated_instances,
		 (unsigned long)row->trace_serial);
	text_put(text, "%s%s\n", line,
		 row->class_name ? row->class_name : "<Unknown Class>");
}

static void put_rank(struct text_form *text, size_t rank, int width)
{
	char line[32];

	snprintf(line, sizeof(line), "%*zu ", width, rank);
	text_put(text, "%s", line);
}

static void put_sites(struct text_form *text, const struct hprof_header *header,
		      const struct hprof_profile_section *section)
{
	bool by_allocation = section->flags & 2;
	uint64_t whole =
		by_allocation ? section->allocated_bytes : section->live_bytes;
	uint64_t so_far = 0;

	text_put(text, "SITES BEGIN (ordered by %s) ",
		 by_allocation ? "allocated bytes" : "live bytes");
	text_put_time(text, header, section->time_us);
	text_put(text, "          percent          live          alloc'ed  "
		       "stack class\n"
		       " rank   self  accum     bytes objs     bytes  objs "
		       "trace name\n");
	for (size_t i = 0; i < section->row_count; i++) {
		const struct hprof_profile_row *row = &section->rows[i];
		uint64_t part =
			by_allocation ? row->allocated_bytes : row->live_bytes;

		so_far += part;
		put_rank(text, i + 1, 5);
		put_shares(text, part, so_far, whole);
		put_site(text, row);
	}
	text_put(text, "SITES END\n");
}

static void put_samples(struct text_form *text,
			const struct hprof_header *header,
			const struct hprof_profile_section *section)
{
	uint64_t so_far = 0;
	char line[64];

	text_put(text, "CPU SAMPLES BEGIN (total = %u) ", section->samples);
	text_put_time(text, header, section->time_us);
	if (section->row_count)
		text_put(text, "rank   self  accum   count trace method\n");
	for (size_t i = 0; i < section->row_count; i++) {
		const struct hprof_profile_row *row = &section->rows[i];
		const struct hprof_stack_frame *top = row->frames;

		so_far += row->samples;
		put_rank(text, i + 1, 4);
		put_shares(text, row->samples, so_far, section->samples);
		snprintf(line, sizeof(line), " %7llu %5lu",
			 (unsigned long long)row->samples,
			 (unsigned long)row->trace_serial);
		text_put(text, "%s", line);
		if (row->frame_count == 0)
			text_put(text, " <empty trace>\n");
		else
			text_put(text, " %s.%s\n",
				 top->class_name ? top->class_name
						 : "<Unknown Class>",
				 top->method ? top->method
					     : "<Unknown Method>");
	}
	text_put(text, "CPU SAMPLES END\n");
}

enum hprof_status text_put_profile(struct text_form *text,
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
