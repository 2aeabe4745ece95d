/* SPDX-License-Identifier: MIT */
/*
 * block_sum.h - tables that have a byte for each object say where something
 * begins for every 32nd object only: the bytes of those before it in the block
 * are added up.
 */
#ifndef HP_BLOCK_SUM_H
#define HP_BLOCK_SUM_H

#include <stdint.h>
#include <string.h>

enum { HP_BLOCK = 32 };

/* Marks the start of a block whose bytes alone do not tell. */
#define HP_IRREGULAR ((uint64_t)1 << 63)

/*
 * The sum of N bytes, fewer than 64, each below 255. They are read eight at a
 * time.
 */
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

#endif
