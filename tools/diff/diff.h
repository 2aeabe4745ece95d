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
	enum rollup_by by;
	bool retained;
	bool by_name; /* rows are sorted by name; otherwise: */
	enum hprof_diff_measure measure; /* by the growth of this */
	bool growing; /* only what grew from each dump to the next */
	const struct cli_list *match;
	uint64_t top; /* rows; 0: all */
	bool top_given;
};

struct diff_report {
	const struct dump_inputs *dumps;
	struct diff_options how;
	struct hprof_diff_table *table;
	size_t count;
	const struct hprof_diff_row **rows; /* rows that differ, sorted */
	size_t fitting; /* how many rows are wanted, and their sums */
	struct hprof_diff_cell *totals;
	/* Only with retained sizes; paths that are wanted. */
	const struct hprof_diff_path_table *paths;
	size_t held_count;
	const struct hprof_diff_path **held;
	const struct thresholds *thresholds;
};

/*
 * Sorts and chooses the rows. TABLE and PATHS, which may be NULL, must outlive
 * the report.
 */
void diff_report_make(struct diff_report *report,
		      const struct dump_inputs *dumps,
		      const struct diff_options *how,
		      struct hprof_diff_table *table,
		      const struct hprof_diff_path_table *paths);
void diff_report_done(struct diff_report *report);

/*
 * Compares the dumps row by row. Classes of the same name are told apart by
 * their loaders only with LOADERS. Ends the process if there is no memory.
 */
struct hprof_diff_table *diff_table(const struct dump_inputs *dumps,
				    enum rollup_by by,
				    const struct cli_list *match, bool loaders);

/* The same for paths. */
struct hprof_diff_path_table *diff_paths(const struct dump_inputs *dumps);

/* Adds the cells of ROW, one for each of COUNT dumps, to those at TO. */
void diff_add_cells(struct hprof_diff_cell *to,
		    const struct hprof_diff_row *row, size_t count);

/* How many rows to print. */
size_t diff_row_count(const struct diff_report *report);

/*
 * Whether the row is marked as new (it is in the last dump only) or as gone (it
 * is not in the last dump).
 */
bool diff_is_new(const struct diff_report *report,
		 const struct hprof_diff_row *row);
bool diff_is_gone(const struct diff_report *report,
		  const struct hprof_diff_row *row);

/* "instances", "bytes", "retained" */
const char *diff_measure_word(enum hprof_diff_measure measure);

/* How many paths to print. */
size_t diff_path_count(const struct diff_report *report);

/*
 * Describes the root of a path: "sticky class", "local of com.acme.Main.run".
 * Free it.
 */
char *diff_root_label(const struct hprof_diff_step *step);

/*
 * "com.acme.Feed.listeners": the field of the nearest class of the program that
 * holds what came or went; or what this is, and the root. Free it.
 */
char *diff_point_label(const struct hprof_diff_path *path);

/* What came or went: "+1 object of byte[]". Free it. */
char *diff_part_label(const struct hprof_diff_part *part);

void render_diff_dumps(FILE *out, const struct dump_inputs *dumps);
void render_diff_paths(FILE *out, const struct diff_report *report);

void render_diff(FILE *out, const struct diff_report *report);
void render_diff_json(FILE *out, const struct diff_report *report);
void render_diff_csv(FILE *out, const struct diff_report *report);

#endif
