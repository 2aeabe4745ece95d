/* SPDX-License-Identifier: MIT */
/*
 * dump_records.c - threads and traces of a dump, as its records stream by; see
 * dump_text.h.
 */
#include <hprof/names.h>

#include "text/dump_text.h"

struct records {
	struct text_writer *text;
	struct hprof_reader *reader;
	struct hprof_names *names;
	bool has_threads;
};

static const char *string_of(const struct records *r, uint64_t id)
{
	return hprof_names_string(r->names, id, NULL);
}

static void put_thread(struct records *r,
		       const struct hprof_start_thread *thread)
{
	const struct text_thread line = {
		.object_id = thread->thread_id,
		.serial = thread->thread_serial,
		.name = string_of(r, thread->name_id),
		.group = string_of(r, thread->group_id),
	};

	r->has_threads = true;
	text_put_thread_start(r->text, &line);
}

static void put_frame(struct records *r, uint64_t id)
{
	const struct hprof_frame *frame = hprof_names_frame(r->names, id);
	const struct hprof_named_class *of =
		frame ? hprof_names_class_by_serial(r->names,
						    frame->class_serial)
		      : NULL;
	struct hprof_stack_frame names = { .line = -1 };

	if (frame)
		names = (struct hprof_stack_frame){
			.class_name = of ? of->name : NULL,
			.method = string_of(r, frame->method_id),
			.source = string_of(r, frame->source_id),
			.line = frame->line,
		};
	text_put_frame(r->text, &names);
}

static void put_trace(struct records *r, const struct hprof_record *record)
{
	const struct hprof_trace *trace = &record->u.trace;
	const struct text_trace head = {
		.serial = trace->trace_serial,
		.thread_serial = trace->thread_serial,
	};
	unsigned width = record->id_size;

	text_put_trace_head(r->text, &head);
	if (!trace->frames.data || trace->frames.size < width)
		text_put_no_frames(r->text);
	else
		for (uint64_t i = 0; i < trace->frames.size / width; i++)
			put_frame(r, hprof_id_at(trace->frames, width, i));
}

static void put_record(struct records *r, const struct hprof_record *record)
{
	if (record->tag == HPROF_START_THREAD)
		put_thread(r, &record->u.start_thread);
	else if (record->tag == HPROF_END_THREAD)
		text_put_thread_end(r->text,
				    record->u.end_thread.thread_serial);
	else if (record->tag == HPROF_TRACE)
		put_trace(r, record);
}

static enum hprof_status put_all(struct records *r)
{
	struct hprof_record record;
	enum hprof_status status = HPROF_OK;

	while (r->text->status == HPROF_OK) {
		status = hprof_reader_next(r->reader, &record);
		if (status != HPROF_OK)
			break;
		if (record.tag >= HPROF_SUB)
			continue;
		status = hprof_names_learn(r->names, &record);
		if (status < 0)
			break;
		status = HPROF_OK;
		put_record(r, &record);
	}
	return status;
}

enum hprof_status text_put_records(struct text_writer *w,
				   struct hprof_reader *reader,
				   bool *ret_threads)
{
	struct records r = { .text = w, .reader = reader };
	enum hprof_status status = hprof_names_new(&r.names, NULL);

	if (status < 0)
		return status;
	status = put_all(&r);
	hprof_names_free(r.names);
	*ret_threads = r.has_threads;
	return status;
}
