/* SPDX-License-Identifier: MIT */
/*
 * top_objects.h - of many objects, those that retain most.
 */
#ifndef HP_TOP_OBJECTS_H
#define HP_TOP_OBJECTS_H

#include "hprof/graph.h"

struct hp_top_objects {
	const struct hprof_graph *graph;
	uint64_t *objects; /* once sorted, the largest first */
	size_t count, room;
};

/* ROOM objects are kept. 0, or -1 without memory. */
int hp_top_objects_init(struct hp_top_objects *biggest,
			const struct hprof_graph *graph, size_t room);
void hp_top_objects_done(struct hp_top_objects *biggest);

void hp_top_objects_offer(struct hp_top_objects *biggest, uint64_t object);

/* By retained size, then number. Nothing can be offered any more. */
void hp_top_objects_sort(struct hp_top_objects *biggest);

/*
 * The ROOM reachable objects that retain most, sorted, in the threads of
 * GRAPH. 0; or -1 without memory, then there is nothing to be done with.
 */
int hp_top_objects_find(struct hp_top_objects *b,
			const struct hprof_graph *graph, size_t room);

#endif
