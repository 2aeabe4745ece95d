/* SPDX-License-Identifier: MIT */
/*
 * report_data.h - reads the library's tables that a report of hprof-stat needs.
 */
#ifndef TOOLS_REPORT_DATA_H
#define TOOLS_REPORT_DATA_H

#include <stdbool.h>

#include <hprof.h>

#include "tools/common/input.h"
#include "tools/common/shared_names.h"

struct report_data_wanted {
	bool loaders;
	bool threads; /* with the objects that their locals hold */
	bool properties;
	bool profile;
	bool retained;
	bool tree;  /* of the objects that retain most */
	bool kinds; /* the dominator tree by kinds */
	bool leaks;
	struct hprof_leak_options leak_options;
	bool garbage;
	bool allocations;
	bool native;
	bool resources; /* with what they retain if there are dominators */
	bool waste;
	bool outside;	 /* if it can be had at no cost */
	bool loader_use; /* the tree of class loaders */
	/*
	 * rows of the biggest objects, with retained; 0: the library's default
	 */
	size_t biggest;
	/* patterns for the classes of retained and garbage; empty: all */
	const struct cli_list *match;
};

struct report_data {
	const struct hprof_summary *summary;
	struct hprof_summary *own_summary; /* NULL: it is the heap's */
	struct hprof_heap *heap;	   /* NULL: not needed */
	struct hprof_graph *graph;
	struct shared_names *names;
	struct hprof_loader_table *loaders;
	struct hprof_thread_table *threads;
	struct hprof_property_table *properties;
	struct hprof_profile_table *profile;
	struct hprof_outside_table *outside;
	struct hprof_retained_table *retained;
	struct hprof_retained_tree *tree;
	struct hprof_dominator_kinds *kinds;
	struct hprof_leak_table *leaks;
	struct hprof_garbage_table *garbage;
	struct hprof_allocation_table *allocations;
	/* Of what each suspect keeps; NULL: no suspects. */
	struct hprof_allocation_table **leak_sites;
	struct hprof_native_table *native;
	struct hprof_resource_table *resources;
	struct hprof_waste_table *waste;
	struct hprof_loader_use_table *loader_use;
	struct hprof_thread_locals_table *locals;
	bool failed; /* something wanted is missing; a message was printed */
};

/*
 * Reads the dump. Returns false after a message if there is nothing to report.
 * The caller calls report_data_done in either case.
 */
bool report_data_open(struct report_data *data, const char *path,
		      const struct report_data_wanted *wanted,
		      const struct input_options *options);

/* Reads the tables. For each one that cannot be had, a message is printed. */
void report_data_read(struct report_data *data, const char *path,
		      const struct report_data_wanted *wanted,
		      const struct input_options *options);

void report_data_done(struct report_data *data);

#endif
