/* SPDX-License-Identifier: MIT */
/*
 * moved_rows.h - for passes over the targets of a part that keep some of them: these
 * move to the front of the rows of their run.
 */
#ifndef HP_MOVED_ROWS_H
#define HP_MOVED_ROWS_H

#include <assert.h>

#include "graph/edge_partitions.h"

struct hp_moved_rows {
	const struct hp_edges *edges;
	const struct hp_edge_partition *part;
	/* Of a run: up to where its rows were read, and where those that stay end. */
	const struct hp_edge_run *run;
	const uint32_t *read; /* NULL: nothing yet */
	uint32_t *stay;
};

/*
 * Nothing more is read of the run: what it does not need goes back to the system, since
 * trees will soon need much memory.
 */
static inline void hp_moved_rows_leave(const struct hp_moved_rows *m)
{
	const char *target = m->edges->target.at;

	if (m->run != m->part->own || !m->read)
		return;
	hp_mapped_table_drop(&m->edges->target,
			     (uint64_t)((const char *)m->stay - target),
			     (uint64_t)((const char *)m->read - target));
}

/* The walk is at ROWS of RUN: they follow on what was read, or begin a run or part. */
static inline void hp_moved_rows_go_on(struct hp_moved_rows *m,
				       const struct hp_edge_run *run,
				       const uint32_t *rows)
{
	uint32_t *target = m->edges->target.at;

	if (m->read && m->run == run) {
		assert(m->read == rows);
		return;
	}
	hp_moved_rows_leave(m);
	m->run = run;
	m->read = rows;
	m->stay = target + (rows - target);
}

#endif
