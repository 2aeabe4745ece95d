/* SPDX-License-Identifier: MIT */
/*
 * visit.h - all that a heap says, as one number, and whether it agrees with
 * itself. Used by unit tests and fuzz targets.
 */
#ifndef VISIT_H
#define VISIT_H

#include <hprof.h>

/*
 * Goes to every object, by number and by chance; finds it again by its id;
 * asks for everything that is in it. NULL, or what is wrong; *RET_HASH is
 * the same for heaps that say the same.
 */
const char *heap_visit(const struct hprof_heap *heap, uint64_t *ret_hash);

#endif
