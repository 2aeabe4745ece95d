/* SPDX-License-Identifier: MIT */
/*
 * thread_groups.h - threads in an order, those with the same stack together.
 */
#ifndef TOOLS_THREAD_GROUPS_H
#define TOOLS_THREAD_GROUPS_H

#include "tools/report/render.h"

struct thread_item {
	const struct hprof_thread_row *row;
	const struct hprof_thread_locals *locals; /* NULL: not known */
	uint64_t samples;			  /* of the CPU */
};

/* Threads with the same state and the same frames. */
struct thread_group {
	struct thread_item *items; /* in the groups' array */
	size_t count;
	uint64_t retained, samples;	      /* of all of them */
	const struct thread_item *most;	      /* the one that retains most */
	const struct hprof_thread_row *first; /* by name, numbers as numbers */
	const struct hprof_thread_row *last;
};

struct thread_groups {
	size_t count;
	struct thread_group *items;
	struct thread_item *threads;
};

/* The report's threads in the order that it says. */
struct thread_groups thread_groups_make(const struct report *report);
void thread_groups_done(struct thread_groups *groups);

/* Does the profile, which may be NULL, say how much CPU time threads used? */
bool thread_groups_have_cpu(const struct hprof_profile_table *profile);

#endif
