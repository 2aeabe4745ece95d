/* SPDX-License-Identifier: MIT */
/*
 * native_pools.c - see native_pools.h.
 *
 * Each buffer that a program has from a pool refers to the memory of its chunk,
 * so that no dominator tells who owns that: the chunk does. It leads to its
 * arena (or magazine, as the adaptive allocator calls what one thread or several
 * take from) and to the allocator.
 */
#include "report/native_pools.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"

static enum hprof_status add_chunk(struct hp_native_finder *f,
				   const struct hp_native_chunk *chunk)
{
	struct hp_natives *to = f->to;

	if (chunk->bytes > HP_NATIVE_MOST || chunk->free > chunk->bytes)
		return HPROF_OK;
	if (hp_grow((void **)&to->chunks, &to->chunk_room, to->chunk_count,
		    sizeof *to->chunks) != HPROF_OK)
		return HPROF_E_NOMEM;
	to->chunks[to->chunk_count++] = *chunk;
	return HPROF_OK;
}

/* What FIELD of the cursor's object refers to, and moves there if it is there. */
static enum hprof_status step(struct hp_native_finder *f, const char *field,
			      uint64_t *ret_index)
{
	struct hprof_object object;
	enum hprof_status status = hp_native_follow(f, field, NULL, &object);

	*ret_index = status == HPROF_OK ? object.index : HPROF_NO_OBJECT;
	return status;
}

/* The chunk's own numbers. HPROF_END: it has not the fields of one. */
static enum hprof_status read_sizes(struct hp_native_finder *f,
				    struct hp_native_chunk *chunk)
{
	uint64_t used;
	enum hprof_status status =
		hp_native_get(f, "chunkSize", "capacity", &chunk->bytes);

	if (status != HPROF_OK)
		return status;
	status = hp_native_get(f, "allocatedBytes", NULL, &used);
	if (status == HPROF_OK)
		chunk->free = used <= chunk->bytes ? chunk->bytes - used : 0;
	else if (status == HPROF_END)
		status = hp_native_get_or_0(f, "freeBytes", NULL, &chunk->free);
	return status;
}

/* Chunks of pools on the heap have arrays, and some none. HPROF_END: no buffer. */
static enum hprof_status read_memory(struct hp_native_finder *f,
				     struct hp_native_chunk *chunk)
{
	struct hprof_object memory;
	enum hprof_status status =
		hp_native_follow(f, "memory", "buffer", &memory);

	if (status != HPROF_OK)
		return status;
	chunk->memory = memory.index;
	return memory.kind == HPROF_OBJECT_INSTANCE ? HPROF_OK : HPROF_END;
}

enum hprof_status hp_native_find_chunk(struct hp_native_finder *f)
{
	struct hp_native_chunk chunk = { .allocator = HPROF_NO_OBJECT };
	enum hprof_status status = read_sizes(f, &chunk);

	if (status == HPROF_OK)
		status = read_memory(f, &chunk);
	if (status != HPROF_OK)
		return status == HPROF_END ? HPROF_OK : status;
	HP_TRY(hp_native_seek(f, f->at));
	status = step(f, "arena", &chunk.arena);
	if (status == HPROF_OK)
		status = step(f, "parent", &chunk.allocator);
	return status < 0 ? status : add_chunk(f, &chunk);
}

enum hprof_status hp_native_find_adaptive_chunk(struct hp_native_finder *f)
{
	struct hp_native_chunk chunk = { .allocator = HPROF_NO_OBJECT };
	struct hprof_object delegate;
	enum hprof_status status = read_sizes(f, &chunk);

	if (status == HPROF_OK)
		status = hp_native_follow(f, "delegate", NULL, &delegate);
	if (status == HPROF_OK)
		status = read_memory(f, &chunk);
	if (status != HPROF_OK)
		return status == HPROF_END ? HPROF_OK : status;
	HP_TRY(hp_native_seek(f, f->at));
	/* A chunk in the central queue has no magazine. */
	status = step(f, "magazine", &chunk.arena);
	if (status == HPROF_OK)
		status = step(f, "parent", &chunk.allocator);
	if (status == HPROF_END) {
		HP_TRY(hp_native_seek(f, f->at));
		status = step(f, "allocator", &chunk.allocator);
	}
	return status < 0 ? status : add_chunk(f, &chunk);
}

/* ---- by memory ----------------------------------------------------------- */

static int compare_memory(const void *left, const void *right)
{
	const struct hp_native_chunk *a = left, *b = right;

	return (a->memory > b->memory) - (a->memory < b->memory);
}

void hp_native_chunks_sort(struct hp_natives *natives)
{
	if (natives->chunk_count)
		qsort(natives->chunks, natives->chunk_count,
		      sizeof *natives->chunks, compare_memory);
}

uint64_t hp_native_chunk_owner(const struct hp_natives *natives,
			       uint64_t memory)
{
	struct hp_native_chunk key = { .memory = memory }, *found = NULL;

	if (natives->chunk_count)
		found = bsearch(&key, natives->chunks, natives->chunk_count,
				sizeof key, compare_memory);
	return found ? found->allocator : HPROF_NO_OBJECT;
}

/* ---- by allocator -------------------------------------------------------- */

static int compare_allocators(const void *left, const void *right)
{
	const struct hp_native_chunk *a = left, *b = right;

	if (a->allocator != b->allocator)
		return a->allocator < b->allocator ? -1 : 1;
	return (a->arena > b->arena) - (a->arena < b->arena);
}

static int compare_pools(const void *left, const void *right)
{
	const struct hprof_native_pool *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->allocator.object > b->allocator.object) -
	       (a->allocator.object < b->allocator.object);
}

/* Those of an arena come together; OTHER_ARENA: this is the first of its. */
static void add_to_pool(struct hprof_native_pool *pool,
			const struct hp_native_chunk *chunk, bool other_arena)
{
	pool->allocator.object = chunk->allocator;
	pool->arenas += other_arena && chunk->arena != HPROF_NO_OBJECT;
	pool->chunks++;
	pool->bytes += chunk->bytes;
	pool->free += chunk->free;
}

enum hprof_status hp_native_pools_sum(struct hp_natives *natives,
				      struct hprof_native_table *table)
{
	const struct hp_native_chunk *chunks = natives->chunks;

	if (natives->chunk_count == 0)
		return HPROF_OK;
	table->pools = hp_calloc(natives->chunk_count, sizeof *table->pools);
	if (!table->pools)
		return HPROF_E_NOMEM;
	qsort(natives->chunks, natives->chunk_count, sizeof *chunks,
	      compare_allocators);
	for (size_t i = 0; i < natives->chunk_count; i++) {
		bool other = i == 0 ||
			     chunks[i].allocator != chunks[i - 1].allocator;

		table->pool_count += other;
		add_to_pool(&table->pools[table->pool_count - 1], &chunks[i],
			    other || chunks[i].arena != chunks[i - 1].arena);
	}
	qsort(table->pools, table->pool_count, sizeof *table->pools,
	      compare_pools);
	return HPROF_OK;
}
