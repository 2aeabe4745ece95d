/* SPDX-License-Identifier: MIT */
/*
 * leak_origins.h - where the members of a suspected group come from: the
 * nearest object through which nearly all of them are reached.
 */
#ifndef HP_LEAK_ORIGINS_H
#define HP_LEAK_ORIGINS_H

#include "leaks/leak_search.h"
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

/*
 * The origin of MEMBERS, or HPROF_NO_OBJECT if there is none. RET_KNOWN is
 * false if the search would take longer than PATHS allow; then call
 * hp_leak_origin_by_paths.
 */
enum hprof_status hp_leak_origin_near(struct hp_root_paths *paths,
				      const struct hp_members *members,
				      uint64_t *ret_origin, bool *ret_known,
				      struct hprof_error *error);

/* The same, from the shortest paths of a graph with option edges. */
enum hprof_status
hp_leak_origin_by_paths(const struct hprof_shortest_paths *shortest,
			const struct hp_members *members, uint64_t *ret_origin,
			struct hprof_error *error);

#endif
