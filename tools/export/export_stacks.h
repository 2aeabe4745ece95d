/* SPDX-License-Identifier: MIT */
/*
 * export_stacks.h - the input of the forms that are made of weighted stacks:
 * collapsed, pprof and flamegraph.
 */
#ifndef TOOLS_EXPORT_STACKS_H
#define TOOLS_EXPORT_STACKS_H

#include "tools/export/export.h"
#include "tools/stacks/stack_tree.h"

struct export_stacks {
	struct stack_tree tree;
	size_t measure;	  /* the one that the job wants */
	uint64_t time_ms; /* of the dump */
};

/*
 * Reads job->in and fills RET, which export_stacks_free frees. LINES: frames of
 * one method differ by their line. Returns CLI_FINE; CLI_NO if the dump is
 * damaged; CLI_TROUBLE after a message, and then RET is not to be freed.
 */
int export_stacks_read(struct export_job *job, bool lines,
		       struct export_stacks *ret);
void export_stacks_free(struct export_stacks *stacks);

/*
 * A form that is made of stacks: reads them, and has WRITE write them to an
 * output, after which it is finished. Returns an enum cli_exit.
 */
int export_stacks_run(
	struct export_job *job, bool lines,
	enum hprof_status (*write)(struct hprof_output *output,
				   const struct export_stacks *stacks));

/* Writes NAME so that it is safe on a terminal, with ';' as \u003b. */
enum hprof_status export_stacks_name(struct hprof_output *output,
				     const char *name);

#endif
