/* SPDX-License-Identifier: MIT */
/*
 * block_sum.h - tables that have a byte for each object say where something
 * begins for every 32nd object only: the bytes of those before it in the block
 * are added up. Or for none, and a walk adds up those of a block as it comes to it.
 */
#ifndef HP_BLOCK_SUM_H
#define HP_BLOCK_SUM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { HP_BLOCK = 32 };

/* Marks the start of a block whose bytes alone do not tell. */
#define HP_IRREGULAR ((uint64_t)1 << 63)

/* The sum of N bytes, at most 256. They are read eight at a time. */
static inline uint64_t hp_block_sum(const uint8_t *p, unsigned n)
{
	const uint64_t odd = 0x00ff00ff00ff00ff;
	uint64_t sums = 0, word;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		sums += (word & odd) + (word >> 8 & odd);
	}
	for (; n > 0; n--)
		sums += *p++;
	return (sums * 0x0001000100010001) >> 48;
}

/*
 * The sums of 64 bytes before each. Eight bytes times 0x01...01 are the sums up to
 * each of them, as long as these fit a byte: hp_block_is_small tells.
 */
enum { HP_BLOCK_SUMS = 64 };
struct hp_block_sums {
	uint64_t within[HP_BLOCK_SUMS / 8]; /* eight bytes: up to each */
	uint16_t before[HP_BLOCK_SUMS / 8];
};

/* Byte I of a word is its lowest but for I, whatever the machine. */
static inline uint64_t hp_block_word(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Returns the sum of all. */
static inline uint64_t hp_block_sums_find(struct hp_block_sums *s,
					  const uint8_t *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < HP_BLOCK_SUMS / 8; i++) {
		s->within[i] = hp_block_word(p + 8 * i) * 0x0101010101010101;
		s->before[i] = (uint16_t)sum;
		sum += s->within[i] >> 56;
	}
	return sum;
}

/* Is the sum of each eight of them below 255? */
static inline bool hp_block_is_small(const uint8_t *p)
{
	bool large = false;

	for (unsigned i = 0; i < HP_BLOCK_SUMS; i += 8)
		large |= hp_block_sum(p + i, 8) >= 255;
	return !large;
}

/* The lowest bit of byte K of WORD, which has no others, becomes bit K. */
static inline uint64_t hp_block_gather(uint64_t word)
{
	return (word * 0x0102040810204080) >> 56;
}

/* Bits: which of the 64 bytes at P are not 0. */
static inline uint64_t hp_block_nonzero(const uint8_t *p)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7f;
	uint64_t bits = 0;

	for (unsigned i = 0; i < HP_BLOCK_SUMS / 8; i++) {
		const uint64_t word = hp_block_word(p + 8 * i);
		const uint64_t high = (((word & low) + low) | word) & ~low;

		bits |= hp_block_gather(high >> 7) << 8 * i;
	}
	return bits;
}

/* Bits: which of the 64 bytes at P have bit BIT. */
static inline uint64_t hp_block_with(const uint8_t *p, unsigned bit)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < HP_BLOCK_SUMS / 8; i++) {
		const uint64_t word = hp_block_word(p + 8 * i);

		bits |= hp_block_gather(word >> bit & 0x0101010101010101)
			<< 8 * i;
	}
	return bits;
}

static inline uint64_t hp_block_sums_before(const struct hp_block_sums *s,
					    unsigned i)
{
	return s->before[i / 8] + (s->within[i / 8] << 8 >> 8 * (i % 8) & 255);
}

#endif
