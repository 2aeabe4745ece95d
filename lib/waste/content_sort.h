/* SPDX-License-Identifier: MIT */
/*
 * content_sort.h - sorts contents so that equal ones are neighbours, and lists the
 * objects of those.
 */
#ifndef HP_CONTENT_SORT_H
#define HP_CONTENT_SORT_H

#include "waste/content_bits.h"

/* By hash, then by the number of the object. */
void hp_content_sort(struct hp_content *items, uint64_t count);

/* Compares the hashes alone. */
int hp_content_compare(const struct hp_content *a, const struct hp_content *b);

/*
 * Puts runs of equal contents in the place of the items, which are sorted: of each run
 * how many there are, then their objects, four bytes each. A content that is there once
 * is no run. Returns how many numbers that are.
 */
uint64_t hp_content_list_runs(struct hp_content *items, uint64_t count);

#endif
