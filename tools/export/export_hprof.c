/* SPDX-License-Identifier: MIT */
/*
 * export_hprof.c - converts a dump to a dump, which the library does.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/input.h"
#include "tools/export/export.h"

static int run(struct export_job *job)
{
	struct hprof_input input = export_input(job, job->in);
	struct hprof_convert_options how = job->changes;
	struct hprof_writer_options output = job->packing;
	struct hprof_error error = { 0 };
	struct stat info;
	bool to_stdout = strcmp(job->out, "-") == 0;
	enum hprof_status status;

	how.size = sizeof(how);
	how.diagnostic = export_diagnostic;
	how.user = job;
	/* A pipe is converted in one pass, without a copy. */
	input.no_copy = !input_is_file(job->in, &info);
	output.size = sizeof(output);
	output.new_only = !job->force;
	status = hprof_convert(&input, to_stdout ? NULL : job->out,
			       STDOUT_FILENO, &output, &how, NULL, &error);
	if (status < 0 && !(to_stdout && error.sys_errno == EPIPE))
		cli_message(
			"%s to %s: %s%s", job->in,
			to_stdout ? "standard output" : job->out, error.text,
			status == HPROF_E_AMBIGUOUS ? " (by --member)" : "");
	if (export_diagnostics_end(job) == CLI_FINE || status < 0)
		return status < 0 ? CLI_TROUBLE : CLI_FINE;
	return CLI_NO;
}

const struct export_form export_hprof = {
	.name = "hprof",
	.suffixes = ".hprof .bin .dump",
	.packs = true,
	.run = run,
};
