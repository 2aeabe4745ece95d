/* SPDX-License-Identifier: MIT */
/* sort_numbers.h - numbers in ascending order. */
#ifndef HP_SORT_NUMBERS_H
#define HP_SORT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Of two uint32_t, for qsort: which is for a few. */
int hp_compare_numbers(const void *left, const void *right);

/*
 * Sorts COUNT numbers, ascending, and leaves them in SPARE, which has the same
 * size; what ITEMS has then does not matter.
 */
void hp_sort_numbers(uint32_t *items, size_t count, uint32_t *spare);

/*
 * Lists the numbers of the bits that are set in WORDS words, ascending. Returns how many
 * there are. Many numbers are sorted soonest by a bit for each.
 */
size_t hp_list_bits(const uint64_t *bits, size_t words, uint32_t *ret_numbers);

#endif
