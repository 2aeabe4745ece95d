/*
 * idset.h - which ids are defined, and which are referred to.
 *
 * Two bits for each place where an object may start, in blocks of 4096
 * places that exist only where ids are: 1 to 2 bytes an object in a real
 * heap. A block begins in its slot of the table, then is a short list, so
 * that a file of scattered ids cannot make us allocate much more than it
 * holds: at most some 40 bytes for an id alone in its block.
 */
#ifndef HP_IDSET_H
#define HP_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HP_IDSET_PLACES = 4096, HP_IDSET_CACHE = 1024 };

struct hp_idset {
	/* Open addressing; of the value see idset.c, 0: empty. */
	struct hp_idslot {
		uint64_t key;
		uint64_t value;
	} * slots;
	uint64_t multiplier; /* odd and random, as in idmap.h */
	unsigned shift;
	size_t mask, count;
	/* Lists and bits of the blocks that have outgrown their slots. */
	void **blocks;
	size_t block_count, block_room;
	/* Blocks with bits that were used last. */
	struct hp_idcache {
		uint64_t key;
		uint64_t *bits; /* defined, then referred to */
	} cache[HP_IDSET_CACHE];
	bool no_memory; /* some id is not in the set */
};

enum hp_idflag { HP_ID_DEFINED = 1, HP_ID_REFERRED = 2 };

/* 0, or -1 without memory. */
int hp_idset_init(struct hp_idset *set);
void hp_idset_done(struct hp_idset *set);

/* For the inline functions below. */
bool hp_idset_set_slowly(struct hp_idset *set, uint64_t key, unsigned place,
			 enum hp_idflag flag);

/* Multiples of 8 have places and blocks of their own. */
static inline uint64_t hp_idset_key(uint64_t id)
{
	return id & 7 ? (uint64_t)1 << 63 | id >> 12 : id >> 15;
}

static inline unsigned hp_idset_place(uint64_t id)
{
	return (unsigned)(id & 7 ? id : id >> 3) % HP_IDSET_PLACES;
}

static inline size_t hp_idset_cached(uint64_t key)
{
	return (size_t)(key ^ key >> 10) % HP_IDSET_CACHE;
}

/* Returns whether the bit was set. */
static inline bool hp_idset_set_bit(uint64_t *bits, unsigned place,
				    enum hp_idflag flag)
{
	unsigned at = (flag == HP_ID_REFERRED ? HP_IDSET_PLACES : 0) + place;
	uint64_t bit = (uint64_t)1 << at % 64;
	bool was = bits[at / 64] & bit;

	bits[at / 64] |= bit;
	return was;
}

static inline bool hp_idset_set(struct hp_idset *set, uint64_t id,
				enum hp_idflag flag)
{
	uint64_t key = hp_idset_key(id);
	const struct hp_idcache *cached = &set->cache[hp_idset_cached(key)];

	if (cached->key == key && cached->bits)
		return hp_idset_set_bit(cached->bits, hp_idset_place(id), flag);
	return hp_idset_set_slowly(set, key, hp_idset_place(id), flag);
}

/* False if ID was defined already. */
static inline bool hp_idset_define(struct hp_idset *set, uint64_t id)
{
	return !hp_idset_set(set, id, HP_ID_DEFINED);
}

static inline void hp_idset_refer(struct hp_idset *set, uint64_t id)
{
	hp_idset_set(set, id, HP_ID_REFERRED);
}

bool hp_idset_is_defined(const struct hp_idset *set, uint64_t id);

/* How many ids are referred to and not defined. */
uint64_t hp_idset_dangling(const struct hp_idset *set);

#endif
