/* SPDX-License-Identifier: MIT */
/*
 * output.h - the files that dumps are written to: their names, numbered the way
 * HotSpot does it, and their writers; or the name alone, when the JVM writes.
 */
#ifndef AG_OUTPUT_H
#define AG_OUTPUT_H

#include <stdbool.h>

#include "hprof/writer.h"

struct hp_sink;

struct ag_output {
	struct hprof_writer *writer; /* or: */
	struct hp_sink *claim;
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

/*
 * The same, but without a writer: the name is reserved by an empty part file,
 * and CLAIM is a file sink (io/sink.h). Not for pipes and devices.
 */
enum hprof_status ag_output_claim(const char *file, bool force, unsigned number,
				  struct ag_output *ret,
				  struct hprof_error *ret_error);

/* Would it be a file, and no pipe or device? */
bool ag_output_is_file(const char *file);

/* Frees the path and the writer or claim, and removes an unfinished file. */
void ag_output_close(struct ag_output *output);

#endif
