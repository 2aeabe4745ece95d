/* SPDX-License-Identifier: MIT */
/* number_width.h - how many bytes the smallest type has that has room for numbers. */
#ifndef HP_NUMBER_WIDTH_H
#define HP_NUMBER_WIDTH_H

#include <stddef.h>
#include <stdint.h>

#include "base/wire.h"

/*
 * A number of WIDTH bytes, negative or not, as bits of which the highest one that is
 * set says how wide it has to be: those of several can be or-ed.
 */
static inline uint64_t hp_number_bits(uint64_t number, unsigned width)
{
	const unsigned unused = 64 - 8 * width;
	const int64_t value = (int64_t)(number << unused) >> unused;

	return (uint64_t)(value ^ value >> 63);
}

/* 1, 2, 4 or 8. */
static inline unsigned hp_number_width(uint64_t bits)
{
	if (bits <= INT8_MAX)
		return 1;
	if (bits <= INT16_MAX)
		return 2;
	return bits <= INT32_MAX ? 4 : 8;
}

/*
 * What is needed for the SIZE bytes of numbers of WIDTH at NUMBERS, of which others
 * have needed LEAST before.
 */
unsigned hp_numbers_width(const uint8_t *numbers, size_t size, unsigned width,
			  unsigned least);

#endif
