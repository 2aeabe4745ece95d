/* SPDX-License-Identifier: MIT */
/*
 * output.h - where dumps are written to: files, with names that are numbered the
 * way HotSpot does it, and their writers; or the name alone, when the JVM
 * writes; or a connection.
 */
#ifndef AG_OUTPUT_H
#define AG_OUTPUT_H

#include <stdbool.h>

#include "hprof/writer.h"

struct ag_connection;
struct hp_sink;

struct ag_output {
	struct hprof_writer *writer; /* or, for text or the name alone: */
	struct hp_sink *claim;
	struct ag_connection
		*connection; /* that the writer writes to, or NULL */
	int nameless;	     /* the file without a name that the writer writes
				to; 0: there is none */
	bool finished;	     /* the writer was */
	char *path;	     /* for messages: not escaped */
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
 * The same, but without a writer: CLAIM is a sink (io/sink.h) of the part file,
 * for text; or, if it is not written to, reserves the name.
 */
enum hprof_status ag_output_claim(const char *file, bool force, unsigned number,
				  struct ag_output *ret,
				  struct hprof_error *ret_error);

/*
 * The same, to the peer of CONNECTION, which RET occupies: a writer, or a claim
 * if its peer gets text. It is shut down by
 * ag_output_close unless the writer was finished.
 */
enum hprof_status ag_output_connected(struct ag_connection *connection,
				      struct ag_output *ret,
				      struct hprof_error *ret_error);

/*
 * Logs "PATH: no WHAT: WHY". PATH may be NULL; it is escaped, as it may come
 * from anybody who can attach.
 */
void ag_output_say_failed(const char *what, const char *path, const char *why);

/* Finishes the writer or the claim: the dump is whole. */
enum hprof_status ag_output_finish(struct ag_output *output);

/* Why the last call of its writer or claim failed. */
const char *ag_output_error(const struct ag_output *output);

/* What a forked process writes to instead of this one. */
int ag_output_descriptor(const struct ag_output *output);

/* That process has finished the writer (hp_writer_finish_part). */
enum hprof_status ag_output_name(struct ag_output *output);

/* Would it be a file, and no pipe or device? */
bool ag_output_is_file(const char *file);

/*
 * Frees the path and the writer or claim, if there is one, and removes an
 * unfinished file.
 */
void ag_output_close(struct ag_output *output);

#endif
