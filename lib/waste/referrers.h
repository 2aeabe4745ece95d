/* SPDX-License-Identifier: MIT */
/*
 * referrers.h - of each object who refers to it: one of its referrers, by which
 * of its fields, and whether there are others.
 *
 * Of several referrers the one of the highest rank counts, and of those the
 * one with the lowest number. So the order in which they are offered, and by
 * which thread, does not matter.
 *
 * A row is one number, of which the larger is the better referrer; 0 is none.
 */
#ifndef HP_WASTE_REFERRERS_H
#define HP_WASTE_REFERRERS_H

#include <stdbool.h>
#include <stdint.h>

enum hp_referrer_rank {
	HP_REFERRER_RUNTIME = 1, /* a class of the Java runtime */
	HP_REFERRER_OTHER,
	HP_REFERRER_STRING /* of its characters */
};

enum { HP_REFERRER_SHARED = 1 }; /* several objects refer to it */

/* Fields of a higher number are not told apart. */
enum { HP_FIELD_MOST = 255 };

static inline uint64_t hp_referrer_make(enum hp_referrer_rank rank,
					uint32_t from, uint32_t field)
{
	uint8_t known = field < HP_FIELD_MOST ? (uint8_t)field : HP_FIELD_MOST;

	return (uint64_t)rank << 41 | (uint64_t)(uint32_t)~from << 9 |
	       (uint64_t)(uint8_t)~known << 1;
}

/* The same by FROM: of ROW, which was made with UINT32_MAX. */
static inline uint64_t hp_referrer_of(uint64_t row, uint32_t from)
{
	return row | (uint64_t)(uint32_t)~from << 9;
}

static inline uint32_t hp_referrer_from(uint64_t row)
{
	return ~(uint32_t)(row >> 9);
}

static inline uint8_t hp_referrer_field(uint64_t row)
{
	return (uint8_t) ~(row >> 1);
}

static inline enum hp_referrer_rank hp_referrer_rank(uint64_t row)
{
	return (enum hp_referrer_rank)(row >> 41);
}

/* The better of both, which are not 0; SHARED if they are of two objects. */
static inline uint64_t hp_referrer_merge(uint64_t row, uint64_t other)
{
	uint64_t shared = (row | other) & HP_REFERRER_SHARED;
	uint64_t best = row >> 1 > other >> 1 ? row : other;

	if (hp_referrer_from(row) != hp_referrer_from(other))
		shared = HP_REFERRER_SHARED;
	return best | shared;
}

/*
 * Offers a referrer for ROW of the table. Returns what the row was before.
 * ALONE: no other thread does so meanwhile.
 */
static inline uint64_t hp_referrer_offer(uint64_t *row, uint64_t offered,
					 bool alone)
{
	uint64_t old = __atomic_load_n(row, __ATOMIC_RELAXED), merged;

	do {
		merged = old ? hp_referrer_merge(old, offered) : offered;
		if (merged == old)
			return old;
		if (alone) {
			*row = merged;
			return old;
		}
	} while (!__atomic_compare_exchange_n(
		row, &old, merged, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return old;
}

#endif
