/* SPDX-License-Identifier: MIT */
/*
 * top_objects.h - the objects that retain most, of many.
 *
 * Objects are offered one after the other; the largest that fit are kept. The
 * order is by retained size, then by number, the lower one first.
 */
#ifndef HP_TOP_OBJECTS_H
#define HP_TOP_OBJECTS_H

#include "hprof/graph.h"

struct hp_top_objects {
	const struct hprof_graph *graph;
	uint64_t *objects; /* once sorted, the largest first */
	size_t count, room;
};

/*
 * Keeps ROOM objects, or all of the graph's if fewer. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_top_objects_init(struct hp_top_objects *top,
				      const struct hprof_graph *graph,
				      size_t room);
void hp_top_objects_done(struct hp_top_objects *top);

void hp_top_objects_offer(struct hp_top_objects *top, uint64_t object);

/* Sorts the objects. Nothing can be offered afterwards. */
void hp_top_objects_sort(struct hp_top_objects *top);

/* Says whether OBJECT is one of those that are wanted; in any thread. */
typedef bool hp_top_wanted_fn(const void *user, const struct hprof_graph *graph,
			      uint32_t object);

/*
 * Finds the ROOM reachable objects that retain most, of those that WANTED (NULL:
 * all) wants, sorted, with the threads of GRAPH. Fails only with HPROF_E_NOMEM,
 * when *RET_TOP must not be used.
 */
enum hprof_status hp_top_objects_find(struct hp_top_objects *ret_top,
				      const struct hprof_graph *graph,
				      size_t room, hp_top_wanted_fn *wanted,
				      const void *user);

#endif
