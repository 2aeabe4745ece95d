/* SPDX-License-Identifier: MIT */
/*
 * id_index.h - from the id of an object to its rank among all ids.
 *
 * There is a bit for each place where an object may start, and beside each 64
 * bits the number of bits set before them: a look-up costs one cache miss. Bits
 * exist only for regions of the id space that have ids, which are found by a
 * small hash table. If ids are so sparse that bits would take more memory than
 * the ids themselves, there is a sorted array of ids instead. Both give the
 * same ranks.
 */
#ifndef HP_ID_INDEX_H
#define HP_ID_INDEX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/prefetch.h"
#include "base/u64_map.h"

#define HP_NO_RANK UINT64_MAX

enum {
	HP_REGION_BITS = 16, /* places of a region: 512 KiB of a usual heap */
	HP_REGION_WORDS = 1 << (HP_REGION_BITS - 6)
};

/* 12 bytes: unaligned loads cost less than the padding would. */
struct hp_id_block {
	uint64_t bits;
	uint32_t rank; /* of the first bit */
} __attribute__((packed));

struct hp_id_index {
	unsigned shift; /* ids are multiples of 1 << shift */
	uint64_t count;
	/*
	 * Open addressing by the upper bits of the place. If keys are close
	 * together, as they mostly are, the multiplier is 1 and the shift 0:
	 * then no two keys collide, which avoids mispredicted branches.
	 */
	struct hp_id_region {
		uint64_t key;
		struct hp_id_block *blocks; /* NULL: empty slot */
	} *table;
	uint64_t multiplier; /* 1, or odd and random as in u64_map.h */
	unsigned table_shift;
	size_t table_mask;
	uint64_t *sorted; /* instead of the table */
	bool borrowed;	  /* the blocks, or the sorted ids */
};

uint64_t hp_id_index_search(const struct hp_id_index *r, uint64_t id);

static inline size_t hp_id_index_slot(const struct hp_id_index *r, uint64_t key)
{
	return (size_t)((key * r->multiplier) >> r->table_shift) &
	       r->table_mask;
}

/* The block with the place of ID; NULL if there is none. */
static inline const struct hp_id_block *
hp_id_index_block(const struct hp_id_index *r, uint64_t id)
{
	uint64_t place = id >> r->shift;
	uint64_t key = place >> HP_REGION_BITS;
	size_t i = hp_id_index_slot(r, key);

	for (;; i = (i + 1) & r->table_mask) {
		const struct hp_id_region *region = &r->table[i];
		if (!region->blocks)
			return NULL;
		if (region->key == key)
			return &region->blocks[(place >> 6) % HP_REGION_WORDS];
		/* Then each key has its own slot, and no slot need be empty. */
		if (r->table_shift == 0)
			return NULL;
	}
}

/*
 * The rank of ID, or HP_NO_RANK, by what hp_id_index_block returned. Not where ids
 * are sorted.
 */
static inline uint64_t hp_id_index_find_in(const struct hp_id_index *r,
					   const struct hp_id_block *block,
					   uint64_t id)
{
	uint64_t place = id >> r->shift;
	uint64_t bit = (uint64_t)1 << place % 64;

	if (!block || !(block->bits & bit) || place << r->shift != id)
		return HP_NO_RANK;
	return block->rank + hp_bit_count(block->bits & (bit - 1));
}

/* The rank of ID, or HP_NO_RANK. */
static inline uint64_t hp_id_index_find(const struct hp_id_index *r,
					uint64_t id)
{
	return r->sorted ? hp_id_index_search(r, id)
			 : hp_id_index_find_in(r, hp_id_index_block(r, id), id);
}

/* Prefetches what hp_id_index_find will read, which is returned, or NULL. */
static inline const struct hp_id_block *
hp_id_index_prefetch(const struct hp_id_index *r, uint64_t id)
{
	const struct hp_id_block *block =
		r->sorted ? NULL : hp_id_index_block(r, id);

	if (block)
		hp_prefetch(block);
	return block;
}

void hp_id_index_done(struct hp_id_index *r);

/* ---- an index that is kept elsewhere ------------------------------------- */

/* The regions of an index, in the order of their keys. */
enum hprof_status hp_id_index_regions(const struct hp_id_index *r,
				      struct hp_id_region **ret_regions,
				      size_t *ret_count);

/*
 * Makes an index of COUNT regions with KEYS, whose BLOCKS follow each other and
 * are borrowed. False without memory, or if these cannot be those of an index.
 */
bool hp_id_index_borrow(unsigned shift, const uint64_t *keys, size_t count,
			const struct hp_id_block *blocks,
			struct hp_id_index *ret);

/* The same for COUNT sorted ids. */
bool hp_id_index_borrow_sorted(const uint64_t *ids, uint64_t count,
			       struct hp_id_index *ret);

/* A list of ids. */
struct hp_ids {
	uint64_t *items;
	size_t count, room;
};

/* Sorts the ids and drops duplicates; returns how many are left. */
size_t hp_ids_sort(uint64_t *ids, size_t count);

/* ---- building ------------------------------------------------------------ */

/*
 * Several threads may build an index. There are two ways. First all ids are
 * added by writers, followed by hp_id_index_finish; if that returns
 * HP_ID_INDEX_SPARSE, the ids must be put into an array for hp_id_index_sort.
 */
struct hp_id_index_build {
	unsigned shift;
	bool alone; /* one writer at a time */
	/* The maximal number of ids, which limits the number of regions. */
	_Atomic uint64_t expected;
	pthread_mutex_t lock;
	struct hp_u64_map regions; /* key -> uint64_t[HP_REGION_WORDS] */
	bool sparse, no_memory;	   /* under the lock */
};

/*
 * BITS: bitwise OR of all ids. COUNT: their maximal number. Fails only with
 * HPROF_E_NOMEM; to be freed in any case.
 */
enum hprof_status hp_id_index_begin(struct hp_id_index_build *b, uint64_t bits,
				    uint64_t count, bool alone);
/*
 * Raises the maximal number by COUNT, modulo 2^64, so that it can be lowered,
 * too.
 */
void hp_id_index_expect(struct hp_id_index_build *b, uint64_t count);
void hp_id_index_build_done(struct hp_id_index_build *b);

/* The writer of one thread. Must be zeroed except for BUILD. */
struct hp_id_index_writer {
	struct hp_id_index_build *build;
	uint64_t key;	/* of the current region, if there is one */
	uint64_t *bits; /* NULL: none */
	size_t word;
	uint64_t pending;	 /* bits of the current word, not stored yet */
	struct hp_u64_map known; /* cached regions, see build */
	struct hp_ids twice;	 /* ids that were added before */
	bool failed;		 /* too sparse, or out of memory: stop */
};
/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_id_index_writer_init(struct hp_id_index_writer *w,
					  struct hp_id_index_build *b);
void hp_id_index_writer_done(struct hp_id_index_writer *w);

/* Changes to the region of KEY. */
void hp_id_index_turn(struct hp_id_index_writer *w, uint64_t key);
/* Stores pending bits; to be called before the writer is freed, too. */
void hp_id_index_flush(struct hp_id_index_writer *w);
void hp_id_index_twice(struct hp_id_index_writer *w, uint64_t bits);

static inline void hp_id_index_add(struct hp_id_index_writer *w, uint64_t id)
{
	uint64_t place = id >> w->build->shift;
	uint64_t key = place >> HP_REGION_BITS;
	size_t word = (size_t)(place >> 6) % HP_REGION_WORDS;
	uint64_t bit = (uint64_t)1 << place % 64;

	if (word != w->word || key != w->key || !w->bits) {
		hp_id_index_flush(w);
		if (key != w->key || !w->bits)
			hp_id_index_turn(w, key);
		if (w->failed)
			return;
		w->word = word;
	}
	if (w->pending & bit)
		hp_id_index_twice(w, bit);
	w->pending |= bit;
}

enum hp_id_index_result {
	HP_ID_INDEX_OK,
	HP_ID_INDEX_SPARSE,
	HP_ID_INDEX_NO_MEMORY
};
enum hp_id_index_result hp_id_index_finish(struct hp_id_index_build *b,
					   struct hp_id_index *ret);

/*
 * The second way: takes over IDS and sorts them; duplicates go to TWICE. Fails
 * only with HPROF_E_NOMEM; IDS is gone in any case.
 */
enum hprof_status hp_id_index_sort(uint64_t *ids, size_t count,
				   struct hp_ids *twice,
				   struct hp_id_index *ret);

#endif
