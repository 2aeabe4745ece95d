/* SPDX-License-Identifier: MIT */
/* ways_heap.h - heaps that are made at random, with the ways to their objects. */
#ifndef WAYS_HEAP_H
#define WAYS_HEAP_H

#include <hprof.h>

#include "maker.h"
#include "report/root_paths.h"

enum {
	WAYS_HEAPS = 60, /* seeds */
	WAYS_FIELDS = 3,
	WAYS_OBJECTS_MOST = 400,
	WAYS_ID = 0x10000 /* of the first object; others follow by 16 */
};

struct made {
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	struct hprof_graph *packed;	   /* option paths in place of edges */
	struct hprof_shortest_paths *ways; /* of graph */
	struct hp_root_paths paths;
	struct hp_arena arena;
};

/* Fails the test if that is not possible; to be closed. */
struct made open_heap(uint64_t seed);
void close_heap(struct made *made);

/*
 * Puts object I of COUNT, of class 0x200. References lead anywhere, or mostly to
 * neighbouring objects.
 */
void put_object(struct maker *m, uint64_t i, uint64_t count, bool near);

#endif
