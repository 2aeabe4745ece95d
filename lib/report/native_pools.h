/* SPDX-License-Identifier: MIT */
/*
 * native_pools.h - the chunks of netty's pooled allocators. Their memory is in
 * direct buffers, which count as such; here is who has them, and how much of it
 * is free.
 */
#ifndef HP_NATIVE_POOLS_H
#define HP_NATIVE_POOLS_H

#include "report/native_finder.h"

/* Of PoolChunk (netty 4.0 and later). */
hp_native_find_fn hp_native_find_chunk;

/* Of AdaptivePoolingAllocator (4.1.75 and later, what 4.2 takes by default). */
hp_native_find_fn hp_native_find_adaptive_chunk;

/* After the last chunk. */
void hp_native_chunks_sort(struct hp_natives *natives);

/*
 * The allocator whose chunk the buffer MEMORY is; HPROF_NO_OBJECT: it is no
 * chunk. Needs hp_native_chunks_sort.
 */
uint64_t hp_native_chunk_owner(const struct hp_natives *natives,
			       uint64_t memory);

/* Sums for each allocator, by bytes. Free TABLE's pools in any case. */
enum hprof_status hp_native_pools_sum(struct hp_natives *natives,
				      struct hprof_native_table *table);

#endif
