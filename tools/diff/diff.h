/* SPDX-License-Identifier: MIT */
/*
 * diff.h - what hprof-diff reports, and the forms it is printed in.
 */
#ifndef TOOLS_DIFF_H
#define TOOLS_DIFF_H

#include <stdio.h>

#include <hprof.h>

#include "tools/diff/thresholds.h"
#include "tools/diff/dump_inputs.h"

struct diff_options {
	enum group_by by;
	bool retained;
	bool by_name;			 /* the order of the rows; else: */
	enum hprof_diff_measure measure; /* what growth is of */
	const struct cli_list *match;
	uint64_t top; /* rows; 0: all */
	bool top_given;
};

struct diff_report {
	const struct dump_inputs *dumps;
	struct diff_options how;
	struct hprof_diff_table *table;
	size_t count;
	const struct hprof_diff_row **rows; /* that differ, in their order */
	size_t fitting; /* rows that fit the patterns, and their sums */
	struct hprof_diff_cell *totals;
	/* With retained sizes. */
	const struct hprof_diff_path_table *paths;
	const struct thresholds *thresholds;
};

/* Sorts and chooses the rows. TABLE must outlive the report. */
void diff_report_make(struct diff_report *report,
		      const struct dump_inputs *dumps,
		      const struct diff_options *how,
		      struct hprof_diff_table *table);
void diff_report_done(struct diff_report *report);

/*
 * Puts the dumps side by side, classes of one name by their loaders only if
 * LOADERS; ends the process without memory.
 */
struct hprof_diff_table *diff_table(const struct dump_inputs *dumps,
				    enum group_by by,
				    const struct cli_list *match, bool loaders);

/* The same for paths. */
struct hprof_diff_path_table *diff_paths(const struct dump_inputs *dumps);

/* Adds the cells of ROW, of COUNT dumps, to those at TO. */
void diff_add_cells(struct hprof_diff_cell *to,
		    const struct hprof_diff_row *row, size_t count);

/* Rows to print. */
size_t diff_row_count(const struct diff_report *report);

/* What a row says that is in the last dump only, or not in it. */
bool diff_is_new(const struct diff_report *report,
		 const struct hprof_diff_row *row);
bool diff_is_gone(const struct diff_report *report,
		  const struct hprof_diff_row *row);

/* "instances", "bytes", "retained" */
const char *diff_measure_word(enum hprof_diff_measure measure);

/* Paths to print. */
size_t diff_path_count(const struct diff_report *report);

/* The root of a path: "sticky class", "local of com.acme.Main.run". */
char *diff_root_label(const struct hprof_diff_step *step);

void render_diff_paths(FILE *out, const struct diff_report *report);

void render_diff(FILE *out, const struct diff_report *report);
void render_diff_json(FILE *out, const struct diff_report *report);
void render_diff_csv(FILE *out, const struct diff_report *report);

#endif
