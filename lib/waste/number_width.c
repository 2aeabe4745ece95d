/* SPDX-License-Identifier: MIT */
/* number_width.c - the same for the elements of arrays. */
#include "waste/number_width.h"

/* In bytes. Most arrays that need all of their width show it in the first ones. */
enum { LOOK_AT_ONCE = 256 };

static inline uint64_t bits_of(const uint8_t *numbers, size_t size,
			       unsigned width)
{
	uint64_t bits = 0;

	for (size_t i = 0; i + width <= size; i += width)
		bits |= hp_number_bits(hp_get_id(numbers + i, width), width);
	return bits;
}

/* A loop for each width. */
static uint64_t bits_of_any(const uint8_t *numbers, size_t size, unsigned width)
{
	switch (width) {
	case 8:
		return bits_of(numbers, size, 8);
	case 4:
		return bits_of(numbers, size, 4);
	case 2:
		return bits_of(numbers, size, 2);
	default:
		return bits_of(numbers, size, 1);
	}
}

unsigned hp_numbers_width(const uint8_t *numbers, size_t size, unsigned width,
			  unsigned least)
{
	for (size_t i = 0; i < size && least < width; i += LOOK_AT_ONCE) {
		const size_t n =
			size - i < LOOK_AT_ONCE ? size - i : LOOK_AT_ONCE;
		const unsigned needed =
			hp_number_width(bits_of_any(numbers + i, n, width));

		least = needed > least ? needed : least;
	}
	return least;
}
