/* SPDX-License-Identifier: MIT */
/*
 * report_data.h - the tables of the library that a report of hprof-stat is made
 * of, read as far as they are wanted.
 */
#ifndef TOOLS_REPORT_DATA_H
#define TOOLS_REPORT_DATA_H

#include <stdbool.h>

#include <hprof.h>

#include "tools/common/input.h"
#include "tools/common/shared_names.h"

struct tables_wanted {
	bool loaders;
	bool threads; /* with what they hold */
	bool properties;
	bool profile;
	bool retained;
	bool leaks;
	bool garbage;
	size_t biggest; /* objects with retained; 0: the default */
};

struct tables {
	const struct hprof_summary *summary;
	struct hprof_summary *own_summary; /* NULL: it is the heap's */
	struct hprof_heap *heap;	   /* NULL: not needed */
	struct hprof_graph *graph;
	struct names *names;
	struct hprof_loader_table *loaders;
	struct hprof_thread_table *threads;
	struct hprof_property_table *properties;
	struct hprof_profile_table *profile;
	struct hprof_retained_table *retained;
	struct hprof_leak_table *leaks;
	struct hprof_garbage_table *garbage;
	struct hprof_thread_locals_table *locals;
	bool failed; /* something wanted is missing; there was a message */
};

/*
 * Reads the dump; false after a message: there is nothing. Done with
 * tables_done in any case.
 */
bool tables_open(struct tables *tables, const char *path,
		 const struct tables_wanted *wanted,
		 const struct input_options *options);

/* Reads the tables; missing ones have had a message. */
void tables_read(struct tables *tables, const char *path,
		 const struct tables_wanted *wanted,
		 const struct input_options *options);

void tables_done(struct tables *tables);

#endif
