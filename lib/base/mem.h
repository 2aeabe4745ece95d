/* SPDX-License-Identifier: MIT */
/*
 * mem.h - all memory of the library comes from here, so that tests can make
 * the Nth allocation fail.
 */
#ifndef HP_MEM_H
#define HP_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hprof/error.h"

void *hp_alloc(size_t size);				/* not cleared */
void *hp_calloc(size_t count, size_t size);		/* overflow-checked */
void *hp_realloc(void *old, size_t count, size_t size); /* overflow-checked */
char *hp_strdup(const char *text);
void hp_free(void *memory); /* NULL is fine */

/*
 * True if an allocation is to fail now. For memory that does not come from
 * malloc, such as mapped tables.
 */
bool hp_mem_must_fail(void);

/*
 * For tests: COUNT more allocations succeed and the next one fails, once; -1
 * turns that off.
 */
void hp_mem_fail_after(int64_t count);

/*
 * Makes room for one more element in a growing array: doubles *ROOM.
 * Fails only with HPROF_E_NOMEM, and then changes nothing.
 */
enum hprof_status hp_grow(void **array, size_t *room, size_t used,
			  size_t element);

#endif
