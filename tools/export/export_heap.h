/* SPDX-License-Identifier: MIT */
/*
 * export_heap.h - the input of forms that need random access to objects, and
 * the output of forms that create their files themselves.
 */
#ifndef TOOLS_EXPORT_HEAP_H
#define TOOLS_EXPORT_HEAP_H

#include "tools/export/export.h"
#include <hprof.h>

struct export_heap {
	struct hprof_heap *heap;
	struct hprof_graph *graph;		/* NULL: nobody needs it */
	struct hprof_waste_table *waste;	/* NULL: not wanted */
	struct hprof_loader_use_table *loaders; /* the same */
	struct hprof_leak_table *leaks;		/* the same */
	struct hprof_allocation_table *sites;	/* the same */
	bool retained; /* GRAPH has retained sizes and strengths */
};

/*
 * Prints what is wrong with the dump. With the retained sizes and the waste that
 * the job, or its only table, needs. Returns false after a message.
 */
bool export_heap_open(struct export_heap *heap, const struct export_job *job);

/*
 * Opens only the heap of dump number DUMP of PATH. Messages call it job->in.
 * Its faults are not printed again.
 */
bool export_heap_open_path(struct export_heap *heap,
			   const struct export_job *job, const char *path,
			   unsigned dump);

/* CLI_NO if the dump is damaged, else CLI_FINE. */
int export_heap_status(const struct export_heap *heap);
void export_heap_close(struct export_heap *heap);

/* A walk over all tables that the job wants. The caller sets ROW and USER. */
struct hprof_tables_walk export_heap_walk(const struct export_heap *heap,
					  const struct export_job *job);

/*
 * OUT.part, a file or directory that the form fills. It is locked until it gets
 * its name, as the library's part files are.
 */
struct export_part {
	char *out;  /* its final name, links followed */
	char *part; /* its name until then */
	int fd;
	bool directory;
	bool force;    /* replace what is at OUT */
	unsigned mode; /* permission bits; 0: those of the umask */
};

/* Returns false after a message; nothing is left on the disk then. */
bool export_part_begin(struct export_part *part, const struct export_job *job,
		       bool directory);

/*
 * Syncs the part and gives it its name. If STATUS is CLI_TROUBLE, removes it
 * instead. Returns STATUS, or CLI_TROUBLE after a message.
 */
int export_part_end(struct export_part *part, const struct export_job *job,
		    int status);

#endif
