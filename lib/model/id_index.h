/* SPDX-License-Identifier: MIT */
/*
 * id_index.h - from the id of an object to its rank among all ids.
 *
 * A bit for each place where an object may start, and beside 64 of these how
 * many bits are set before: a look-up is one cache miss. Bits exist only in
 * regions of the id space where ids are, found by a hash table that stays
 * small. Where ids lie so far apart that bits would take more than the ids
 * themselves, there is a sorted array of ids instead. Both give the same
 * ranks.
 */
#ifndef HP_ID_INDEX_H
#define HP_ID_INDEX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
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
	 * Open addressing by the upper bits of the place. Where keys lie
	 * close together, as they mostly do, the multiplier is 1 and the shift
	 * 0: no two keys meet then, which spares wrong guesses of branches.
	 */
	struct hp_id_region {
		uint64_t key;
		struct hp_id_block *blocks; /* NULL: empty slot */
	} *table;
	uint64_t multiplier; /* else odd and random, as in u64_map.h */
	unsigned table_shift;
	size_t table_mask;
	uint64_t *sorted; /* instead of the table */
};

uint64_t hp_id_index_search(const struct hp_id_index *r, uint64_t id);

static inline size_t hp_id_index_slot(const struct hp_id_index *r, uint64_t key)
{
	return (size_t)((key * r->multiplier) >> r->table_shift) &
	       r->table_mask;
}

/* The block of the place of ID; NULL if there is none. */
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
		/* Then each key has its own slot, and all may be taken. */
		if (r->table_shift == 0)
			return NULL;
	}
}

/* The rank of ID, or HP_NO_RANK. */
static inline uint64_t hp_id_index_find(const struct hp_id_index *r,
					uint64_t id)
{
	const struct hp_id_block *block;
	uint64_t place = id >> r->shift;
	uint64_t bit = (uint64_t)1 << place % 64;

	if (r->sorted)
		return hp_id_index_search(r, id);
	block = hp_id_index_block(r, id);
	if (!block || !(block->bits & bit) || place << r->shift != id)
		return HP_NO_RANK;
	return block->rank + hp_bit_count(block->bits & (bit - 1));
}

/* Brings what hp_id_index_find will look at into the cache. */
static inline void hp_id_index_prefetch(const struct hp_id_index *r,
					uint64_t id)
{
	const struct hp_id_block *block =
		r->sorted ? NULL : hp_id_index_block(r, id);

	if (block)
		__builtin_prefetch(block);
}

void hp_id_index_done(struct hp_id_index *r);

/* A list of ids. */
struct hp_ids {
	uint64_t *items;
	size_t count, room;
};

/* Sorts, drops repeated ones; returns how many are left. */
size_t hp_ids_sort(uint64_t *ids, size_t count);

/* ---- building ------------------------------------------------------------ */

/*
 * By several threads at once. There are two ways: all ids are added by
 * writers, then hp_id_index_finish; if that says HP_ID_INDEX_SPARSE, they are to be
 * put into an array, for hp_id_index_sort.
 */
struct hp_id_index_build {
	unsigned shift;
	bool alone; /* one writer at a time */
	/* How many ids there may be, by which the regions are limited. */
	_Atomic uint64_t expected;
	pthread_mutex_t lock;
	struct hp_u64_map regions; /* key -> uint64_t[HP_REGION_WORDS] */
	bool sparse, no_memory;	   /* under the lock */
};

/*
 * BITS: all ids or-ed. COUNT: how many there may be. Fails only with
 * HPROF_E_NOMEM; done in any case.
 */
enum hprof_status hp_id_index_begin(struct hp_id_index_build *b, uint64_t bits,
				    uint64_t count, bool alone);
/* There may be COUNT more; modulo 2^64, so that it can be taken back. */
void hp_id_index_expect(struct hp_id_index_build *b, uint64_t count);
void hp_id_index_build_done(struct hp_id_index_build *b);

/* One thread's hand. All zero but BUILD to begin with. */
struct hp_id_index_writer {
	struct hp_id_index_build *build;
	uint64_t key;	/* of the region at hand, if there is one */
	uint64_t *bits; /* NULL: none */
	size_t word;
	uint64_t pending;	 /* bits of the word, not yet stored */
	struct hp_u64_map known; /* regions, see build */
	struct hp_ids twice;	 /* ids that were there already */
	bool failed;		 /* too sparse, or no memory: stop */
};
/* Fails only with HPROF_E_NOMEM; done in any case. */
enum hprof_status hp_id_index_writer_init(struct hp_id_index_writer *w,
					  struct hp_id_index_build *b);
void hp_id_index_writer_done(struct hp_id_index_writer *w);

/* Goes to the region of KEY. */
void hp_id_index_turn(struct hp_id_index_writer *w, uint64_t key);
/* Stores what is pending; also before the writer is done. */
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
 * The other way: takes IDS over, sorts them; those that are there twice go to
 * TWICE. Fails only with HPROF_E_NOMEM; IDS is gone in any case.
 */
enum hprof_status hp_id_index_sort(uint64_t *ids, size_t count,
				   struct hp_ids *twice,
				   struct hp_id_index *ret);

#endif
