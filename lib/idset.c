/*
 * idset.c - see idset.h.
 *
 * Ids that are multiples of 8 (addresses) have a place every 8 ids, others
 * (numbers of the old agents, odd ids of Android) one at every id, in blocks
 * of their own. A small cache of blocks by id saves most look-ups: what is
 * referred to is mostly near.
 */
#include "idset.h"

#include <string.h>

#include "mem.h"

enum { DEFINED = 1, REFERRED = 2, WORDS = HP_IDSET_PLACES / 64 };

#define UNALIGNED ((uint64_t)1 << 63)

static inline uint64_t key_of(uint64_t id)
{
	return id & 7 ? UNALIGNED | id >> 12 : id >> 15;
}

static inline unsigned place_of(uint64_t id)
{
	return (unsigned)(id & 7 ? id : id >> 3) % HP_IDSET_PLACES;
}

static inline size_t cache_index(uint64_t key)
{
	return (size_t)(key ^ key >> 10) % HP_IDSET_CACHE;
}

static __attribute__((noinline)) struct hp_idblock *
find_block(struct hp_idset *set, uint64_t key)
{
	struct hp_idblock *block = hp_idmap_get(&set->blocks, key);

	if (!block) {
		if (hp_grow((void **)&set->all, &set->room, set->count,
			    sizeof *set->all) == 0)
			block = hp_calloc(1, sizeof *block);
		if (!block || hp_idmap_put(&set->blocks, key, block) != 0) {
			hp_free(block);
			set->no_memory = true;
			return NULL;
		}
		block->key = key;
		set->all[set->count++] = block;
	}
	set->cache[cache_index(key)] = block;
	return block;
}

static inline struct hp_idblock *block_of(struct hp_idset *set, uint64_t id)
{
	uint64_t key = key_of(id);
	struct hp_idblock *block = set->cache[cache_index(key)];

	return block && block->key == key ? block : find_block(set, key);
}

/* The list is full: bits from now on. */
static bool make_bits(struct hp_idset *set, struct hp_idblock *block)
{
	block->bits = hp_calloc(2 * WORDS, sizeof *block->bits);
	if (!block->bits) {
		set->no_memory = true;
		return false;
	}
	for (unsigned i = 0; i < block->count; i++) {
		unsigned place = block->list[i] >> 2;
		uint64_t bit = (uint64_t)1 << place % 64;
		if (block->list[i] & DEFINED)
			block->bits[place / 64] |= bit;
		if (block->list[i] & REFERRED)
			block->bits[WORDS + place / 64] |= bit;
	}
	return true;
}

/* Sets FLAG in the list; returns whether it was set. */
static __attribute__((noinline)) bool
set_in_list(struct hp_idset *set, struct hp_idblock *block, unsigned place,
	    unsigned flag)
{
	for (unsigned i = 0; i < block->count; i++) {
		if (block->list[i] >> 2 != place)
			continue;
		bool was = block->list[i] & flag;
		block->list[i] |= (uint16_t)flag;
		return was;
	}
	if (block->count < HP_IDSET_FEW) {
		block->list[block->count++] = (uint16_t)(place << 2 | flag);
		return false;
	}
	if (make_bits(set, block))
		block->bits[(flag == REFERRED ? WORDS : 0) + place / 64] |=
			(uint64_t)1 << place % 64;
	return false;
}

bool hp_idset_define(struct hp_idset *set, uint64_t id)
{
	struct hp_idblock *block = block_of(set, id);
	unsigned place = place_of(id);

	if (!block)
		return true;
	set->defined++;
	if (!block->bits)
		return !set_in_list(set, block, place, DEFINED);
	uint64_t bit = (uint64_t)1 << place % 64;
	bool was = block->bits[place / 64] & bit;
	block->bits[place / 64] |= bit;
	return !was;
}

void hp_idset_refer(struct hp_idset *set, uint64_t id)
{
	struct hp_idblock *block = block_of(set, id);
	unsigned place = place_of(id);

	if (!block)
		return;
	if (!block->bits)
		set_in_list(set, block, place, REFERRED);
	else
		block->bits[WORDS + place / 64] |= (uint64_t)1 << place % 64;
}

bool hp_idset_is_defined(const struct hp_idset *set, uint64_t id)
{
	const struct hp_idblock *block =
		hp_idmap_get(&set->blocks, key_of(id));
	unsigned place = place_of(id);

	if (!block)
		return false;
	if (block->bits)
		return block->bits[place / 64] >> place % 64 & 1;
	for (unsigned i = 0; i < block->count; i++)
		if (block->list[i] >> 2 == place)
			return block->list[i] & DEFINED;
	return false;
}

static uint64_t dangling_in(const struct hp_idblock *block)
{
	uint64_t count = 0;

	for (unsigned i = 0; !block->bits && i < block->count; i++)
		count += (block->list[i] & 3) == REFERRED;
	for (unsigned i = 0; block->bits && i < WORDS; i++)
		count += (unsigned)__builtin_popcountll(
			block->bits[WORDS + i] & ~block->bits[i]);
	return count;
}

uint64_t hp_idset_dangling(const struct hp_idset *set)
{
	uint64_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		count += dangling_in(set->all[i]);
	return count;
}

int hp_idset_init(struct hp_idset *set)
{
	memset(set, 0, sizeof *set);
	return hp_idmap_init(&set->blocks, 2);
}

void hp_idset_done(struct hp_idset *set)
{
	for (size_t i = 0; i < set->count; i++) {
		hp_free(set->all[i]->bits);
		hp_free(set->all[i]);
	}
	hp_free(set->all);
	hp_idmap_done(&set->blocks);
}
