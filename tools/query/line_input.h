/* SPDX-License-Identifier: MIT */
/*
 * line_input.h - lines that somebody types: by libedit, or as they come.
 */
#ifndef TOOLS_QUERY_LINE_INPUT_H
#define TOOLS_QUERY_LINE_INPUT_H

/*
 * COMPLETE gives the Nth word that begins with TEXT, which the caller frees, or
 * NULL behind the last one. Reads the history.
 */
void line_input_begin(const char *name,
		      char *(*complete)(const char *text, int n));
/*
 * The next line without its end, which the caller frees; NULL: the end, or a
 * signal came.
 */
char *line_input_read(const char *prompt);
/* Remembers what was typed. */
void line_input_remember(const char *text);
/* Writes the history. */
void line_input_end(void);

#endif
