/* SPDX-License-Identifier: MIT */
/*
 * export_stacks.c - see export_stacks.h.
 */
#include "tools/export/export_stacks.h"

#include <string.h>

#include "tools/common/diagnostics.h"
#include "tools/common/escape.h"
#include "tools/common/input.h"
#include "tools/export/export_heap.h"
#include "tools/stacks/dominator_stacks.h"
#include "tools/stacks/stack_source.h"

/* ---- reading ------------------------------------------------------------- */

static bool read_dominators(const struct export_job *job,
			    struct export_heap *heap, struct export_stacks *ret)
{
	const struct hprof_graph_options how = {
		.size = sizeof(how),
		.threads = job->threads,
		.hold = job->hold,
		.dominators = true,
		.memory = job->memory,
		.progress = progress_phase,
		.progress_user = job->progress,
	};
	const struct dominator_stacks by_class = { .tree = &ret->tree };
	struct hprof_dominator_kinds *kinds;
	struct hprof_error error = { 0 };
	enum hprof_status status =
		hprof_graph_build(heap->heap, &how, &heap->graph, &error);

	if (status == HPROF_OK)
		status =
			hprof_dominator_kinds_read(heap->graph, &kinds, &error);
	if (status == HPROF_OK) {
		dominator_stacks_make(&by_class, hprof_heap_summary(heap->heap),
				      kinds);
		hprof_dominator_kinds_free(kinds);
	}
	if (status < 0)
		input_print_failure(job->in, status, &error);
	return status >= 0;
}

static bool read_stacks(const struct export_job *job, struct export_heap *heap,
			struct export_stacks *ret)
{
	struct hprof_profile_table *profile;
	struct hprof_error error = { 0 };
	enum stack_weight weight;
	enum hprof_status status = hprof_summary_profile(
		hprof_heap_summary(heap->heap), &profile, &error);
	bool done;

	if (status < 0) {
		input_print_failure(job->in, status, &error);
		return false;
	}
	weight = job->weight >= 0 ? (enum stack_weight)job->weight
				  : stack_weight_default(profile);
	done = weight == STACK_RETAINED
		       ? read_dominators(job, heap, ret)
		       : stack_source_profile(&ret->tree, profile, weight,
					      &ret->measure) ||
				 stack_source_empty(&ret->tree, profile, weight,
						    &ret->measure);
	if (!done && weight != STACK_RETAINED)
		cli_message("%s: there are no %s in it", job->in,
			    weight == STACK_SAMPLES ? "CPU samples"
						    : "allocation sites");
	hprof_profile_table_free(profile);
	return done;
}

int export_stacks_read(struct export_job *job, bool lines,
		       struct export_stacks *ret)
{
	const struct hprof_summary *summary;
	struct export_heap heap;
	int status;

	if (!export_heap_open_path(&heap, job, job->in, 0))
		return CLI_TROUBLE;
	summary = hprof_heap_summary(heap.heap);
	diagnostics_print(job->in, summary->diagnostics,
			  summary->diagnostic_count, job->quiet);
	*ret = (struct export_stacks){ .time_ms = summary->header.time_ms };
	stack_tree_init(&ret->tree, lines);
	status = export_heap_status(&heap);
	if (!read_stacks(job, &heap, ret)) {
		export_stacks_free(ret);
		status = CLI_TROUBLE;
	}
	export_heap_close(&heap);
	return status;
}

void export_stacks_free(struct export_stacks *stacks)
{
	stack_tree_free(&stacks->tree);
}

/* ---- writing ------------------------------------------------------------- */

typedef enum hprof_status write_fn(struct hprof_output *output,
				   const struct export_stacks *stacks);

static int put_stacks(struct export_job *job,
		      const struct export_stacks *stacks, int status,
		      write_fn *write)
{
	struct hprof_output *output = export_output(job);

	if (!output)
		return CLI_TROUBLE;
	if (write(output, stacks) < 0) {
		export_output_failed(job, hprof_output_error(output));
		status = CLI_TROUBLE;
	}
	return export_output_end(job, output, status);
}

int export_stacks_run(
	struct export_job *job, bool lines,
	enum hprof_status (*write)(struct hprof_output *output,
				   const struct export_stacks *stacks))
{
	struct export_stacks read;
	int status;

	if (job->stacks)
		return put_stacks(job, job->stacks, CLI_FINE, write);
	status = export_stacks_read(job, lines, &read);
	if (status == CLI_TROUBLE)
		return status;
	status = put_stacks(job, &read, status, write);
	export_stacks_free(&read);
	return status;
}

enum hprof_status export_stacks_name(struct hprof_output *output,
				     const char *name)
{
	size_t size = strlen(name);
	char piece[ESCAPE_MAX];
	enum hprof_status status = HPROF_OK;

	while (status == HPROF_OK && size > 0) {
		size_t length;

		if (*name == ';') {
			name++;
			size--;
			status = hprof_output_write(output, "\\u003b", 6);
			continue;
		}
		length = escape_next(&name, &size, ESCAPE_TERMINAL, piece);
		status = hprof_output_write(output, piece, length);
	}
	return status;
}
