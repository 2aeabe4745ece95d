/* SPDX-License-Identifier: MIT */
/*
 * mem.c - the only file of the library that calls malloc and its relatives.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem_reserve.h"

/* How many more allocations succeed before one fails; -1: all succeed. */
static _Atomic int64_t left_to_fail = -1;

void hp_mem_fail_after(int64_t count)
{
	atomic_store(&left_to_fail, count);
}

bool hp_mem_must_fail(void)
{
	if (atomic_load_explicit(&left_to_fail, memory_order_relaxed) < 0)
		return false;
	/* A negative count stays off; only one thread can see the 0. */
	return atomic_fetch_sub(&left_to_fail, 1) == 0;
}

void *hp_alloc(size_t size)
{
	if (hp_mem_must_fail())
		return NULL;
	if (hp_reserve_is_used())
		return hp_reserve_alloc(size);
	return malloc(size != 0 ? size : 1);
}

void *hp_calloc(size_t count, size_t size)
{
	size_t bytes;
	void *memory;

	if (count == 0 || size == 0)
		count = size = 1;
	if (!hp_reserve_is_used())
		return hp_mem_must_fail() ? NULL : calloc(count, size);
	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	memory = hp_alloc(bytes);
	return memory ? memset(memory, 0, bytes) : NULL;
}

/* What malloc has made is copied: its room is at least what was asked for. */
static void *realloc_in_reserve(void *old, size_t bytes)
{
	size_t room = hp_reserve_room(old);
	void *memory;

	if (room >= bytes && room != 0)
		return old;
	memory = hp_reserve_alloc(bytes);
	if (!memory || !old)
		return memory;
	if (room == 0)
		room = malloc_usable_size(old);
	memcpy(memory, old, room < bytes ? room : bytes);
	hp_reserve_free(old);
	return memory;
}

void *hp_realloc(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || hp_mem_must_fail())
		return NULL;
	if (hp_reserve_is_used())
		return realloc_in_reserve(old, bytes);
	return realloc(old, bytes != 0 ? bytes : 1);
}

char *hp_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = hp_alloc(size);

	if (copy != NULL)
		memcpy(copy, text, size);
	return copy;
}

void hp_free(void *memory)
{
	if (hp_reserve_is_used())
		hp_reserve_free(memory);
	else
		free(memory);
}

/* ARRAY may be the address of any object pointer, hence the memcpy. */
enum hprof_status hp_grow(void **array, size_t *room, size_t used,
			  size_t element)
{
	size_t more;
	void *old;
	void *grown;

	if (used < *room)
		return HPROF_OK;
	more = *room < 8 ? 16 : *room;
	if (more > SIZE_MAX - *room)
		return HPROF_E_NOMEM;
	memcpy(&old, array, sizeof(old));
	grown = hp_realloc(old, *room + more, element);
	if (grown == NULL)
		return HPROF_E_NOMEM;
	memcpy(array, &grown, sizeof(grown));
	*room += more;
	return HPROF_OK;
}
