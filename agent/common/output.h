/* SPDX-License-Identifier: MIT */
/*
 * output.h - the files that dumps are written to: their names, numbered the way
 * HotSpot does it, and their writers.
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
 * Opens the file of the NUMBERth dump, from 0. FILE is the value of the option,
 * NULL for the default; hprof-agent(7) describes the names. The dump is written
 * to PATH.part, of mode 0600, until hprof_writer_finish. On failure *RET_ERROR
 * says why and RET has the path that was tried, or NULL.
 */
enum hprof_status ag_output_open(const char *file, bool force, unsigned number,
				 struct ag_output *ret,
				 struct hprof_error *ret_error);

/* Frees the path and the writer, and removes an unfinished file. */
void ag_output_close(struct ag_output *output);

#endif
