/* SPDX-License-Identifier: MIT */
/*
 * export.h - what the forms of hprof-convert share: the job, the input with its
 * diagnostics, and an output that appears either complete or not at all.
 */
#ifndef TOOLS_EXPORT_H
#define TOOLS_EXPORT_H

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/progress.h"

struct export_faults;

/* One conversion, as the command line describes it. */
struct export_stacks;

struct export_job {
	const char *in;	 /* the dump, as given on the command line */
	const char *out; /* a path, or "-" for standard output */
	const char *member;
	unsigned threads;  /* -j; 0: not given */
	bool quiet;	   /* print no warnings and notes */
	bool force;	   /* replace OUT if it exists */
	const char *table; /* csv: the only table to write; NULL: all */
	bool raw_text;	   /* csv: text is not escaped */
	/* csv, sqlite: leave out values of primitive fields */
	bool no_values;
	bool retained;	 /* csv, sqlite: with retained sizes */
	bool waste;	 /* csv, sqlite: with what could be saved */
	unsigned hold;	 /* enum hprof_hold, for retained sizes */
	uint64_t memory; /* as in struct hprof_graph_options */
	/* Stacks that are there already, in place of those of IN; NULL: none. */
	const struct export_stacks *stacks;
	int weight; /* of stacks: enum stack_weight; -1: what the dump has */
	/* hprof: what is to be changed. */
	struct hprof_convert_options changes;
	/* compression, level, threads of the output */
	struct hprof_writer_options packing;
	struct progress *progress;
	struct export_faults *faults;
};

/* A form to which a dump can be converted. */
struct export_form {
	const char *name; /* the word for --to */
	/* suffixes of OUT that choose it: ".json .jsonl" */
	const char *suffixes;
	bool text;  /* may be written to a terminal */
	bool packs; /* its output can be compressed */
	bool gzip;  /* it always is, and by gzip */
	/* Converts. Returns an enum cli_exit, after a message if it failed. */
	int (*run)(struct export_job *job);
};

extern const struct export_form export_hprof;
extern const struct export_form export_recipe;
extern const struct export_form export_csv;
extern const struct export_form export_json;
extern const struct export_form export_sqlite;
extern const struct export_form export_text;
extern const struct export_form export_collapsed;
extern const struct export_form export_pprof;
extern const struct export_form export_flamegraph;

/* Is job->in a recipe, which has to be assembled? */
bool export_is_recipe(const struct export_job *job);
int export_assemble(struct export_job *job);

/* ---- input --------------------------------------------------------------- */

/*
 * The input for PATH with the threads of the job. Readers report their
 * progress.
 */
struct hprof_input export_input(const struct export_job *job, const char *path);

/*
 * Opens job->in with the options HOW, which may be NULL. Diagnostics are
 * printed when they occur, the first few of each code; HOW has no say in that.
 * Returns NULL after a message.
 */
struct hprof_reader *export_reader(struct export_job *job,
				   const struct hprof_reader_options *how);

/*
 * Closes the reader. LAST is what hprof_reader_next returned last. Returns
 * CLI_FINE, CLI_NO if the dump is damaged, or CLI_TROUBLE after a message.
 */
int export_reader_end(struct export_job *job, struct hprof_reader *reader,
		      enum hprof_status last);

/*
 * Returns a path from which the dump that READER has read can be read again
 * until READER is closed. A pipe was copied, if the reader was asked to do so;
 * a file on standard input has been read to its end. PATH is room for the
 * result.
 */
const char *export_second_look(const struct export_job *job,
			       const struct hprof_reader *reader,
			       char path[32]);

/*
 * Prints a diagnostic, for forms that do not use export_reader. USER is the
 * job.
 */
void export_diagnostic(void *user, const struct hprof_diagnostic *diagnostic);

/*
 * Prints how many more diagnostics there were. Returns CLI_NO if there were
 * errors.
 */
int export_diagnostics_end(struct export_job *job);

/* ---- output -------------------------------------------------------------- */

/*
 * Removes the part at PATH, of a directory the tables in it: for
 * output_file_signals.
 */
bool export_part_remove(const char *path, bool directory);

/* Opens job->out, compressed as the job says. Returns NULL after a message. */
struct hprof_output *export_output(struct export_job *job);

/*
 * Finishes the output unless STATUS, the result so far, is CLI_TROUBLE, and
 * frees it. Returns STATUS, or CLI_TROUBLE after a message.
 */
int export_output_end(struct export_job *job, struct hprof_output *output,
		      int status);

/*
 * Prints that job->out could not be written. If the reader of a pipe has gone,
 * there is no message.
 */
void export_output_failed(const struct export_job *job,
			  const struct hprof_error *error);

#endif
