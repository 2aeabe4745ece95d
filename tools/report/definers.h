/* SPDX-License-Identifier: MIT */
/* definers.h - the class loaders that defined some classes. */
#ifndef TOOLS_DEFINERS_H
#define TOOLS_DEFINERS_H

#include <stdbool.h>

#include <hprof.h>

struct definers {
	size_t count;
	struct hprof_object_info *loaders; /* by retained size, then id */
	/* Paths to all objects of the loaders' classes. */
	struct hprof_merged_paths *paths;
};

/*
 * Finds the loaders of the classes at ROWS that are in the dump; the boot
 * loader is none. GRAPH needs edges and dominators. Free with definers_done,
 * also after a failure.
 */
enum hprof_status definers_read(struct definers *definers,
				const struct hprof_graph *graph,
				const size_t *rows, size_t count,
				struct hprof_error *error);
void definers_done(struct definers *definers);

#endif
