/* SPDX-License-Identifier: MIT */
/*
 * output.h - the files that dumps go to: their names, numbered as HotSpot
 * does it, and a writer on them.
 */
#ifndef AG_OUTPUT_H
#define AG_OUTPUT_H

#include <stdbool.h>

#include "hprof/writer.h"

struct ag_output {
	struct hprof_writer *writer;
	char *path; /* for messages: not escaped */
};

/*
 * Opens the file of the NUMBERth dump, from 0. FILE is as the option says,
 * NULL for the default; see hprof-agent(7) for names. It is written as
 * PATH.part, of mode 0600, until hprof_writer_finish. On failure *RET_ERROR
 * says why and RET has the path that was tried, or NULL.
 */
enum hprof_status ag_output_open(const char *file, bool force, unsigned number,
				 struct ag_output *ret,
				 struct hprof_error *ret_error);

/* Frees both. What was not finished is removed. */
void ag_output_close(struct ag_output *output);

#endif
