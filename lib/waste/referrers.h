/* SPDX-License-Identifier: MIT */
/*
 * referrers.h - of each object that is asked for who refers to it: one of its
 * referrers, by which of its fields, and whether there are others.
 *
 * Nearly all objects have only one referrer, which the graph knows: of these there is
 * nothing but the field, in a byte. The others have a row.
 *
 * Of several referrers the one of the highest rank counts, and of those the
 * one with the lowest number. So the order in which they are offered does not
 * matter. They are noted when references are known, and offered when it is known
 * which objects are reachable.
 *
 * A row is one number, of which the larger is the better referrer; 0 is none.
 */
#ifndef HP_WASTE_REFERRERS_H
#define HP_WASTE_REFERRERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mapped_table.h"
#include "base/prefetch.h"
#include "base/ranked_bits.h"
#include "waste/roles.h"

#define HP_NOBODY UINT32_MAX

enum hp_referrer_rank {
	HP_REFERRER_NONE,    /* see struct hp_offer */
	HP_REFERRER_RUNTIME, /* a class of the Java runtime */
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

/* Offers a referrer for ROW of the table. Returns what the row was before. */
static inline uint64_t hp_referrer_offer(uint64_t *row, uint64_t offered)
{
	uint64_t old = *row;

	*row = old ? hp_referrer_merge(old, offered) : offered;
	return old;
}

/*
 * An object, which may be garbage, refers to TO, as others do. It is STEP objects behind
 * that of the offer before. One of rank HP_REFERRER_NONE only says where to count from:
 * TO.
 */
struct hp_offer {
	uint32_t to;
	uint16_t step;
	uint8_t field;
	uint8_t rank; /* enum hp_referrer_rank */
};

/* The offer that REFERRER makes, STEP behind the one before. */
static inline struct hp_offer hp_offer_make(uint64_t referrer, uint16_t step,
					    uint32_t to)
{
	return (struct hp_offer){ to, step, hp_referrer_field(referrer),
				  (uint8_t)hp_referrer_rank(referrer) };
}

/* ---- of all objects ------------------------------------------------------ */

/*
 * Of 64 objects, what is asked of each on the way up to a holder: together, as it may
 * cost a cache miss.
 */
struct hp_steps {
	/*
	 * Bits of those that are asked for and have one referrer. When all references
	 * have been followed, only those where that counts.
	 */
	uint64_t single;
	struct hp_roles roles;
};

struct hp_referrers {
	struct hp_mapped_table step_table, several_table, field_table;
	struct hp_mapped_table number_table, row_table;
	struct hp_steps *steps;
	/*
	 * Bits of those that are asked for and have several, or are roots; then,
	 * instead, the same with the numbers of their rows.
	 */
	uint64_t *several;
	struct hp_ranked_bits *numbers;
	/* Of a single one the referrer plus 1: a table of references or the graph. */
	const uint32_t *of_single;
	/* Its field; undefined if it is a part, an array or a collection. */
	uint8_t *field;
	uint64_t *rows;
};

static inline bool hp_referrers_is_single(const struct hp_referrers *r,
					  uint32_t i)
{
	uint64_t word =
		__atomic_load_n(&r->steps[i >> 6].single, __ATOMIC_RELAXED);

	return word >> (i & 63) & 1;
}

/* ---- once there are rows ------------------------------------------------- */

static inline bool hp_referrers_has_row(const struct hp_referrers *r,
					uint32_t i)
{
	return hp_ranked_bits_have(r->numbers, i);
}

/* The row of I, which must have one. */
static inline uint64_t *hp_referrers_row(const struct hp_referrers *r,
					 uint32_t i)
{
	return &r->rows[hp_ranked_bits_number(r->numbers, i)];
}

/* What counts as the referrer of I; or HP_NOBODY. */
static inline uint32_t hp_referrers_of(const struct hp_referrers *r, uint32_t i)
{
	uint64_t row;

	if (hp_referrers_is_single(r, i))
		return r->of_single[i] - 1;
	row = hp_referrers_has_row(r, i) ? *hp_referrers_row(r, i) : 0;
	return row ? hp_referrer_from(row) : HP_NOBODY;
}

/*
 * The number of its field that refers to I; see HP_FIELD_MOST. What is single has no
 * row, and that is known already by whoever has asked for its referrer.
 */
static inline uint8_t hp_referrers_field(const struct hp_referrers *r,
					 uint32_t i)
{
	return hp_referrers_is_single(r, i) || !hp_referrers_has_row(r, i)
		       ? r->field[i]
		       : hp_referrer_field(*hp_referrers_row(r, i));
}

static inline bool hp_referrers_is_shared(const struct hp_referrers *r,
					  uint32_t i)
{
	return hp_referrers_has_row(r, i) &&
	       (*hp_referrers_row(r, i) & HP_REFERRER_SHARED);
}

/* I is asked for soon. */
static inline void hp_referrers_fetch(const struct hp_referrers *r, uint32_t i)
{
	hp_prefetch(&r->steps[i >> 6]);
	hp_prefetch(&r->numbers[i >> 6]);
	hp_prefetch(&r->of_single[i]);
	hp_prefetch(&r->field[i]);
}

/* ---- in several threads at once ------------------------------------------ */

/* What refers to I does not count. */
static inline void hp_referrers_withdraw(const struct hp_referrers *r,
					 uint32_t i)
{
	__atomic_fetch_and(&r->steps[i >> 6].single, ~((uint64_t)1 << (i & 63)),
			   __ATOMIC_RELAXED);
}

/* What refers to I, as the only one, does so by FIELD, and counts. */
static inline void hp_referrers_enter(const struct hp_referrers *r, uint32_t i,
				      uint8_t field)
{
	__atomic_fetch_or(&r->steps[i >> 6].single, (uint64_t)1 << (i & 63),
			  __ATOMIC_RELAXED);
	r->field[i] = field;
}

#endif
