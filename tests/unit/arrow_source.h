/* SPDX-License-Identifier: MIT */
/* arrow_source.h - a dump, and all that its tables are made of. */
#ifndef ARROW_SOURCE_H
#define ARROW_SOURCE_H

#include "heaps.h"

struct source {
	struct opened o;
	struct hprof_waste_table *waste;
	struct hprof_loader_use_table *loaders;
	struct hprof_leak_table *leaks;
	struct hprof_allocation_table *sites;
};

/* Opens a fixture; fails the test if that cannot be done. */
void open_fixture(struct source *source, const char *name);
void close_source(struct source *source);

struct hprof_tables_walk walk_of(const struct source *source);
struct hprof_class_index *index_of(const struct source *source);

#endif
