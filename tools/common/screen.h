/* SPDX-License-Identifier: MIT */
/*
 * screen.h - how wide the lines for people are.
 *
 * That is what --width says, else $COLUMNS, else the terminal that standard
 * output is or, if that is a pipe, standard error, else 100 columns; with --wide,
 * lines are as long as it takes.
 */
#ifndef TOOLS_SCREEN_H
#define TOOLS_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/common/cli.h"

/* What the command line says about it: part of a program's options. */
struct screen_words {
	struct cli_number width;
	bool wide;
};

#define SCREEN_WIDTH_LEAST 20
#define SCREEN_WIDTH_MOST 10000

#define CLI_OPTION_WIDTH(at)                                                   \
	{ .kind = CLI_NUMBER,                                                  \
	  .name = "width",                                                     \
	  .argument = "N",                                                     \
	  .offset = (at),                                                      \
	  .least = SCREEN_WIDTH_LEAST,                                         \
	  .most = SCREEN_WIDTH_MOST,                                           \
	  .help = "shorten names so that lines have at most N columns "        \
		  "(default: the terminal's, else 100)" }
#define CLI_OPTION_WIDE(at)                                                    \
	{ .kind = CLI_FLAG,                                                    \
	  .name = "wide",                                                      \
	  .offset = (at),                                                      \
	  .help = "whole names, in lines of any length" }
#define CLI_OPTIONS_SCREEN(width, wide)                                        \
	CLI_OPTION_WIDTH(width), CLI_OPTION_WIDE(wide)

/* Ends the process with a usage error if the words contradict each other. */
void screen_set(const struct screen_words *words);

/* Columns of a line; SIZE_MAX: no limit. */
size_t screen_width(void);

/* Lines of the terminal that standard output is; 0: it is none. */
size_t screen_height(void);

/* What is left of the columns after INDENT, but never less than a few. */
size_t screen_width_after(size_t indent);

/*
 * Prints INDENT blanks, and TEXT, which must be escaped, shortened so that the
 * line fits. screen_line also ends the line.
 */
void screen_text(FILE *out, unsigned indent, const char *text);
void screen_line(FILE *out, unsigned indent, const char *text);

#endif
