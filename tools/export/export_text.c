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
#include "tools/export/text_form.h"

enum { LOOK = 4096 };

/* ---- what stands before all ---------------------------------------------- */

static void put_prelude(struct text_form *text,
			const struct hprof_header *header)
{
	text_put(text, "%s, created ", header->version);
	text_put_time(text, header, 0);
	text_put(text,
		 "\nA heap dump as text. Identifiers are hexadecimal.\n\n"
		 "THREAD START, THREAD END\n"
		 "  A thread: its object, number, name and group.\n"
		 "TRACE\n"
		 "  A stack by its number, the innermost frame first.\n"
		 "HEAP DUMP\n"
		 "  ROOT  an object that is alive of itself, and why\n"
		 "  CLS   a class: superclass, loader, signers, protection "
		 "domain, statics\n"
		 "  OBJ   an instance: size, stack where it was made, class, "
		 "fields\n"
		 "  ARR   an array: size, stack, length, class of elements, "
		 "elements\n"
		 "  References that are null are left out.\n"
		 "SITES\n"
		 "  Where objects were made: now alive, and all since the "
		 "start.\n"
		 "CPU SAMPLES\n"
		 "  Which stacks were seen running, and how often.\n"
		 "\n--------\n\n");
}

/* ---- records ------------------------------------------------------------- */

static const char *string_of(const struct text_form *text, uint64_t id)
{
	return hprof_names_string(text->names, id, NULL);
}

static const char *or_empty(const char *name)
{
	return name ? name : "";
}

static void put_thread(struct text_form *text,
		       const struct hprof_start_thread *thread)
{
	text->has_threads = true;
	text_put(text,
		 "THREAD START (obj=%x, id = %u, name=\"%s\", "
		 "group=\"%s\")\n",
		 thread->thread_id, (uint64_t)thread->thread_serial,
		 or_empty(string_of(text, thread->name_id)),
		 or_empty(string_of(text, thread->group_id)));
}

static void put_frame(struct text_form *text, uint64_t id)
{
	const struct hprof_frame *frame = hprof_names_frame(text->names, id);
	const struct hprof_named_class *of =
		frame ? hprof_names_class_by_serial(text->names,
						    frame->class_serial)
		      : NULL;
	struct hprof_stack_frame names = { .line = -1 };

	if (frame)
		names = (struct hprof_stack_frame){
			.class_name = of ? of->name : NULL,
			.method = string_of(text, frame->method_id),
			.source = string_of(text, frame->source_id),
			.line = frame->line,
		};
	text_put_frame(text, &names);
}

static void put_trace(struct text_form *text, const struct hprof_record *record)
{
	const struct hprof_trace *trace = &record->u.trace;
	unsigned width = record->id_size;

	text_put(text, "TRACE %u:", (uint64_t)trace->trace_serial);
	if (trace->thread_serial)
		text_put(text, " (thread=%u)", (uint64_t)trace->thread_serial);
	text_put(text, "\n");
	if (!trace->frames.data || trace->frames.size < width)
		text_put(text, "\t<empty>\n");
	else
		for (uint64_t i = 0; i < trace->frames.size / width; i++)
			put_frame(text, hprof_id_at(trace->frames, width, i));
}

static enum hprof_status put_records(struct text_form *text,
				     struct hprof_reader *reader)
{
	struct hprof_record record;
	enum hprof_status status = HPROF_OK;

	while (text->status == HPROF_OK) {
		status = hprof_reader_next(reader, &record);
		if (status != HPROF_OK)
			break;
		if (record.tag >= HPROF_SUB)
			continue;
		if (hprof_names_learn(text->names, &record) < 0)
			cli_out_of_memory();
		if (record.tag == HPROF_START_THREAD)
			put_thread(text, &record.u.start_thread);
		else if (record.tag == HPROF_END_THREAD)
			text_put(text, "THREAD END (id = %u)\n",
				 (uint64_t)record.u.end_thread.thread_serial);
		else if (record.tag == HPROF_TRACE)
			put_trace(text, &record);
	}
	return status;
}

/* ---- the heap ------------------------------------------------------------ */

static bool put_sections(struct text_form *text, const char *path,
			 unsigned dump)
{
	struct export_heap heap;
	struct hprof_error error = { 0 };
	enum hprof_status status = HPROF_OK;

	if (!export_heap_open_path(&heap, text->job, path, dump))
		return false;
	if (!text->has_threads)
		status = text_put_threads(text, &heap, &error);
	if (status == HPROF_OK)
		status = text_put_heap(text, &heap, &error);
	if (status == HPROF_OK)
		status = text_put_profile(text, &heap, &error);
	export_heap_close(&heap);
	if (status < 0)
		cli_message("%s: %s", text->job->in, error.text);
	return status >= 0;
}

static bool put_all(struct text_form *text, struct hprof_reader *reader,
		    enum hprof_status *ret_last)
{
	struct hprof_reader_info info;
	char path[32];

	put_prelude(text, hprof_reader_header(reader));
	*ret_last = put_records(text, reader);
	hprof_reader_get_info(reader, &info);
	return *ret_last >= 0 && text->status == HPROF_OK &&
	       put_sections(text, export_second_look(text->job, reader, path),
			    info.dump);
}

static int convert(struct export_job *job, struct hprof_output *output)
{
	const bool pipe = job->in[0] == '-';
	const struct hprof_reader_options how = { .size = sizeof(how),
						  .keep_copy = pipe };
	struct text_form text = { .job = job, .output = output };
	struct hprof_reader *reader = export_reader(job, &how);
	enum hprof_status last;
	bool done;
	int status;

	if (!reader)
		return CLI_TROUBLE;
	if (hprof_names_new(&text.names, NULL) < 0)
		cli_out_of_memory();
	done = put_all(&text, reader, &last);
	if (text.status < 0)
		export_output_failed(job, hprof_output_error(output));
	status = export_reader_end(job, reader, last);
	hprof_names_free(text.names);
	return done && text.status == HPROF_OK ? status : CLI_TROUBLE;
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
