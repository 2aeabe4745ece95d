/* SPDX-License-Identifier: MIT */
/*
 * thresholds.h - judges a comparison by the expressions of --fail-if.
 */
#ifndef TOOLS_THRESHOLDS_H
#define TOOLS_THRESHOLDS_H

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/diff/fail_if.h"

struct verdict {
	const struct fail_if *expression;
	bool failed;
	bool unmatched; /* no name in any dump matches */
	uint64_t rows;	/* rows that failed */
	/* of retained(GLOB): index of the pattern; else SIZE_MAX */
	size_t pattern;
	char *sentence; /* what failed, not escaped; NULL: nothing */
};

struct thresholds {
	size_t count;
	struct fail_if *expressions;
	struct verdict *verdicts;
	bool failed; /* at least one expression failed */
	/*
	 * For retained(GLOB): what the classes that match retain, in the first
	 * dump and the last.
	 */
	size_t pattern_count;
	char **patterns;
	const uint64_t *pattern_retained[2];
};

/*
 * Parses the expressions. A wrong one is wrong usage, which ends the process.
 */
void thresholds_make(struct thresholds *thresholds,
		     const struct cli_list *expressions);
void thresholds_done(struct thresholds *thresholds);

/* True if an expression is about SUBJECT. */
bool thresholds_needs(const struct thresholds *thresholds,
		      enum fail_if_subject subject);
bool thresholds_needs_retained(const struct thresholds *thresholds);

/* True if an expression is about bytes, shallow or retained. */
bool thresholds_needs_sizes(const struct thresholds *thresholds);

/*
 * Judges the expressions about SUBJECT by its table, comparing the last dump
 * with the first.
 */
void thresholds_check(struct thresholds *thresholds,
		      enum fail_if_subject subject,
		      const struct hprof_diff_table *table);

/* A dump that cannot be judged, and why. */
struct thresholds_fault {
	const char *path, *text;
};

/*
 * Checks that JUnit's XML can be written to PATH, and removes what an earlier
 * run left there. Returns false after a message if it cannot, or if the file is
 * not XML.
 */
bool thresholds_junit_begin(const char *path);

/*
 * Writes the verdicts and, as errors, COUNT faults. Returns false after a
 * message.
 */
bool thresholds_junit(const struct thresholds *thresholds, const char *path,
		      const struct thresholds_fault *faults, size_t count);

#endif
