/* SPDX-License-Identifier: MIT */
/*
 * dump_inputs.h - the dumps that are compared, read as far as necessary.
 */
#ifndef TOOLS_DUMP_INPUTS_H
#define TOOLS_DUMP_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include <hprof.h>

#include "tools/report/rollup.h"
#include "tools/common/input.h"

/* The rows of one dump that are compared. */
struct dump_items {
	struct hprof_diff_side table;
	struct hprof_diff_item *items;
	char **names; /* names that only this struct owns */
	size_t name_count;
	struct rollup_table *groups;
};

struct dump_input {
	const char *path;
	const struct hprof_summary *summary;
	struct hprof_summary *own_summary;  /* NULL: it is the heap's */
	struct hprof_heap *heap;	    /* NULL: not needed */
	struct hprof_loader_table *loaders; /* NULL: not needed, or unknown */
	/* Retained sizes, as far as they were asked for. */
	struct dump_items sets[ROLLUP_LOADER + 1]; /* by enum rollup_by */
	uint64_t *pattern_retained;		   /* one for each pattern */
	struct hprof_path_tree *tree;
	/* By the records of objects; NULL: not needed, or unknown. */
	struct hprof_allocation_table *allocations;
};

struct dump_inputs_wanted {
	bool loaders; /* also if the names of classes are unambiguous */
	bool retained;
	bool allocations; /* of the first and the last, if both tell them */
	/* With retained sizes: which tables, bits 1 << enum rollup_by, … */
	unsigned groups;
	/* … and patterns: what all classes that match one retain. */
	size_t pattern_count;
	char *const *patterns;
};

struct dump_inputs {
	size_t count;
	struct dump_input *items;
	/*
	 * The dump whose convention all sizes follow; SIZE_MAX: each has its
	 * own, and they agree.
	 */
	size_t like;
	bool mixed;		/* there is no common convention */
	const char *convention; /* the common one, in words */
};

/*
 * Reads the COUNT dumps at PATHS. Returns false after printing a message. The
 * caller calls dump_inputs_done in either case.
 */
bool dump_inputs_read(struct dump_inputs *dumps, char *const *paths,
		      size_t count, const struct dump_inputs_wanted *wanted,
		      const struct input_options *options);

void dump_inputs_done(struct dump_inputs *dumps);

/*
 * Recomputes the sizes of all dumps by the convention of one, if they differ in
 * layout or in how sizes were found. Sets like, mixed and convention. Returns
 * false after a message.
 */
bool dump_inputs_agree_on_sizes(struct dump_inputs *dumps);

/*
 * Why a dump cannot be judged by limits, such as "is damaged"; NULL: it can. A
 * dump without an end record may have been cut, which nothing else may show.
 */
const char *dump_input_fault(const struct dump_input *dump);

/*
 * The first dump that was taken before the one in front of it, if the headers of both
 * say when; 0: none. What grew would be shown to shrink.
 */
size_t dump_inputs_out_of_order(const struct dump_inputs *dumps);

/* Warns on standard error if there is one. */
void dump_inputs_warn_of_order(const struct dump_inputs *dumps);

/*
 * Makes the rows of DUMP. With retained sizes they belong to DUMP. MATCH
 * chooses classes (NULL: all); it must be NULL with retained sizes.
 */
void dump_items_make(struct dump_items *items, const struct dump_input *dump,
		     enum rollup_by by, const struct cli_list *match);
void dump_items_done(struct dump_items *items);

/*
 * The allocation sites that an agent wrote; NULL: none. They belong to PROFILE.
 */
const struct hprof_profile_section *
dump_input_sites(const struct hprof_profile_table *profile);

/* A name for a class loader that is the same in every run; NULL: not known. */
char *dump_loader_name(const struct dump_input *dump, uint64_t loader_id);

/* Fills sets and pattern_retained of DUMP. Returns false after a message. */
bool dump_sets_read(struct dump_input *dump, const struct hprof_graph *graph,
		    const struct dump_inputs_wanted *wanted);

#endif
