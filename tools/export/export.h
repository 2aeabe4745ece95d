/* SPDX-License-Identifier: MIT */
/*
 * export.h - what the forms of hprof-convert share: the job, the input with
 * its faults told, and an output that appears whole or not at all.
 */
#ifndef TOOLS_EXPORT_H
#define TOOLS_EXPORT_H

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/progress.h"

struct export_faults;

/* What the command line asks for. */
struct export_job {
	const char *in;	 /* the dump argument */
	const char *out; /* a path, or "-" */
	const char *member;
	unsigned threads;  /* -j; 0: not given */
	bool quiet;	   /* no warnings and notes */
	bool force;	   /* OUT may exist */
	const char *table; /* csv: the only one; NULL: all */
	bool no_values;	   /* tables: leave values of fields out */
	bool retained;	   /* tables: with retained sizes */
	unsigned hold;	   /* enum hprof_hold, for these */
	uint64_t memory;   /* as in struct hprof_graph_options */
	/* hprof: what changes; input and progress are not set */
	struct hprof_convert_options changes;
	struct hprof_writer_options packing; /* compression, level, threads */
	struct progress *progress;
	struct export_faults *faults;
};

/* A form that a dump can be converted to. */
struct export_form {
	const char *name;     /* for --to */
	const char *suffixes; /* of OUT: ".json .jsonl" */
	bool text;	      /* may go to a terminal */
	bool packs;	      /* can be compressed on the way */
	/* An enum cli_exit; says itself what went wrong. */
	int (*run)(struct export_job *job);
};

extern const struct export_form export_hprof;
extern const struct export_form export_recipe;
extern const struct export_form export_csv;
extern const struct export_form export_json;
extern const struct export_form export_sqlite;
extern const struct export_form export_text;

/* Is job->in a recipe? Then it is not read as a dump, but assembled. */
bool export_is_recipe(const struct export_job *job);
int export_assemble(struct export_job *job);

/* ---- input ---------------------------------------------------------------- */

/* PATH as the job says; readers of it tell the progress. */
struct hprof_input export_input(const struct export_job *job, const char *path);

/*
 * Opens job->in. HOW (may be NULL) is taken over but for the size and
 * diagnostics, which are printed as they come, the first few of
 * each code. NULL after a message.
 */
struct hprof_reader *export_reader(struct export_job *job,
				   const struct hprof_reader_options *how);

/*
 * Closes the reader. LAST is what hprof_reader_next said last. CLI_FINE,
 * CLI_NO if the dump is damaged, CLI_TROUBLE after a message.
 */
int export_reader_end(struct export_job *job, struct hprof_reader *reader,
		      enum hprof_status last);

/*
 * Where the dump that READER has read can be read again, while that lives: a
 * pipe was copied, if the reader was asked to, and a file that is standard
 * input has been read to its end. PATH is room for it.
 */
const char *export_second_look(const struct export_job *job,
			       const struct hprof_reader *reader,
			       char path[32]);

/* For whom reads otherwise: prints a diagnostic; USER is the job. */
void export_diagnostic(void *user, const struct hprof_diagnostic *diagnostic);

/* How many more there were; CLI_NO if errors were among them. */
int export_diagnostics_end(struct export_job *job);

/* ---- output --------------------------------------------------------------- */

/*
 * Is job->out, or the part file that it is written as, job->in itself, by
 * whatever name? Says so.
 */
bool export_is_same_file(const struct export_job *job);

/* Opens job->out, compressed as the job says. NULL after a message. */
struct hprof_output *export_output(struct export_job *job);

/*
 * Finishes the output if STATUS, of what was written to it, is not
 * CLI_TROUBLE; frees it. STATUS, or CLI_TROUBLE after a message.
 */
int export_output_end(struct export_job *job, struct hprof_output *output,
		      int status);

/* Says that job->out could not be written. A closed pipe needs no message. */
void export_output_failed(const struct export_job *job,
			  const struct hprof_error *error);

#endif
