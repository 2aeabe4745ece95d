/* SPDX-License-Identifier: MIT */
/*
 * random_heap.h - small heaps whose objects refer to each other at random, the
 * same for the same seed.
 */
#ifndef RANDOM_HEAP_H
#define RANDOM_HEAP_H

#include "heaps.h"
#include "maker.h"

enum { RANDOM_OBJECTS = 60 };

uint64_t next_random(uint64_t *state);

/*
 * The dump of such a heap. PLACE: the place of each of its objects in memory
 * and in the file. Free MAKER's out.
 */
void random_heap(struct maker *maker, const unsigned *place, uint64_t seed);

/* The last object comes first. */
void open_random(struct opened *ret, uint64_t seed);

#endif
