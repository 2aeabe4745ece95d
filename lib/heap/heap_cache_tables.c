/* SPDX-License-Identifier: MIT */
/*
 * heap_cache_tables.c - the file of a heap: what the census counted, where the
 * objects are, and their ids. Classes and roots are not in it: they are few,
 * and read again from the extents that have them.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "census/census_cache.h"
#include "heap/heap.h"

enum {
	CACHED_INDEX = HP_CACHED_CENSUS_END,
	CACHED_KEYS,
	CACHED_BLOCKS,
	CACHED_IDS,
	CACHED_PERM
};

struct index {
	uint64_t shift, sorted;
};

static void file_name(const struct hp_heap_cache *cache, char name[48])
{
	snprintf(name, 48, "%s.heap", cache->name);
}

/* ---- saving -------------------------------------------------------------- */

static bool save_ranks(const struct hp_id_index *r, struct hp_cache_writer *w)
{
	struct hp_id_region *regions;
	struct index index = { r->shift, r->sorted != NULL };
	size_t count;

	if (hp_id_index_regions(r, &regions, &count) != HPROF_OK)
		return false;
	hp_cache_put(w, &index, 1, sizeof index);
	hp_cache_table(w, sizeof(uint64_t));
	for (size_t i = 0; i < count; i++)
		hp_cache_add(w, &regions[i].key, 1);
	hp_cache_table(w, sizeof(struct hp_id_block));
	for (size_t i = 0; i < count; i++)
		hp_cache_add(w, regions[i].blocks, HP_REGION_WORDS);
	hp_cache_put(w, r->sorted, r->sorted ? r->count : 0, sizeof *r->sorted);
	hp_free(regions);
	return true;
}

void hp_heap_save(const struct hprof_heap *heap)
{
	const struct hp_heap_cache *cache = &heap->cache;
	const struct hp_census *census = &heap->summary->impl->census;
	struct hp_cache_writer w;
	char name[48];
	bool good;

	if (!cache->folder || heap->summary->errors)
		return;
	file_name(cache, name);
	hp_cache_begin(&w, cache->folder, name, &cache->key);
	hp_census_save(&census->tally, &census->diagnostics, &heap->extents,
		       &w);
	good = save_ranks(&heap->rank, &w);
	hp_cache_put(&w, heap->perm, heap->perm ? heap->count : 0,
		     sizeof *heap->perm);
	hp_heap_cache_end(cache, &w, good);
}

/* ---- restoring ----------------------------------------------------------- */

static bool restore_ranks(const struct hp_cache_map *map,
			  struct hp_id_index *ret)
{
	uint64_t one = 0, keys = 0, blocks = 0, ids = 0;
	const struct index *index =
		hp_cache_rows(map, CACHED_INDEX, sizeof *index, &one);
	const uint64_t *key =
		hp_cache_rows(map, CACHED_KEYS, sizeof *key, &keys);
	const struct hp_id_block *block =
		hp_cache_rows(map, CACHED_BLOCKS, sizeof *block, &blocks);
	const uint64_t *id = hp_cache_rows(map, CACHED_IDS, sizeof *id, &ids);

	if (!index || one != 1 || !key || !block || !id)
		return false;
	if (index->sorted)
		return hp_id_index_borrow_sorted(id, ids, ret);
	return blocks / HP_REGION_WORDS == keys &&
	       blocks % HP_REGION_WORDS == 0 &&
	       hp_id_index_borrow((unsigned)index->shift, key, (size_t)keys,
				  block, ret);
}

/* Numbers of objects, each less than their number. */
static bool restore_perm(const struct hp_cache_map *map,
			 struct hprof_heap *heap)
{
	uint64_t count = 0;
	const uint32_t *perm =
		hp_cache_rows(map, CACHED_PERM, sizeof *perm, &count);
	uint32_t most = 0;

	if (!perm || (count != 0 && count != heap->rank.count))
		return false;
	for (uint64_t i = 0; i < count; i++)
		most = perm[i] > most ? perm[i] : most;
	if (count && most >= count)
		return false;
	heap->perm = count ? (uint32_t *)(uintptr_t)perm : NULL;
	return true;
}

void hp_heap_restore(struct hprof_heap *heap)
{
	struct hp_heap_cache *cache = &heap->cache;
	char name[48];

	if (!cache->folder)
		return;
	file_name(cache, name);
	if (!hp_cache_open(cache->folder, name, &cache->key, heap->threads,
			   &cache->map))
		return;
	heap->restored = restore_ranks(&cache->map, &heap->rank) &&
			 restore_perm(&cache->map, heap);
	if (heap->restored)
		return;
	hp_id_index_done(&heap->rank);
	hp_cache_close(&cache->map);
}
