/* SPDX-License-Identifier: MIT */
/*
 * thresholds.h - holds the expressions of --fail-if against what differs.
 */
#ifndef TOOLS_THRESHOLDS_H
#define TOOLS_THRESHOLDS_H

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/diff/fail_if.h"

struct verdict {
	const struct fail_if *expression;
	bool failed;
	bool unmatched; /* no name fits, in no dump */
	uint64_t rows;	/* that failed */
	size_t pattern; /* of retained(GLOB): its number; else SIZE_MAX */
	char *sentence; /* what failed; NULL: nothing. Not escaped */
};

struct thresholds {
	size_t count;
	struct fail_if *expressions;
	struct verdict *verdicts;
	bool failed; /* one of them */
	/* Of retained(GLOB): by what fits, in the first dump and the last. */
	size_t pattern_count;
	char **patterns;
	const uint64_t *pattern_retained[2];
};

/* Parses the expressions; a wrong one is wrong usage, and ends the process. */
void thresholds_make(struct thresholds *thresholds,
		     const struct cli_list *expressions);
void thresholds_done(struct thresholds *thresholds);

/* True if some expression is about SUBJECT. */
bool thresholds_needs(const struct thresholds *thresholds,
		      enum fail_if_subject subject);
bool thresholds_needs_retained(const struct thresholds *thresholds);

/* True if some expression is about bytes, retained or not. */
bool thresholds_needs_sizes(const struct thresholds *thresholds);

/* Judges the expressions about SUBJECT by its table, first dump and last. */
void thresholds_check(struct thresholds *thresholds,
		      enum fail_if_subject subject,
		      const struct hprof_diff_table *table);

/* A dump that no limit can be held against, and why. */
struct thresholds_fault {
	const char *path, *text;
};

/*
 * Looks whether JUnit's XML can be written to PATH, and removes what an earlier
 * run left there. False after a message: it cannot, or there is another kind of
 * file.
 */
bool thresholds_junit_begin(const char *path);

/* Writes the verdicts and, as errors, COUNT faults. False after a message. */
bool thresholds_junit(const struct thresholds *thresholds, const char *path,
		      const struct thresholds_fault *faults, size_t count);

#endif
