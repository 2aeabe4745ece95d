/* SPDX-License-Identifier: MIT */
/*
 * site_counts.h - counts of allocations by site: a trace and a class. A site
 * gets a number, from 1, when it is first met.
 *
 * Threads: any function by any thread at any time. Each thread counts in a table
 * of its own, without locks if it knows the site; tables of threads that end are
 * added up.
 */
#ifndef AG_SITE_COUNTS_H
#define AG_SITE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

struct ag_site_counts;

/* Objects are counted in so many parts each, since some are estimated. */
enum { AG_OBJECT_PARTS = 1 << 10 };

struct ag_site_sum {
	uint32_t trace, class_number;
	uint64_t parts; /* objects times AG_OBJECT_PARTS */
	uint64_t bytes;
};

struct ag_site_counts *ag_site_counts_new(void); /* NULL without memory */
void ag_site_counts_free(struct ag_site_counts *counts); /* NULL is fine */

/*
 * Adds to a site; returns its number. 0 without memory: then PARTS are counted
 * as lost.
 */
uint32_t ag_site_counts_add(struct ag_site_counts *counts, uint32_t trace,
			    uint32_t class_number, uint64_t parts,
			    uint64_t bytes);

/* Counts objects that are in no site. */
void ag_site_counts_lose(struct ag_site_counts *counts, uint64_t parts);

/*
 * The sums by site number - 1, since the last clear. The array is freed by
 * hp_free. NULL without memory.
 */
struct ag_site_sum *ag_site_counts_sum(struct ag_site_counts *counts,
				       size_t *ret_count, uint64_t *ret_lost);

/* Begins anew; sites keep their numbers. Without memory nothing changes. */
void ag_site_counts_clear(struct ag_site_counts *counts);

#endif
