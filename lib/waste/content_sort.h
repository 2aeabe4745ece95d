/* SPDX-License-Identifier: MIT */
/*
 * content_sort.h - sorts contents so that equal ones are neighbours, and lists the
 * objects of those.
 */
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
 * Puts runs of equal contents in the place of the items, which are sorted: of each run
 * how many there are, then their objects, four bytes each. A content that is there once
 * is no run. Returns how many numbers that are.
 */
uint64_t hp_content_list_runs(struct hp_content *items, uint64_t count);

/*
 * Both, of COUNT items in TABLE, or nothing if that is NULL; perhaps in a thread of its
 * own, while something else is done. The items are nobody else's until
 * hp_content_sort_end or hp_content_sort_leave.
 */
struct hp_content_sorting {
	const struct hp_mapped_table *table;
	uint64_t count;
	uint64_t listed; /* in the end; see hp_content_list_runs */
	pthread_t thread;
	bool runs;
};

/* Begins in another thread, unless the system refuses one. */
void hp_content_sort_beside(struct hp_content_sorting *sorting);
/* Waits for that, or sorts if nothing was begun. */
void hp_content_sort_end(struct hp_content_sorting *sorting);
/* Ends it; whether they are sorted does not matter any more. */
void hp_content_sort_leave(struct hp_content_sorting *sorting);

#endif
