/* SPDX-License-Identifier: MIT */
/*
 * profile_output.h - what becomes of a profile that was taken: a table, an object
 * of JSON, a file in some form.
 */
#ifndef TOOLS_PROFILE_OUTPUT_H
#define TOOLS_PROFILE_OUTPUT_H

#include "tools/capture/profile_take.h"
#include "tools/common/cli.h"

/* The words of "to", as CLI_CHOICE has them. */
#define PROFILE_FORMS "binary|text|collapsed|pprof|flamegraph"

struct profile_output {
	const char *path;     /* NULL: no file; "-": standard output */
	struct cli_choice to; /* not given: by the suffix */
	bool force;
	bool cpu, live, monitor; /* which profile it is */
	bool json, quiet;
	size_t rows; /* of a table; 0: all */
};

/* Can such a profile have the form with that number in PROFILE_FORMS? */
bool profile_output_has_form(unsigned to, bool monitor);

/* Prints the table. False after a message. */
bool profile_output_table(const struct profile_output *output,
			  const struct profile_taken *taken);

/* Writes the file, and prints what is to be printed. An enum cli_exit. */
int profile_output_put(const struct profile_output *output,
		       const struct profile_taken *taken);

#endif
