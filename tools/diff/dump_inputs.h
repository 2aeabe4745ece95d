/* SPDX-License-Identifier: MIT */
/*
 * dump_inputs.h - the dumps that are compared, read as far as it takes.
 */
#ifndef TOOLS_DUMP_INPUTS_H
#define TOOLS_DUMP_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include <hprof.h>

#include "tools/report/rollup.h"
#include "tools/common/input.h"

/* What is compared, of one dump. */
struct dump_items {
	struct hprof_diff_side table;
	struct hprof_diff_item *items;
	char **names; /* those that are nobody else's */
	size_t name_count;
	struct group_table *groups;
};

struct dump_input {
	const char *path;
	const struct hprof_summary *summary;
	struct hprof_summary *own_summary;  /* NULL: it is the heap's */
	struct hprof_heap *heap;	    /* NULL: not needed */
	struct hprof_loader_table *loaders; /* NULL: not needed, or not known */
	/* Retained sizes: what was wanted of them. */
	struct dump_items sets[GROUP_LOADER + 1]; /* by enum group_by */
	uint64_t *pattern_retained; /* by each of the wanted patterns */
	struct hprof_path_tree *tree;
};

struct dump_inputs_wanted {
	bool loaders; /* also where classes' names tell them apart */
	bool retained;
	/* With retained: tables by these, bits 1 << enum group_by, ... */
	unsigned groups;
	/* ... and what all classes retain that fit a pattern. */
	size_t pattern_count;
	char *const *patterns;
};

struct dump_inputs {
	size_t count;
	struct dump_input *items;
	/* Sizes by one convention: that of this dump; SIZE_MAX: by nature. */
	size_t like;
	bool mixed;		/* no common convention could be had */
	const char *convention; /* of all, in words */
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
 * Gives all dumps the sizes of one, where they have been laid out or measured
 * differently; sets like, mixed and convention. False after a message.
 */
bool dump_inputs_agree_on_sizes(struct dump_inputs *dumps);

/*
 * What is wrong with a dump that a limit is to be held against: "is damaged";
 * NULL: nothing. One without an end may have been cut where nothing shows it.
 */
const char *dump_input_fault(const struct dump_input *dump);

/*
 * The rows of DUMP, which are its own if it has retained sizes. MATCH (NULL:
 * all) chooses classes; not with retained sizes.
 */
void dump_items_make(struct dump_items *items, const struct dump_input *dump,
		     enum group_by by, const struct cli_list *match);
void dump_items_done(struct dump_items *items);

/* What its class loader is called in every run; NULL: not known. */
char *dump_loader_name(const struct dump_input *dump, uint64_t loader_id);

/* Fills sets and pattern_retained of DUMP. False after a message. */
bool dump_sets_read(struct dump_input *dump, const struct hprof_graph *graph,
		    const struct dump_inputs_wanted *wanted);

#endif
