/* SPDX-License-Identifier: MIT */
/*
 * export.c - see export.h.
 *
 * Diagnostics are printed when they occur, since nothing else of the dump stays
 * in memory: the first few of each code, and at the end how many more there
 * were.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/export/export.h"
#include "tools/common/diagnostics.h"
#include "tools/common/input.h"
#include "tools/common/output_file.h"

enum { LINES_MAX = 5, CODES_MAX = 128 };

struct export_faults {
	size_t count;
	uint64_t errors;
	struct {
		const char *code;
		enum hprof_severity severity;
		uint64_t count;
	} codes[CODES_MAX];
};

/* ---- faults -------------------------------------------------------------- */

static struct export_faults *faults_of(struct export_job *job)
{
	if (!job->faults)
		job->faults = cli_calloc(1, sizeof(*job->faults));
	return job->faults;
}

/* Counts a diagnostic. Returns how many of its code there were before. */
static uint64_t note(struct export_faults *faults,
		     const struct hprof_diagnostic *diagnostic)
{
	size_t i = 0;

	if (diagnostic->severity == HPROF_ERROR)
		faults->errors++;
	while (i < faults->count &&
	       strcmp(faults->codes[i].code, diagnostic->code) != 0)
		i++;
	if (i == CODES_MAX)
		return LINES_MAX;
	if (i == faults->count) {
		faults->codes[i].code = cli_strdup(diagnostic->code);
		faults->codes[i].severity = diagnostic->severity;
		faults->count++;
	}
	return faults->codes[i].count++;
}

void export_diagnostic(void *user, const struct hprof_diagnostic *diagnostic)
{
	struct export_job *job = user;
	struct hprof_kept_diagnostic kept = {
		.severity = diagnostic->severity,
		.number = diagnostic->number,
		.code = diagnostic->code,
		.offset = diagnostic->offset,
		.text = diagnostic->text,
	};

	if (note(faults_of(job), diagnostic) < LINES_MAX)
		diagnostics_print(job->in, &kept, 1, job->quiet);
}

int export_diagnostics_end(struct export_job *job)
{
	struct export_faults *faults = faults_of(job);
	bool damaged = faults->errors > 0;

	for (size_t i = 0; i < faults->count; i++) {
		enum hprof_severity severity = faults->codes[i].severity;
		if (faults->codes[i].count > LINES_MAX &&
		    severity != HPROF_NOTE &&
		    (severity == HPROF_ERROR || !job->quiet))
			cli_message("%s: %s: %" PRIu64 " more like this [%s]",
				    job->in, diagnostics_severity(severity),
				    faults->codes[i].count - LINES_MAX,
				    faults->codes[i].code);
		free((void *)(uintptr_t)faults->codes[i].code);
	}
	free(faults);
	job->faults = NULL;
	return damaged ? CLI_NO : CLI_FINE;
}

/* ---- input --------------------------------------------------------------- */

struct hprof_input export_input(const struct export_job *job, const char *path)
{
	struct hprof_input input = hprof_input_path(path);

	input.member = job->member;
	input.threads = job->threads ? job->threads : 2;
	input.progress = progress_bytes;
	input.progress_user = job->progress;
	return input;
}

struct hprof_reader *export_reader(struct export_job *job,
				   const struct hprof_reader_options *how)
{
	struct hprof_input input = export_input(job, job->in);
	struct hprof_reader_options options = { 0 };
	struct hprof_reader *reader = NULL;
	struct hprof_error error;
	enum hprof_status status;

	if (how)
		options = *how;
	options.size = sizeof(options);
	options.diagnostic = export_diagnostic;
	options.user = job;
	status = hprof_reader_open(&input, &options, &reader, &error);
	if (status >= 0)
		return reader;
	input_print_failure(job->in, status, &error);
	export_diagnostics_end(job);
	return NULL;
}

int export_reader_end(struct export_job *job, struct hprof_reader *reader,
		      enum hprof_status last)
{
	int status = CLI_TROUBLE;

	if (last < 0)
		input_print_failure(job->in, last, hprof_reader_error(reader));
	if (export_diagnostics_end(job) == CLI_FINE && last >= 0)
		status = CLI_FINE;
	else if (last >= 0)
		status = CLI_NO;
	hprof_reader_close(reader);
	return status;
}

const char *export_second_look(const struct export_job *job,
			       const struct hprof_reader *reader, char path[32])
{
	int copy = hprof_reader_copy(reader);

	if (copy < 0 && job->in[0] == '-' && (!job->in[1] || job->in[1] == '#'))
		copy = 0;
	if (copy < 0)
		return job->in;
	snprintf(path, 32, "/dev/fd/%d", copy);
	return path;
}

/* ---- output -------------------------------------------------------------- */

void export_output_failed(const struct export_job *job,
			  const struct hprof_error *error)
{
	bool is_stdout = strcmp(job->out, "-") == 0;

	if (is_stdout && error->sys_errno == EPIPE)
		return;
	cli_message("%s: %s", is_stdout ? "standard output" : job->out,
		    error->text);
}

struct hprof_output *export_output(struct export_job *job)
{
	struct hprof_writer_options how = job->packing;
	struct hprof_output *output = NULL;
	struct hprof_error error;
	enum hprof_status status;

	how.size = sizeof(how);
	how.new_only = !job->force && !output_file_is_special(job->out);
	if (strcmp(job->out, "-") == 0)
		status = hprof_output_open_fd(STDOUT_FILENO, &how, &output,
					      &error);
	else
		status = hprof_output_create(job->out, &how, &output, &error);
	if (status < 0)
		export_output_failed(job, &error);
	return status < 0 ? NULL : output;
}

int export_output_end(struct export_job *job, struct hprof_output *output,
		      int status)
{
	if (status != CLI_TROUBLE && hprof_output_finish(output) < 0) {
		export_output_failed(job, hprof_output_error(output));
		status = CLI_TROUBLE;
	}
	hprof_output_free(output);
	return status;
}
