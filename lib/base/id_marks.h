/* SPDX-License-Identifier: MIT */
/*
 * id_marks.h - which ids are defined, and which are referred to.
 *
 * Two bits for each place where an object may start, in blocks of 4096
 * places that exist only where ids are: 1 to 2 bytes an object in a real
 * heap. A block begins in its slot of the table, then is a short list, so
 * that a file of scattered ids cannot make us allocate much more than it
 * holds: at most some 40 bytes for an id alone in its block. 0 is no id: it
 * counts as defined, so that null needs no look of its own.
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
	/* Open addressing; of the value see id_marks.c, 0: empty. */
	struct hp_id_slot {
		uint64_t key;
		uint64_t value;
	} *slots;
	uint64_t multiplier; /* odd and random, as in u64_map.h */
	unsigned shift;
	size_t mask, count;
	/* Lists and bits of the blocks that have outgrown their slots. */
	void **blocks;
	size_t block_count, block_room;
	uint64_t allowance; /* bytes of bits that may be made early */
	/* Blocks with bits that were used last; the first is that of 0. */
	struct hp_id_cache {
		uint64_t base;	/* see hp_id_marks_base; or that of odd ids */
		uint64_t *bits; /* defined, then referred to */
	} cache[HP_ID_MARKS_CACHE];
	bool no_memory; /* some id is not in the set */
};

enum hp_id_flag { HP_ID_DEFINED = 1, HP_ID_REFERRED = 2 };

/* Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_id_marks_init(struct hp_id_marks *set);
void hp_id_marks_done(struct hp_id_marks *set);

/*
 * COUNT objects more are known: blocks that begin may have their bits at
 * once, up to 2 bytes for each of these.
 */
static inline void hp_id_marks_allow(struct hp_id_marks *set, uint64_t count)
{
	set->allowance += 2 * count;
}

/* For the inline functions below. */
bool hp_id_marks_set_slowly(struct hp_id_marks *set, uint64_t id,
			    enum hp_id_flag flag);

/*
 * Multiples of 8 have blocks of their own. The base of theirs, with the low
 * bits of others, so that one comparison tells both.
 */
static inline uint64_t hp_id_marks_base(uint64_t id)
{
	return id & ~((HP_ID_MARKS_PLACES - 1) * (uint64_t)8);
}

/* Returns whether the bit of an id that is a multiple of 8 was set. */
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

/* Whether it is defined. */
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

/* False if ID was defined already. */
static inline bool hp_id_marks_define(struct hp_id_marks *set, uint64_t id)
{
	return !hp_id_marks_set(set, id, HP_ID_DEFINED);
}

static inline void hp_id_marks_refer(struct hp_id_marks *set, uint64_t id)
{
	hp_id_marks_set(set, id, HP_ID_REFERRED);
}

/*
 * Defines ids that mostly ascend, as those of a heap do: the block of the
 * last one is at hand. False as hp_id_marks_define.
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

/* How many ids are referred to and not defined. */
uint64_t hp_id_marks_dangling(const struct hp_id_marks *set);

#endif
