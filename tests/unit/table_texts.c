/* SPDX-License-Identifier: MIT */
/*
 * table_texts.c - see table_texts.h.
 */
#include "table_texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

static void put(struct buffer *b, const char *text)
{
	buffer_add(b, text, strlen(text));
}

static void put_field(struct buffer *b, const char *before, const char *text)
{
	put(b, before);
	put(b, text ? text : "-");
}

static void put_row(struct buffer *b, const struct hprof_thread_row *row)
{
	char text[160];

	snprintf(text, sizeof text, "%" PRIu32 " %" PRIx64, row->thread_serial,
		 row->object_id);
	put(b, text);
	put_field(b, " ", row->class_name);
	put_field(b, " '", row->name);
	put(b, "'");
	if (row->has_details) {
		snprintf(text, sizeof text,
			 "%s prio=%" PRId32 " tid=%" PRIu64 " %" PRIx32,
			 row->daemon ? " daemon" : "", row->priority, row->tid,
			 row->status);
		put(b, text);
	}
	put(b, "\n");
	for (size_t i = 0; i < row->frame_count; i++) {
		const struct hprof_stack_frame *frame = &row->frames[i];
		put_field(b, "  ", frame->class_name);
		put_field(b, ".", frame->method);
		put_field(b, "", frame->signature);
		put_field(b, " ", frame->source);
		snprintf(text, sizeof text, ":%" PRId32 "\n", frame->line);
		put(b, text);
	}
}

char *threads_text(const struct hprof_summary *summary)
{
	struct hprof_thread_table *table = NULL;
	struct hprof_error error;
	struct buffer b = { 0 };
	char text[32];
	enum hprof_status status =
		hprof_summary_threads(summary, &table, &error);

	if (status < 0) {
		snprintf(text, sizeof text, "FAILED %d\n", status);
		put(&b, text);
	}
	for (size_t i = 0; table && i < table->count; i++)
		put_row(&b, &table->rows[i]);
	hprof_thread_table_free(table);
	buffer_add(&b, "", 1);
	return (char *)b.bytes;
}

char *properties_text(const struct hprof_summary *summary)
{
	struct hprof_property_table *table = NULL;
	struct hprof_error error;
	struct buffer b = { 0 };
	char text[32];
	enum hprof_status status =
		hprof_summary_properties(summary, &table, &error);

	if (status < 0) {
		snprintf(text, sizeof text, "FAILED %d\n", status);
		put(&b, text);
	}
	for (size_t i = 0; table && i < table->count; i++) {
		put(&b, table->rows[i].key);
		put_field(&b, "=", table->rows[i].value);
		put(&b, "\n");
	}
	hprof_property_table_free(table);
	buffer_add(&b, "", 1);
	return (char *)b.bytes;
}

char *loaders_text(const struct hprof_summary *summary)
{
	struct hprof_loader_table *table = NULL;
	struct hprof_error error;
	struct buffer b = { 0 };
	char text[32];
	enum hprof_status status =
		hprof_summary_loaders(summary, &table, &error);

	if (status < 0) {
		snprintf(text, sizeof text, "FAILED %d\n", status);
		put(&b, text);
	}
	for (size_t i = 0; table && i < table->count; i++) {
		snprintf(text, sizeof text, "%" PRIx64,
			 table->rows[i].loader_id);
		put(&b, text);
		put_field(&b, " ", table->rows[i].class_name);
		put_field(&b, " ", table->rows[i].name);
		put(&b, "\n");
	}
	hprof_loader_table_free(table);
	buffer_add(&b, "", 1);
	return (char *)b.bytes;
}

char *outside_text(const struct hprof_summary *summary)
{
	struct hprof_outside_table *table = NULL;
	struct buffer b = { 0 };
	char text[64];
	enum hprof_status status = hprof_summary_outside(summary, &table, NULL);

	if (status < 0) {
		snprintf(text, sizeof text, "FAILED %d\n", status);
		put(&b, text);
	}
	for (size_t i = 0; table && i < HPROF_OUTSIDE_KINDS; i++) {
		snprintf(text, sizeof text, "%" PRIu64 " in %" PRIu64 "\n",
			 table->kinds[i].bytes, table->kinds[i].buffers);
		put(&b, text);
	}
	hprof_outside_table_free(table);
	buffer_add(&b, "", 1);
	return (char *)b.bytes;
}
