/* SPDX-License-Identifier: MIT */
/*
 * ranked_bits.h - a set of small numbers that says how many smaller ones are in
 * it, so that a table can have a row for each member alone.
 */
#ifndef HP_RANKED_BITS_H
#define HP_RANKED_BITS_H

#include <assert.h>

#include "base/bits.h"

/* Of 64 numbers: which are members, and how many members are less than these. */
struct hp_ranked_bits {
	uint64_t bits;
	uint32_t rank;
};

static inline bool hp_ranked_bits_have(const struct hp_ranked_bits *blocks,
				       uint32_t i)
{
	return blocks[i >> 6].bits >> (i & 63) & 1;
}

static inline void hp_ranked_bits_set(struct hp_ranked_bits *blocks, uint32_t i)
{
	blocks[i >> 6].bits |= (uint64_t)1 << (i & 63);
}

/* Finds the ranks when all members are there. Returns how many there are. */
static inline uint32_t hp_ranked_bits_finish(struct hp_ranked_bits *blocks,
					     size_t words)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < words; i++) {
		blocks[i].rank = sum;
		sum += hp_bit_count(blocks[i].bits);
	}
	return sum;
}

/* How many members are less than I, which must be one. */
static inline uint32_t
hp_ranked_bits_number(const struct hp_ranked_bits *blocks, uint32_t i)
{
	const struct hp_ranked_bits *b = &blocks[i >> 6];
	uint64_t below = ((uint64_t)1 << (i & 63)) - 1;

	assert(hp_ranked_bits_have(blocks, i));
	return b->rank + hp_bit_count(b->bits & below);
}

#endif
