/* SPDX-License-Identifier: MIT */
/*
 * search.h - binary search in sorted rows.
 */
#ifndef HP_SEARCH_H
#define HP_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Binary search: sets *RET to how many of COUNT rows satisfy IS_BELOW, an
 * expression in the index hp_at. The rows that satisfy it must come first. This
 * is a macro because the loops are hot and a callback is not free:
 *
 *     HP_LOWER_BOUND(&i, count, rows[hp_at].id < id);
 *     if (i < count && rows[i].id == id)
 *             found(&rows[i]);
 */
#define HP_LOWER_BOUND(ret, count, is_below)                                   \
	do {                                                                   \
		size_t hp_low_ = 0, hp_high_ = (count);                        \
									       \
		while (hp_low_ < hp_high_) {                                   \
			size_t hp_at = hp_low_ + (hp_high_ - hp_low_) / 2;     \
									       \
			if (is_below)                                          \
				hp_low_ = hp_at + 1;                           \
			else                                                   \
				hp_high_ = hp_at;                              \
		}                                                              \
		*(ret) = hp_low_;                                              \
	} while (0)

/* The number of ids in the sorted array IDS that are less than ID. */
static inline size_t hp_ids_below(const uint64_t *ids, size_t count,
				  uint64_t id)
{
	size_t below;

	HP_LOWER_BOUND(&below, count, ids[hp_at] < id);
	return below;
}

#endif
