/* SPDX-License-Identifier: MIT */
/*
 * sort_numbers.c - see sort_numbers.h. Eleven bits in each of three passes,
 * lowest bits first.
 */
#include "base/sort_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { DIGIT = 11, DIGITS = 1 << DIGIT, FEW = 1 << 10 };

int hp_compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void sort_by_digit(const uint32_t *from, size_t count, unsigned shift,
			  uint32_t *to)
{
	size_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t n = at[i];
		at[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

void hp_sort_numbers(uint32_t *items, size_t count, uint32_t *spare)
{
	if (count < FEW) {
		if (count)
			memcpy(spare, items, count * sizeof *items);
		if (count > 1)
			qsort(spare, count, sizeof *spare, hp_compare_numbers);
		return;
	}
	sort_by_digit(items, count, 0, spare);
	sort_by_digit(spare, count, DIGIT, items);
	sort_by_digit(items, count, 2 * DIGIT, spare);
}

size_t hp_list_bits(const uint64_t *bits, size_t words, uint32_t *ret_numbers)
{
	size_t count = 0;

	for (size_t i = 0; i < words; i++)
		for (uint64_t w = bits[i]; w; w &= w - 1)
			ret_numbers[count++] =
				(uint32_t)(i << 6 | hp_bit_lowest(w));
	return count;
}
