/* SPDX-License-Identifier: MIT */
/*
 * mem_reserve.c - see mem_reserve.h: a list of free blocks for each size.
 */
#include "base/mem_reserve.h"

#include <assert.h>
#include <stdint.h>

enum { SMALLEST = 5, ORDERS = 64 };

/* In front of each block; as large as malloc's alignment. */
struct block {
	_Alignas(16) size_t order; /* of its size, with this */
	struct block *next;	   /* while it is free */
};

static struct {
	char *start, *end; /* NULL: not in use */
	char *at;	   /* the first byte that never was in a block */
	struct block *free[ORDERS];
} reserve;

void hp_reserve_use(void *start, size_t size)
{
	assert((uintptr_t)start % sizeof(struct block) == 0);
	reserve.start = reserve.at = start;
	reserve.end = start ? (char *)start + size : NULL;
	for (size_t i = 0; i < ORDERS; i++)
		reserve.free[i] = NULL;
}

bool hp_reserve_is_used(void)
{
	return reserve.start != NULL;
}

static bool has(const void *memory)
{
	const uintptr_t at = (uintptr_t)memory;

	return reserve.start && at >= (uintptr_t)reserve.start &&
	       at < (uintptr_t)reserve.end;
}

static struct block *block_of(const void *memory)
{
	return (struct block *)(uintptr_t)memory - 1;
}

static size_t order_for(size_t size)
{
	size_t order = SMALLEST;

	while (((size_t)1 << order) - sizeof(struct block) < size)
		order++;
	return order;
}

void *hp_reserve_alloc(size_t size)
{
	struct block *b;
	size_t order;

	if (size > (size_t)(reserve.end - reserve.start))
		return NULL;
	order = order_for(size);
	b = reserve.free[order];
	if (b) {
		reserve.free[order] = b->next;
		return b + 1;
	}
	if ((size_t)(reserve.end - reserve.at) < (size_t)1 << order)
		return NULL;
	b = (struct block *)(void *)reserve.at;
	reserve.at += (size_t)1 << order;
	b->order = order;
	return b + 1;
}

void hp_reserve_free(void *memory)
{
	struct block *b;

	if (!has(memory))
		return;
	b = block_of(memory);
	b->next = reserve.free[b->order];
	reserve.free[b->order] = b;
}

size_t hp_reserve_room(const void *memory)
{
	return has(memory) ? ((size_t)1 << block_of(memory)->order) -
				     sizeof(struct block)
			   : 0;
}
