/* SPDX-License-Identifier: MIT */
/*
 * loader_lines.h - which class loaders are told, and which of them in one line.
 */
#ifndef TOOLS_LOADER_LINES_H
#define TOOLS_LOADER_LINES_H

#include "tools/report/render.h"

/* By the row of its first loader; of other loaders only LEADER. */
struct loader_line {
	size_t leader; /* the row of the first one */
	size_t count;
	const char *first, *last;    /* names, or NULL, in their order */
	struct hprof_loader_use sum; /* of the first, but for the figures */
};

/* What is printed. */
struct loader_choice {
	struct loader_line *lines;
	bool *chosen; /* by the first row of each line */
	size_t left;  /* loaders that match and are not among them */
	/*
	 * All lines by their first row: those that leak, then by what they
	 * retain.
	 */
	size_t *order;
	size_t count;
};

/*
 * The first lines, and the loaders above them. JOIN: loaders that look alike share a
 * line. Free it with loader_lines_done.
 */
struct loader_choice loader_lines_choose(const struct report *report,
					 bool join);
void loader_lines_done(struct loader_choice *choice);

/* "app-1 (Loader@0x7f)", "21 x webapp-0 to webapp-24". Free it. */
char *loader_line_name(const struct loader_line *line);

#endif
