/* SPDX-License-Identifier: MIT */
/*
 * export_heap.h - the input of the forms that need objects at random, and
 * the output of those that make their files themselves.
 */
#ifndef TOOLS_EXPORT_HEAP_H
#define TOOLS_EXPORT_HEAP_H

#include "tools/export/export.h"
#include "tools/export/sql_tables.h"

struct export_heap {
	struct hprof_heap *heap;
	struct hprof_graph *graph; /* NULL: not wanted */
};

/* False after a message. What was wrong with the dump is told. */
bool export_heap_open(struct export_heap *heap, const struct export_job *job,
		      bool graph);

/*
 * Only the heap of dump number DUMP of PATH, which a message calls job->in;
 * its faults are not told again.
 */
bool export_heap_open_path(struct export_heap *heap,
			   const struct export_job *job, const char *path,
			   unsigned dump);

/* CLI_NO if the dump is damaged, else CLI_FINE. */
int export_heap_status(const struct export_heap *heap);
void export_heap_close(struct export_heap *heap);

/* All tables that the job wants; ROW and USER are still to be set. */
struct sql_tables_walk export_heap_walk(const struct export_heap *heap,
					const struct export_job *job);

/*
 * OUT.part, a file or a directory, which somebody else fills. It is locked
 * until it has its name, as those of the library are.
 */
struct export_part {
	char *out;  /* where it is to be, links followed */
	char *part; /* where it is */
	int fd;
	bool directory;
	bool force;    /* what is at OUT may be replaced */
	unsigned mode; /* permission bits; 0: those of the umask */
};

/* False after a message, and nothing is left. */
bool export_part_begin(struct export_part *part, const struct export_job *job,
		       bool directory);

/*
 * Syncs the part and gives it its name if STATUS is not CLI_TROUBLE, else
 * removes it. STATUS, or CLI_TROUBLE after a message.
 */
int export_part_end(struct export_part *part, const struct export_job *job,
		    int status);

#endif
