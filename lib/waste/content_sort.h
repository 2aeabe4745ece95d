/* SPDX-License-Identifier: MIT */
/* content_sort.h - sorts contents so that equal ones are neighbours. */
#ifndef HP_CONTENT_SORT_H
#define HP_CONTENT_SORT_H

#include "waste/waste.h"

/* By hash, then by the number of the object. */
void hp_content_sort(struct hp_content *items, uint64_t count);

/* Compares the hashes alone. */
int hp_content_compare(const struct hp_content *a, const struct hp_content *b);

#endif
