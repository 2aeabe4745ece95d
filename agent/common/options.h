/* SPDX-License-Identifier: MIT */
/*
 * options.h - the agent's options, in the grammar of the JDK's old agent:
 * NAME=VALUE, separated by commas. Knows nothing of the JVM.
 */
#ifndef AG_OPTIONS_H
#define AG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct ag_options {
	char *file;   /* NULL: java_pidPID.hprof */
	bool force;   /* replace files */
	bool at_exit; /* doe */
	bool at_oome; /* oome */
	bool verbose;
	bool live;	/* only what can be reached */
	bool constants; /* constpool */
	unsigned id_size;

	/* Was it said, or is it the default? */
	bool at_exit_given, at_oome_given;
};

enum ag_options_status {
	AG_OPTIONS_OK,
	AG_OPTIONS_HELP, /* help was asked for */
	AG_OPTIONS_WRONG
};

/*
 * TEXT as the JVM hands it over, NULL for none. RET is filled in any case and
 * freed by ag_options_free. AG_OPTIONS_WRONG: MESSAGE, of ROOM bytes (200 are
 * plenty), names the option, fit for a terminal.
 */
enum ag_options_status ag_options_parse(const char *text,
					struct ag_options *ret, char *message,
					size_t room);
void ag_options_free(struct ag_options *options);

/* What help prints. */
const char *ag_options_help(void);

#endif
