/* SPDX-License-Identifier: MIT */
/*
 * growth.h - parts of the section about several dumps: lines over time and tables
 * with a column for each dump.
 */
#ifndef TOOLS_PAGE_GROWTH_H
#define TOOLS_PAGE_GROWTH_H

#include "tools/diff/diff.h"
#include "tools/page/page.h"

/* ---- lines --------------------------------------------------------------- */

enum { GROWTH_LINES = 8 }; /* of a picture: as many tones as there are */

struct growth_line {
	char *name;
	const struct hprof_diff_cell *cells; /* one for each dump */
	enum hprof_diff_measure measure;     /* in bytes */
};

/* A picture of COUNT lines, and what they are; frees the names. */
void growth_lines(struct html *html, const struct dump_inputs *dumps,
		  const char *caption, const struct growth_line *lines,
		  size_t count);

/* ---- tables -------------------------------------------------------------- */

enum { GROWTH_DUMPS = 6 }; /* of more, a table has the first and the last */

/* A table of NAMES columns of text, the sizes in each dump, and the change. */
struct growth_table {
	struct html_table table;
	struct html_column columns[HTML_COLUMNS];
	char titles[GROWTH_DUMPS][32];
	size_t dumps;
	enum hprof_diff_measure measure;
};

/* The columns of names, COUNT of them, are copied; their titles must stay. */
void growth_table_begin(struct growth_table *table, struct html *html,
			const char *caption, const struct html_column *names,
			size_t count, size_t dumps,
			enum hprof_diff_measure measure, size_t most);

/* What follows the names of a row; ends it. */
void growth_table_cells(struct growth_table *table,
			const struct hprof_diff_cell *cells);

#endif
