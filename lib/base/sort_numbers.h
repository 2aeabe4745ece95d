/* SPDX-License-Identifier: MIT */
/* sort_numbers.h - sorts many numbers without comparing them. */
#ifndef HP_SORT_NUMBERS_H
#define HP_SORT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts COUNT numbers, ascending, and leaves them in SPARE, which has the same
 * size; what ITEMS has then does not matter.
 */
void hp_sort_numbers(uint32_t *items, size_t count, uint32_t *spare);

#endif
