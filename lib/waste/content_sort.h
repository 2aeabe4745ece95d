/* SPDX-License-Identifier: MIT */
/* content_sort.h - sorts contents so that equal ones are neighbours. */
#ifndef HP_CONTENT_SORT_H
#define HP_CONTENT_SORT_H

#include <pthread.h>
#include <stdbool.h>

#include "waste/content_bits.h"

/* By hash, then by the number of the object. */
void hp_content_sort(struct hp_content *items, uint64_t count);

/* Compares the hashes alone. */
int hp_content_compare(const struct hp_content *a, const struct hp_content *b);

/*
 * The same in a thread of its own, while something else is done. The items are nobody
 * else's until hp_content_sort_end.
 */
struct hp_content_sorting {
	struct hp_content *items; /* NULL: there is nothing to be sorted */
	uint64_t count;
	pthread_t thread;
	bool runs;
};

/* With BESIDE, unless the system refuses a thread; else hp_content_sort_end sorts. */
void hp_content_sort_begin(struct hp_content_sorting *sorting,
			   struct hp_content *items, uint64_t count,
			   bool beside);
void hp_content_sort_end(struct hp_content_sorting *sorting);
/* Ends it; whether they are sorted does not matter any more. */
void hp_content_sort_leave(struct hp_content_sorting *sorting);

#endif
