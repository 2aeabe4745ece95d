/* SPDX-License-Identifier: MIT */
/*
 * bits.h - sets of small numbers.
 */
#ifndef HP_BITS_H
#define HP_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool hp_bit(const uint64_t *bits, uint64_t i)
{
	return bits[i >> 6] >> (i & 63) & 1;
}

static inline void hp_bit_set(uint64_t *bits, uint64_t i)
{
	bits[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline void hp_bit_clear(uint64_t *bits, uint64_t i)
{
	bits[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

/* The index of the lowest set bit of WORD, which must not be 0. */
static inline uint64_t hp_bit_lowest(uint64_t word)
{
	return (uint64_t)__builtin_ctzll(word);
}

/* The same for the highest. */
static inline unsigned hp_bit_highest(uint32_t word)
{
	return 31 - (unsigned)__builtin_clz(word);
}

static inline unsigned hp_bit_count(uint64_t word)
{
#ifdef __POPCNT__
	return (unsigned)__builtin_popcountll(word);
#else
	word -= word >> 1 & 0x5555555555555555;
	word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(word * 0x0101010101010101 >> 56);
#endif
}

/* The number of 64-bit words for COUNT bits, at least one. */
static inline size_t hp_bit_words(uint64_t count)
{
	return (size_t)(count >> 6) + 1; /* at most 2^32 objects */
}

#endif
