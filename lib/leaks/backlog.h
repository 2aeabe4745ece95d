/* SPDX-License-Identifier: MIT */
/*
 * backlog.h - work of the JVM that is not done: finalizers that wait, reference
 * queues that nobody drains, Cleaners that can never run, large soft caches; and values
 * of ClassValues, which look like garbage. These are findings at any share of the heap.
 */
#ifndef HP_BACKLOG_H
#define HP_BACKLOG_H

#include "base/arena.h"
#include "graph/graph.h"
#include "hprof/leaks.h"

struct hp_backlog_nodes {
	uint32_t *nodes; /* hp_free */
	size_t count, room;
};

/* Reachable objects of which backlogs tell, so that no suspect does so again. */
struct hp_backlogs_told {
	/* Whose bytes are those of backlogs: references in queues, actions. */
	struct hp_backlog_nodes queued, actions;
	/* What belongs to them: Cleaners, finalizers' references. */
	struct hp_backlog_nodes others;
};

struct hp_backlogs {
	struct hprof_backlog *items; /* their parts are in the arena */
	size_t count;
	struct hprof_thread_table *threads; /* to which items point, or NULL */
	struct hp_backlogs_told told;
};

/*
 * GRAPH has dominators; without option strengths there are no backlogs. Free
 * with hp_backlogs_done, also after a failure; ARENA is the caller's.
 */
enum hprof_status hp_backlogs_find(struct hp_backlogs *backlogs,
				   const struct hprof_graph *graph,
				   struct hp_arena *arena,
				   struct hprof_error *error);
void hp_backlogs_done(struct hp_backlogs *backlogs);

#endif
