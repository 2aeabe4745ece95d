/* SPDX-License-Identifier: MIT */
/*
 * cli_parts.h - what the files of the command line share: cli.c for messages and
 * exit, cli_options.c for help and parsing, cli_values.c for what options say.
 */
#ifndef TOOLS_CLI_PARTS_H
#define TOOLS_CLI_PARTS_H

#include "tools/common/cli.h"

/* What cli_start was given. */
extern const struct cli_program *cli_program;

/* "'--name'" or "'-x'" for messages; static storage. */
const char *cli_option_label(const struct cli_option *option);

/*
 * Sets the one of VALUES that OPTION is for to what TEXT says; ends the program
 * with a message if that is nothing that the option can be.
 */
void cli_set_value(const struct cli_option *option, void *values,
		   const char *text);

#endif
