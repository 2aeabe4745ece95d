/* SPDX-License-Identifier: MIT */
/*
 * random_heap.h - small heaps whose objects refer to each other at random. The
 * same seed gives the same heap.
 */
#ifndef RANDOM_HEAP_H
#define RANDOM_HEAP_H

#include "heaps.h"
#include "maker.h"

enum { RANDOM_OBJECTS = 60 };

uint64_t next_random(uint64_t *state);

/* From 0 to below N. Each test, a process of its own, gets the same numbers. */
uint32_t random_below(uint32_t n);

/*
 * Makes the dump of such a heap. PLACE gives the position of each object in
 * memory and in the file. The caller frees MAKER's out.
 */
void random_heap(struct maker *maker, const unsigned *place, uint64_t seed);

/* Opens a random heap in which the last object comes first. */
void open_random(struct opened *ret, uint64_t seed);

#endif
