/* SPDX-License-Identifier: MIT */
/*
 * id_index.c - see id_index.h.
 *
 * While ids are added, a region consists only of bits. The writers share a
 * table of the regions under a lock, and each caches the regions that it has
 * met. A writer holds back the bits of one word until an id lies outside of it,
 * so that neighbours cost one store. At the end regions get their ranks in the
 * order of their keys.
 */
#include "model/id_index.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/search.h"

/* Regions have room for the ranks from the beginning. */
enum { REGION_BYTES = HP_REGION_WORDS * sizeof(struct hp_id_block) };
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { FREE_REGIONS = 4 };
#else
enum { FREE_REGIONS = 256 };
#endif

/* ---- sorted ids ---------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

size_t hp_ids_sort(uint64_t *ids, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(ids, count, sizeof *ids, compare_ids);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			ids[kept++] = ids[i];
	return kept;
}

uint64_t hp_id_index_search(const struct hp_id_index *r, uint64_t id)
{
	/* They are in memory, so a size_t counts them. */
	size_t at = hp_ids_below(r->sorted, (size_t)r->count, id);

	return at < r->count && r->sorted[at] == id ? at : HP_NO_RANK;
}

static enum hprof_status add_id(struct hp_ids *ids, uint64_t id)
{
	HP_TRY(hp_grow((void **)&ids->items, &ids->room, ids->count,
		       sizeof *ids->items));
	ids->items[ids->count++] = id;
	return HPROF_OK;
}

enum hprof_status hp_id_index_sort(uint64_t *ids, size_t count,
				   struct hp_ids *twice,
				   struct hp_id_index *ret)
{
	size_t kept = 0;

	if (count)
		qsort(ids, count, sizeof *ids, compare_ids);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || ids[i] != ids[kept - 1])
			ids[kept++] = ids[i];
		else if (add_id(twice, ids[i]) != HPROF_OK) {
			hp_free(ids);
			return HPROF_E_NOMEM;
		}
	}
	*ret = (struct hp_id_index){ .count = kept, .sorted = ids };
	return HPROF_OK;
}

/* ---- writers ------------------------------------------------------------- */

enum hprof_status hp_id_index_begin(struct hp_id_index_build *b, uint64_t bits,
				    uint64_t count, bool alone)
{
	memset(b, 0, sizeof *b);
	pthread_mutex_init(&b->lock, NULL);
	b->shift = bits ? (unsigned)__builtin_ctzll(bits) : 0;
	b->alone = alone;
	b->expected = count;
	return hp_u64_map_init(&b->regions, 2);
}

void hp_id_index_expect(struct hp_id_index_build *b, uint64_t count)
{
	atomic_fetch_add_explicit(&b->expected, count, memory_order_relaxed);
}

void hp_id_index_build_done(struct hp_id_index_build *b)
{
	for (size_t i = 0; b->regions.slots && i <= b->regions.mask; i++)
		hp_free(b->regions.slots[i].value);
	hp_u64_map_done(&b->regions);
	pthread_mutex_destroy(&b->lock);
}

enum hprof_status hp_id_index_writer_init(struct hp_id_index_writer *w,
					  struct hp_id_index_build *b)
{
	memset(w, 0, sizeof *w);
	w->build = b;
	return hp_u64_map_init(&w->known, 2);
}

void hp_id_index_writer_done(struct hp_id_index_writer *w)
{
	hp_u64_map_done(&w->known);
	hp_free(w->twice.items);
}

/*
 * Cleared here, not by the kernel when it is touched: bits are read before they are
 * written, so that each page would be faulted in twice. What ranks need besides is only
 * written.
 */
static uint64_t *new_region(void)
{
	uint64_t *bits = hp_alloc(REGION_BYTES);

	if (bits)
		memset(bits, 0, HP_REGION_WORDS * sizeof *bits);
	return bits;
}

/* Called with the lock held. */
static uint64_t *region_of(struct hp_id_index_build *b, uint64_t key)
{
	uint64_t *bits = hp_u64_map_get(&b->regions, key);
	uint64_t expected =
		atomic_load_explicit(&b->expected, memory_order_relaxed);

	if (bits)
		return bits;
	/* The bits may take as much memory as the ids would. */
	if (b->regions.count >= FREE_REGIONS + expected / HP_REGION_WORDS) {
		b->sparse = true;
		return NULL;
	}
	bits = new_region();
	if (!bits || hp_u64_map_put(&b->regions, key, bits) != HPROF_OK) {
		b->no_memory = true;
		hp_free(bits);
		return NULL;
	}
	return bits;
}

void hp_id_index_turn(struct hp_id_index_writer *w, uint64_t key)
{
	struct hp_id_index_build *b = w->build;
	uint64_t *bits = hp_u64_map_get(&w->known, key);

	if (w->failed)
		return;
	if (!bits) {
		pthread_mutex_lock(&b->lock);
		bits = b->sparse ? NULL : region_of(b, key);
		pthread_mutex_unlock(&b->lock);
		if (bits && hp_u64_map_put(&w->known, key, bits) != HPROF_OK) {
			pthread_mutex_lock(&b->lock);
			b->no_memory = true;
			pthread_mutex_unlock(&b->lock);
			bits = NULL;
		}
	}
	w->failed = !bits;
	w->bits = bits;
	w->key = key;
}

/* BITS of the current word were set before. */
__attribute__((noinline)) void hp_id_index_twice(struct hp_id_index_writer *w,
						 uint64_t bits)
{
	uint64_t first = (w->key << HP_REGION_BITS) + 64 * (uint64_t)w->word;

	for (; bits; bits &= bits - 1) {
		uint64_t place = first + (unsigned)__builtin_ctzll(bits);
		if (add_id(&w->twice, place << w->build->shift) != HPROF_OK) {
			pthread_mutex_lock(&w->build->lock);
			w->build->no_memory = w->failed = true;
			pthread_mutex_unlock(&w->build->lock);
		}
	}
}

void hp_id_index_flush(struct hp_id_index_writer *w)
{
	uint64_t bits = w->pending, old;

	w->pending = 0;
	if (!bits || !w->bits)
		return;
	if (w->build->alone) {
		old = w->bits[w->word];
		w->bits[w->word] = old | bits;
	} else {
		old = __atomic_fetch_or(&w->bits[w->word], bits,
					__ATOMIC_RELAXED);
	}
	if (old & bits)
		hp_id_index_twice(w, old & bits);
}

/* ---- ranks --------------------------------------------------------------- */

/*
 * Converts bits to blocks in place, from the last to the first, so that only
 * bits that have been read are overwritten.
 */
static struct hp_id_block *make_blocks(uint64_t *bits, uint64_t *rank)
{
	struct hp_id_block *blocks = (struct hp_id_block *)bits;
	uint64_t next = *rank;

	for (size_t i = 0; i < HP_REGION_WORDS; i++)
		next += hp_bit_count(bits[i]);
	*rank = next;
	for (size_t i = HP_REGION_WORDS; i > 0; i--) {
		struct hp_id_block block = { .bits = 0 };
		memcpy(&block.bits, (char *)bits + (i - 1) * sizeof *bits,
		       sizeof *bits);
		next -= hp_bit_count(block.bits);
		block.rank = (uint32_t)next;
		memcpy(&blocks[i - 1], &block, sizeof block);
	}
	return blocks;
}

/* A region without ranks. */
struct raw_region {
	uint64_t key;
	uint64_t *bits;
};

static int compare_regions(const void *a, const void *b)
{
	const struct raw_region *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Takes the regions out of MAP, sorted by key. NULL without memory. */
static struct raw_region *take_regions(struct hp_u64_map *map,
				       size_t *ret_count)
{
	struct raw_region *all = hp_calloc(map->count + 1, sizeof *all);
	size_t n = 0;

	if (!all)
		return NULL;
	for (size_t i = 0; i <= map->mask; i++)
		if (map->slots[i].value)
			all[n++] = (struct raw_region){ map->slots[i].key,
							map->slots[i].value };
	if (n)
		qsort(all, n, sizeof *all, compare_regions);
	*ret_count = n;
	hp_u64_map_done(map);
	return all;
}

static unsigned bits_for(uint64_t slots)
{
	unsigned bits = 3;

	while (((uint64_t)1 << bits) < slots)
		bits++;
	return bits;
}

/*
 * Makes the table of REGIONS, which are sorted. One slot stays empty, to end
 * searches.
 */
static enum hprof_status make_table(struct hp_id_index *r,
				    const struct raw_region *regions,
				    size_t count)
{
	enum { SPARE = 4096, MANY = 8 };
	uint64_t span = count ? regions[count - 1].key - regions[0].key + 1 : 1;
	bool dense = span / MANY <= count + SPARE;
	unsigned bits = bits_for(dense ? span + 1 : 2 * (uint64_t)count);

	r->table = hp_calloc((size_t)1 << bits, sizeof *r->table);
	r->table_mask = ((size_t)1 << bits) - 1;
	r->table_shift = dense ? 0 : 64 - bits;
	if (dense)
		r->multiplier = 1;
	return r->table ? HPROF_OK : HPROF_E_NOMEM;
}

static void put_region(struct hp_id_index *r, uint64_t key,
		       struct hp_id_block *blocks)
{
	size_t i = hp_id_index_slot(r, key);

	while (r->table[i].blocks)
		i = (i + 1) & r->table_mask;
	r->table[i] = (struct hp_id_region){ key, blocks };
}

enum hp_id_index_result hp_id_index_finish(struct hp_id_index_build *b,
					   struct hp_id_index *ret)
{
	struct hp_id_index r = { .shift = b->shift,
				 .multiplier = b->regions.multiplier };
	struct raw_region *regions;
	size_t count = 0;
	bool good;

	if (b->no_memory)
		return HP_ID_INDEX_NO_MEMORY;
	if (b->sparse)
		return HP_ID_INDEX_SPARSE;
	regions = take_regions(&b->regions, &count);
	good = regions && make_table(&r, regions, count) == HPROF_OK;
	for (size_t i = 0; i < count; i++) {
		if (good)
			put_region(&r, regions[i].key,
				   make_blocks(regions[i].bits, &r.count));
		else
			hp_free(regions[i].bits);
	}
	hp_free(regions);
	if (!good) {
		hp_id_index_done(&r);
		return HP_ID_INDEX_NO_MEMORY;
	}
	*ret = r;
	return HP_ID_INDEX_OK;
}

/* ---- an index that is kept elsewhere ------------------------------------- */

static int compare_finished(const void *a, const void *b)
{
	const struct hp_id_region *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

enum hprof_status hp_id_index_regions(const struct hp_id_index *r,
				      struct hp_id_region **ret_regions,
				      size_t *ret_count)
{
	size_t slots = r->table ? r->table_mask + 1 : 0, n = 0;
	struct hp_id_region *all = hp_calloc(slots + 1, sizeof *all);

	if (!all)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < slots; i++)
		if (r->table[i].blocks)
			all[n++] = r->table[i];
	if (n)
		qsort(all, n, sizeof *all, compare_finished);
	*ret_regions = all;
	*ret_count = n;
	return HPROF_OK;
}

/* Whether the ranks are those of the bits. Counts these from *RANK on. */
static bool good_ranks(const struct hp_id_block *blocks, uint64_t *rank)
{
	bool good = true;

	for (size_t i = 0; i < HP_REGION_WORDS; i++) {
		good = good && blocks[i].rank == *rank;
		*rank += hp_bit_count(blocks[i].bits);
	}
	return good;
}

static bool borrow_regions(struct hp_id_index *r, struct raw_region *regions,
			   const uint64_t *keys, size_t count,
			   const struct hp_id_block *blocks)
{
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && keys[i] <= keys[i - 1])
			return false;
		regions[i].key = keys[i];
	}
	if (make_table(r, regions, count) != HPROF_OK)
		return false;
	for (size_t i = 0; i < count; i++, blocks += HP_REGION_WORDS) {
		if (!good_ranks(blocks, &r->count))
			return false;
		put_region(r, keys[i], (struct hp_id_block *)blocks);
	}
	return true;
}

bool hp_id_index_borrow(unsigned shift, const uint64_t *keys, size_t count,
			const struct hp_id_block *blocks,
			struct hp_id_index *ret)
{
	struct hp_id_index r = { .shift = shift, .borrowed = true };
	struct raw_region *regions = hp_calloc(count + 1, sizeof *regions);
	struct hp_u64_map map = { 0 }; /* for its multiplier */
	bool good =
		regions && shift < 64 && hp_u64_map_init(&map, 2) == HPROF_OK;

	r.multiplier = map.multiplier;
	good = good && borrow_regions(&r, regions, keys, count, blocks);
	hp_u64_map_done(&map);
	hp_free(regions);
	if (good)
		*ret = r;
	else
		hp_id_index_done(&r);
	return good;
}

bool hp_id_index_borrow_sorted(const uint64_t *ids, uint64_t count,
			       struct hp_id_index *ret)
{
	for (uint64_t i = 1; i < count; i++)
		if (ids[i] <= ids[i - 1])
			return false;
	*ret = (struct hp_id_index){ .count = count,
				     .sorted = (uint64_t *)ids,
				     .borrowed = true };
	return true;
}

void hp_id_index_done(struct hp_id_index *r)
{
	for (size_t i = 0; r->table && !r->borrowed && i <= r->table_mask; i++)
		hp_free(r->table[i].blocks);
	hp_free(r->table);
	if (!r->borrowed)
		hp_free(r->sorted);
	*r = (struct hp_id_index){ 0 };
}
