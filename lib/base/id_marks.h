/* SPDX-License-Identifier: MIT */
/*
 * id_marks.h - which ids are defined, and which are referred to.
 *
 * There are two bits for each place where an object may start, in blocks of
 * 4096 places that are allocated only where ids occur: 1 to 2 bytes per object
 * in a real heap. A block starts inside its table slot and then becomes a short
 * list, so that a file of scattered ids cannot make us allocate much more than
 * its own size: at most about 40 bytes for an id that is alone in its block.
 * Id 0 (null) counts as defined, so that callers need not test for it.
 */
#ifndef HP_ID_MARKS_H
#define HP_ID_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hprof/error.h"

enum {
	HP_ID_MARKS_PLACES = 4096,
	HP_ID_MARKS_WORDS = HP_ID_MARKS_PLACES / 64,
	HP_ID_MARKS_CACHE = 1024
};

struct hp_id_marks {
	/* Open addressing; id_marks.c explains the value. 0: empty. */
	struct hp_id_slot {
		uint64_t key;
		uint64_t value;
	} *slots;
	uint64_t multiplier; /* odd and random, as in u64_map.h */
	unsigned shift;
	size_t mask, count;
	/* Lists and bit sets of the blocks that have outgrown their slots. */
	void **blocks;
	size_t block_count, block_room;
	uint64_t allowance; /* bytes of bits that may be made early */
	/* Recently used blocks with bit sets; the first is that of id 0. */
	struct hp_id_cache {
		uint64_t base;	/* hp_id_marks_base, or the key of odd ids */
		uint64_t *bits; /* defined, then referred to */
	} cache[HP_ID_MARKS_CACHE];
	bool no_memory; /* out of memory: some id is missing from the set */
};

enum hp_id_flag { HP_ID_DEFINED = 1, HP_ID_REFERRED = 2 };

/* Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_id_marks_init(struct hp_id_marks *set);
void hp_id_marks_done(struct hp_id_marks *set);

/*
 * Tells the set that COUNT more objects are known. New blocks may then have
 * their bit sets at once, up to 2 bytes for each of these objects.
 */
static inline void hp_id_marks_allow(struct hp_id_marks *set, uint64_t count)
{
	set->allowance += 2 * count;
}

/* The slow path of the inline functions below. */
bool hp_id_marks_set_slowly(struct hp_id_marks *set, uint64_t id,
			    enum hp_id_flag flag);

/*
 * The base of the block of ID. It keeps the low three bits, so that one
 * comparison with a cached base checks both that the block is the same and
 * that ID is a multiple of 8.
 */
static inline uint64_t hp_id_marks_base(uint64_t id)
{
	return id & ~((HP_ID_MARKS_PLACES - 1) * (uint64_t)8);
}

/* Sets the bit of ID, a multiple of 8. Returns whether it was set before. */
static inline bool hp_id_marks_set_bit(uint64_t *bits, uint64_t id,
				       enum hp_id_flag flag)
{
	uint64_t *word =
		&bits[(flag == HP_ID_REFERRED ? HP_ID_MARKS_WORDS : 0) +
		      id / 512 % HP_ID_MARKS_WORDS];
	uint64_t bit = (uint64_t)1 << id / 8 % 64;
	bool was = *word & bit;

	*word |= bit;
	return was;
}

/* Whether ID, a multiple of 8, is defined. */
static inline bool hp_id_marks_bit(const uint64_t *bits, uint64_t id)
{
	return bits[id / 512 % HP_ID_MARKS_WORDS] >> id / 8 % 64 & 1;
}

static inline bool hp_id_marks_set(struct hp_id_marks *set, uint64_t id,
				   enum hp_id_flag flag)
{
	const struct hp_id_cache *cached =
		&set->cache[id / 8 / HP_ID_MARKS_PLACES % HP_ID_MARKS_CACHE];

	if (cached->base == hp_id_marks_base(id))
		return hp_id_marks_set_bit(cached->bits, id, flag);
	return hp_id_marks_set_slowly(set, id, flag);
}

/* Marks ID as defined. False if it was defined already. */
static inline bool hp_id_marks_define(struct hp_id_marks *set, uint64_t id)
{
	return !hp_id_marks_set(set, id, HP_ID_DEFINED);
}

static inline void hp_id_marks_refer(struct hp_id_marks *set, uint64_t id)
{
	hp_id_marks_set(set, id, HP_ID_REFERRED);
}

/*
 * Defines ids that mostly ascend, as those of a heap do: the run remembers the
 * block of the last one. Returns false like hp_id_marks_define.
 */
struct hp_id_run {
	uint64_t base; /* HP_NO_BASE: none yet */
	uint64_t *bits;
};
#define HP_NO_BASE UINT64_C(8)

bool hp_id_marks_define_slowly(struct hp_id_marks *set, struct hp_id_run *run,
			       uint64_t id);

static inline bool hp_id_marks_define_next(struct hp_id_marks *set,
					   struct hp_id_run *run, uint64_t id)
{
	if (run->base != hp_id_marks_base(id))
		return hp_id_marks_define_slowly(set, run, id);
	return !hp_id_marks_set_bit(run->bits, id, HP_ID_DEFINED);
}

bool hp_id_marks_is_defined_slowly(struct hp_id_marks *set, uint64_t id);

static inline bool hp_id_marks_is_defined(struct hp_id_marks *set, uint64_t id)
{
	const struct hp_id_cache *cached =
		&set->cache[id / 8 / HP_ID_MARKS_PLACES % HP_ID_MARKS_CACHE];

	if (cached->base == hp_id_marks_base(id))
		return hp_id_marks_bit(cached->bits, id);
	return hp_id_marks_is_defined_slowly(set, id);
}

/* The number of ids that are referred to but not defined. */
uint64_t hp_id_marks_dangling(const struct hp_id_marks *set);

#endif
