/* SPDX-License-Identifier: MIT */
/*
 * visit.h - reduces everything that a heap returns to one hash, and checks that
 * the heap is consistent. Used by unit tests and fuzz targets.
 */
#ifndef VISIT_H
#define VISIT_H

#include <hprof.h>

/*
 * Goes to every object, in order and at random, finds it again by its id, and
 * reads everything in it. Returns NULL, or what is wrong. *RET_HASH is the same
 * for heaps with the same contents.
 */
const char *heap_visit(const struct hprof_heap *heap, uint64_t *ret_hash);

#endif
