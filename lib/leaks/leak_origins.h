/* SPDX-License-Identifier: MIT */
/*
 * leak_origins.h - where the members of a suspected group come from: the
 * nearest object through which nearly all of them are reached.
 */
#ifndef HP_LEAK_ORIGINS_H
#define HP_LEAK_ORIGINS_H

#include "leaks/leak_search.h"
#include "report/bounded_bfs.h"
#include "report/root_paths.h"

/* Members of a group, ascending; an evenly spaced sample if there are many. */
struct hp_members {
	uint32_t *nodes; /* hp_free */
	size_t count;
	uint32_t dominator; /* what dominates them, or HP_NO_NODE */
};

/* Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_members_take(const struct hp_leak_search *search,
				  const struct hp_suspect *group,
				  struct hp_members *ret_members);

/* The members that a search has not reached yet. */
struct hp_missing {
	uint64_t *bits; /* by object */
	size_t count;
};

/*
 * A search that has found all members of a group, for the next one: several groups often
 * have the same dominator, and what leads away from that is the same for all of them.
 * Zeroed, there is none. Not to be moved or copied before hp_origin_search_end.
 */
struct hp_origin_search {
	struct hp_bounded_bfs bfs;
	struct hp_missing missing;
	uint32_t dominator; /* where it began, as in struct hp_members */
	bool goes_on;	    /* it can */
};

void hp_origin_search_end(struct hp_origin_search *search);

/*
 * The origin of MEMBERS, or HPROF_NO_OBJECT if there is none. RET_KNOWN is
 * false if the search would take longer than PATHS allow; then call
 * hp_leak_origin_by_paths. Goes on with LAST, which is of the same PATHS and graph, if
 * that began at the same object, and leaves there what the next one can go on with: the
 * result is that of a search of its own.
 */
enum hprof_status hp_leak_origin_near(struct hp_root_paths *paths,
				      struct hp_origin_search *last,
				      const struct hp_members *members,
				      uint64_t *ret_origin, bool *ret_known,
				      struct hprof_error *error);

/* The same, from the shortest paths of a graph with option edges. */
enum hprof_status
hp_leak_origin_by_paths(const struct hprof_shortest_paths *shortest,
			const struct hp_members *members, uint64_t *ret_origin,
			struct hprof_error *error);

#endif
