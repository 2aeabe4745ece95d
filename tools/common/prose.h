/* SPDX-License-Identifier: MIT */
/*
 * prose.h - sentences for people, wrapped between words.
 *
 * Lines are as wide as one reads well, or as the screen (screen.h) if that is
 * narrower. A word longer than a line is shortened as table.h does it.
 */
#ifndef TOOLS_PROSE_H
#define TOOLS_PROSE_H

#include <stdio.h>

/* Sentences that form a paragraph; { NULL } at first. */
struct prose {
	char *text;
};

/* Adds a sentence, behind a blank. What it names must be escaped already. */
void prose_say(struct prose *prose, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints the paragraph, each line after INDENT blanks, and empties it. */
void prose_put(struct prose *prose, FILE *out, unsigned indent);

/*
 * Prints TEXT and a newline, from column INDENT on, where the line is already;
 * further lines begin with as many blanks.
 */
void prose_wrap(FILE *out, unsigned indent, const char *text);

/* The same for what is no sentence: lines are as wide as the screen. */
void prose_lines(FILE *out, unsigned indent, const char *text);

#endif
