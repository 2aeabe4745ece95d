/* SPDX-License-Identifier: MIT */
/*
 * export_text.c - the text that the JDK's old hprof agent wrote with format=a,
 * for programs that read it.
 *
 * First the records are read, and threads and traces are printed. The section
 * of the heap needs totals and the layouts of classes that may come later in
 * the file, so it is made from the heap. Profiles come last, as the agent wrote
 * them when the JVM ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export/export.h"
#include "tools/export/export_text.h"

enum { LOOK = 4096 };

/* The text, and what is learnt as the records stream by. */
struct conversion {
	struct export_job *job;
	struct text_writer text;
	struct hprof_names *names;
	bool has_threads; /* the dump has START_THREAD records */
};

/* ---- records ------------------------------------------------------------- */

static const char *string_of(const struct conversion *c, uint64_t id)
{
	return hprof_names_string(c->names, id, NULL);
}

static void put_thread(struct conversion *c,
		       const struct hprof_start_thread *thread)
{
	const struct text_thread line = {
		.object_id = thread->thread_id,
		.serial = thread->thread_serial,
		.name = string_of(c, thread->name_id),
		.group = string_of(c, thread->group_id),
	};

	c->has_threads = true;
	text_put_thread_start(&c->text, &line);
}

static void put_frame(struct conversion *c, uint64_t id)
{
	const struct hprof_frame *frame = hprof_names_frame(c->names, id);
	const struct hprof_named_class *of =
		frame ? hprof_names_class_by_serial(c->names,
						    frame->class_serial)
		      : NULL;
	struct hprof_stack_frame names = { .line = -1 };

	if (frame)
		names = (struct hprof_stack_frame){
			.class_name = of ? of->name : NULL,
			.method = string_of(c, frame->method_id),
			.source = string_of(c, frame->source_id),
			.line = frame->line,
		};
	text_put_frame(&c->text, &names);
}

static void put_trace(struct conversion *c, const struct hprof_record *record)
{
	const struct hprof_trace *trace = &record->u.trace;
	const struct text_trace head = {
		.serial = trace->trace_serial,
		.thread_serial = trace->thread_serial,
	};
	unsigned width = record->id_size;

	text_put_trace_head(&c->text, &head);
	if (!trace->frames.data || trace->frames.size < width)
		text_put_no_frames(&c->text);
	else
		for (uint64_t i = 0; i < trace->frames.size / width; i++)
			put_frame(c, hprof_id_at(trace->frames, width, i));
}

static enum hprof_status put_records(struct conversion *c,
				     struct hprof_reader *reader)
{
	struct hprof_record record;
	enum hprof_status status = HPROF_OK;

	while (c->text.status == HPROF_OK) {
		status = hprof_reader_next(reader, &record);
		if (status != HPROF_OK)
			break;
		if (record.tag >= HPROF_SUB)
			continue;
		if (hprof_names_learn(c->names, &record) < 0)
			cli_out_of_memory();
		if (record.tag == HPROF_START_THREAD)
			put_thread(c, &record.u.start_thread);
		else if (record.tag == HPROF_END_THREAD)
			text_put_thread_end(&c->text,
					    record.u.end_thread.thread_serial);
		else if (record.tag == HPROF_TRACE)
			put_trace(c, &record);
	}
	return status;
}

/* ---- the heap ------------------------------------------------------------ */

static bool put_sections(struct conversion *c, const char *path, unsigned dump)
{
	struct export_heap heap;
	struct hprof_error error = { 0 };
	enum hprof_status status = HPROF_OK;

	if (!export_heap_open_path(&heap, c->job, path, dump))
		return false;
	if (!c->has_threads)
		status = export_text_threads(&c->text, &heap, &error);
	if (status == HPROF_OK)
		status = export_text_heap(&c->text, c->job, &heap, &error);
	if (status == HPROF_OK)
		status = export_text_profile(&c->text, &heap, &error);
	export_heap_close(&heap);
	if (status < 0)
		cli_message("%s: %s", c->job->in, error.text);
	return status >= 0;
}

static bool put_all(struct conversion *c, struct hprof_reader *reader,
		    enum hprof_status *ret_last)
{
	const struct hprof_header *header = hprof_reader_header(reader);
	struct hprof_reader_info info;
	char path[32];

	text_put_prelude(&c->text, header->version, header->time_ms);
	*ret_last = put_records(c, reader);
	hprof_reader_get_info(reader, &info);
	return *ret_last >= 0 && c->text.status == HPROF_OK &&
	       put_sections(c, export_second_look(c->job, reader, path),
			    info.dump);
}

static enum hprof_status write_text(void *output, const void *bytes,
				    size_t size)
{
	return hprof_output_write(output, bytes, size);
}

static int convert(struct export_job *job, struct hprof_output *output)
{
	const bool pipe = job->in[0] == '-';
	const struct hprof_reader_options how = { .size = sizeof(how),
						  .keep_copy = pipe };
	struct conversion c = {
		.job = job, .text = { .write = write_text, .user = output }
	};
	struct hprof_reader *reader = export_reader(job, &how);
	enum hprof_status last;
	bool done;
	int status;

	if (!reader)
		return CLI_TROUBLE;
	if (hprof_names_new(&c.names, NULL) < 0)
		cli_out_of_memory();
	done = put_all(&c, reader, &last);
	if (text_flush(&c.text) < 0)
		export_output_failed(job, hprof_output_error(output));
	status = export_reader_end(job, reader, last);
	hprof_names_free(c.names);
	return done && c.text.status == HPROF_OK ? status : CLI_TROUBLE;
}

static int run_text(struct export_job *job)
{
	struct hprof_output *output = export_output(job);

	return output ? export_output_end(job, output, convert(job, output))
		      : CLI_TROUBLE;
}

const struct export_form export_text = {
	.name = "text",
	.suffixes = ".txt",
	.text = true,
	.packs = true,
	.run = run_text,
};
