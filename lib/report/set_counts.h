/* SPDX-License-Identifier: MIT */
/*
 * set_counts.h - counts of objects by pairs of numbers, a set and a kind. Each
 * thread counts separately; the counts are merged at the end.
 */
#ifndef HP_SET_COUNTS_H
#define HP_SET_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hprof/error.h"

struct hp_set_count {
	uint64_t key; /* hp_set_count_key; 0: free */
	uint64_t objects, shallow;
	uint64_t retained; /* in units of the graph */
	uint32_t first;	   /* of the objects */
	uint16_t inner;	   /* the set and the kind, as a set; 0: not known */
};

struct hp_set_counts {
	struct hp_set_count *rows; /* open addressing */
	size_t count, mask;
	struct hp_set_count spare; /* of any sets, after a failure */
	bool no_memory, too_many;
};

/* Fails only with HPROF_E_NOMEM; free with hp_set_counts_done in any case. */
enum hprof_status hp_set_counts_init(struct hp_set_counts *counts);
void hp_set_counts_done(struct hp_set_counts *counts);

static inline uint64_t hp_set_count_key(uint32_t set, uint32_t kind)
{
	return ((uint64_t)set << 32 | kind) + 1;
}

static inline uint32_t hp_set_count_set(const struct hp_set_count *row)
{
	return (uint32_t)((row->key - 1) >> 32);
}

static inline void hp_set_count_move(struct hp_set_count *row, uint32_t set)
{
	row->key = hp_set_count_key(set, (uint32_t)(row->key - 1));
}

static inline uint32_t hp_set_count_kind(const struct hp_set_count *row)
{
	return (uint32_t)(row->key - 1);
}

/* The row of KEY, or the free one where it belongs. */
static inline struct hp_set_count *
hp_set_counts_find(const struct hp_set_counts *counts, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & counts->mask;

	while (counts->rows[i].key && counts->rows[i].key != key)
		i = (i + 1) & counts->mask;
	return &counts->rows[i];
}

/*
 * Adds a row for KEY, which has none yet. If no_memory or too_many is set,
 * there is still a row to count in, but the counts are useless.
 */
struct hp_set_count *hp_set_counts_add(struct hp_set_counts *counts,
				       uint64_t key);

void hp_set_counts_sort(struct hp_set_count *rows, size_t count);

/*
 * The rows of COUNT threads sorted by key; several may have the same key. Free
 * with hp_free; NULL without memory.
 */
struct hp_set_count *
hp_set_counts_gather(const struct hp_set_counts *const *of_threads,
		     unsigned count, size_t *ret_count);

#endif
