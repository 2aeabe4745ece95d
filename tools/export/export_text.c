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

#include "text/dump_text.h"
#include "tools/export/export.h"
#include "tools/export/export_text.h"

struct conversion {
	struct export_job *job;
	struct text_writer text;
	bool has_threads; /* the dump has START_THREAD records */
};

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
		status = text_put_heap(&c->text, heap.heap, progress_phase,
				       c->job->progress, &error);
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
	*ret_last = text_put_records(&c->text, reader, &c->has_threads);
	if (*ret_last == HPROF_E_NOMEM)
		cli_out_of_memory();
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
	done = put_all(&c, reader, &last);
	if (text_flush(&c.text) < 0)
		export_output_failed(job, hprof_output_error(output));
	status = export_reader_end(job, reader, last);
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
