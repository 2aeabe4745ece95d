/* SPDX-License-Identifier: MIT */
/*
 * mem_reserve.h - memory that was set aside beforehand, for a process in which
 * malloc must not be called: one forked from a process with threads.
 *
 * Blocks have sizes of powers of two and are used again when freed. Not for use
 * by several threads.
 */
#ifndef HP_MEM_RESERVE_H
#define HP_MEM_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * From now on the functions of mem.h take from the SIZE bytes at START, which
 * are aligned to a page, fail when those are used up, and give nothing back to
 * malloc. Only a START of NULL, for tests, turns that off.
 */
void hp_reserve_use(void *start, size_t size);

/* Is it in use? */
bool hp_reserve_is_used(void);

/* NULL if there is not enough left. */
void *hp_reserve_alloc(size_t size);

/* Memory from elsewhere stays as it is. */
void hp_reserve_free(void *memory);

/*
 * The room of a block of the reserve; 0 if MEMORY is from elsewhere.
 */
size_t hp_reserve_room(const void *memory);

#endif
