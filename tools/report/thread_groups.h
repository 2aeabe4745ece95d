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
	uint64_t retained; /* by all of them; what several hold counts once */
	uint64_t samples;
	const struct thread_item *most; /* the one that retains most */
	size_t nameless;
	/* Of those with names, by these, numbers as numbers; NULL: there are none. */
	const struct hprof_thread_row *first;
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

/* ---- thread_names.c ------------------------------------------------------ */

bool thread_has_name(const struct hprof_thread_row *row);
/*
 * "pool-1" to "pool-120", 3 without a name; of names that differ in more than numbers
 * "a", "b" and 3 others; or: without names. Free it.
 */
char *thread_group_names(const struct thread_group *group, size_t most);

/* ---- thread_groups.c ----------------------------------------------------- */

/* Does the profile, which may be NULL, say how much CPU time threads used? */
bool thread_groups_have_cpu(const struct hprof_profile_table *profile);

#endif
