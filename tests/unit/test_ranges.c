/* SPDX-License-Identifier: MIT */
/*
 * test_ranges.c - work that is divided among threads by weight.
 */
#include <criterion/criterion.h>

#include "graph/edge_partitions.h"

enum { ROWS = 10007, SHIFT = 6, SUMS = (ROWS >> SHIFT) + 1 };

struct seen {
	struct hp_range ranges[HP_RANGES];
};

static void note(void *user, const struct hp_range *range)
{
	struct seen *seen = user;

	seen->ranges[range->number] = *range;
}

/* Row I weighs I, so that the first half of the weight is in most rows. */
static uint64_t before(uint64_t row)
{
	return row ? row * (row - 1) / 2 : 0;
}

Test(ranges, even)
{
	uint64_t sums[SUMS];

	for (uint64_t i = 0; i < SUMS; i++)
		sums[i] = before(i << SHIFT);
	for (unsigned threads = 0; threads <= HP_RANGES + 1; threads++) {
		const struct hp_ranges ranges = hp_ranges_even(
			threads, ROWS, SHIFT, sums, before(ROWS));
		struct seen seen = { 0 };
		unsigned n = threads < 1	   ? 1
			     : threads > HP_RANGES ? HP_RANGES
						   : threads;
		uint64_t at = 0;

		cr_assert_eq(ranges.count, n);
		hp_ranges_run_in(&ranges, note, &seen);
		for (unsigned i = 0; i < n; i++) {
			const struct hp_range *r = &seen.ranges[i];

			if (r->begin == r->end)
				continue;
			cr_assert_eq(r->begin, at);
			cr_assert(r->begin % 64 == 0);
			cr_assert_leq(before(r->end) - before(r->begin),
				      before(ROWS) / n + (ROWS << SHIFT));
			at = r->end;
		}
		cr_assert_eq(at, ROWS);
	}
}

/* All weight in one row, or none: nothing is lost, and nothing done twice. */
Test(ranges, uneven)
{
	uint64_t sums[SUMS];

	for (uint64_t heavy = 0; heavy <= ROWS; heavy += 77) {
		struct hp_ranges ranges;
		struct seen seen = { 0 };
		uint64_t rows = 0;

		for (uint64_t i = 0; i < SUMS; i++)
			sums[i] = i << SHIFT > heavy ? 1000000 : 0;
		ranges = hp_ranges_even(5, ROWS, SHIFT, sums,
					ROWS > heavy ? 1000000 : 0);
		hp_ranges_run_in(&ranges, note, &seen);
		for (unsigned i = 0; i < HP_RANGES; i++)
			rows += seen.ranges[i].end - seen.ranges[i].begin;
		cr_assert_eq(rows, ROWS);
	}
}
