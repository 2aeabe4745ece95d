/* SPDX-License-Identifier: MIT */
/*
 * test_mapped_table.c - tables whose memory goes from one job to the next.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/mapped_table.h"
#include "graph/edge_partitions.h"

enum { CHUNK = 2 << 20 };

static struct hp_mapped_table make(struct hp_mapped_tables *all, size_t bytes,
				   enum hp_mapped_table_use use)
{
	struct hp_mapped_table t = { 0 };
	struct hprof_error error;

	cr_assert_eq(hp_mapped_table_make(all, &t, bytes, 1, use, &error),
		     HPROF_OK);
	return t;
}

static void expect_zero(const struct hp_mapped_table *t)
{
	const unsigned char *at = t->at;

	for (size_t i = 0; i < t->bytes; i++)
		cr_assert_eq(at[i], 0, "byte %zu", i);
}

Test(mapped_table, lent)
{
	struct hp_spare_lender lender = { PTHREAD_MUTEX_INITIALIZER, { 0 } };
	struct hp_mapped_tables one, two;
	struct hp_mapped_table a, b, c;

	hp_mapped_tables_begin(&one, 0, &lender);
	hp_mapped_tables_begin(&two, 0, &lender);
	a = make(&one, 3 * CHUNK, HP_MAPPED_TABLE_RAW);
	memset(a.at, 0xa5, a.bytes);
	hp_mapped_table_free(&one, &a);
	hp_mapped_tables_release(&one);
	cr_assert_eq(hp_mapped_tables_spare(&two), 3 * CHUNK);
	b = make(&two, 2 * CHUNK, HP_MAPPED_TABLE_CLEAR);
	cr_assert_eq(b.fresh, 2 * CHUNK);
	expect_zero(&b);
	cr_assert_eq(hp_mapped_tables_spare(&one), CHUNK);
	c = make(&one, 2 * CHUNK, HP_MAPPED_TABLE_CLEAR);
	cr_assert_eq(c.fresh, CHUNK);
	expect_zero(&c);
	hp_mapped_table_free(&two, &b);
	hp_mapped_table_free(&one, &c);
	cr_assert_eq(lender.spare.bytes, 4 * CHUNK);
	hp_spare_memory_release(&lender.spare);
}

/* Memory that others hold would count for nobody. */
Test(mapped_table, limit)
{
	struct hp_spare_lender lender = { PTHREAD_MUTEX_INITIALIZER, { 0 } };
	struct hp_mapped_tables all;
	struct hp_mapped_table t;

	hp_mapped_tables_begin(&all, (uint64_t)1 << 40, &lender);
	t = make(&all, 3 * CHUNK, HP_MAPPED_TABLE_RAW);
	hp_mapped_table_free(&all, &t);
	cr_assert_eq(lender.spare.bytes, 0);
	cr_assert_eq(hp_mapped_tables_spare(&all), 3 * CHUNK);
	hp_mapped_tables_release(&all);
	cr_assert_eq(hp_mapped_tables_spare(&all), 0);
}

/* What has been dropped in front does not become spare. */
Test(mapped_table, front)
{
	struct hp_mapped_tables all = { 0 };
	struct hp_mapped_table t = { 0 };
	struct hprof_error error;

	cr_assert_eq(hp_mapped_table_make_parts(&all, &t, 9 * CHUNK, 1,
						HP_MAPPED_TABLE_FRONT, CHUNK,
						&error),
		     HPROF_OK);
	memset(t.at, 0xa5, 7 * CHUNK);
	hp_mapped_table_used(&all, &t, 7 * CHUNK);
	hp_mapped_table_drop_front(&all, &t, 2 * CHUNK);
	cr_assert_eq(t.held, 5 * CHUNK);
	cr_assert_eq(all.held, 5 * CHUNK);
	hp_mapped_table_drop(&t, 0, 2 * CHUNK);
	hp_mapped_table_free(&all, &t);
	cr_assert_eq(all.held, 0);
	cr_assert_eq(hp_mapped_tables_spare(&all), 5 * CHUNK);
	hp_mapped_tables_release(&all);
}

/* ---- ranges of equal weight ---------------------------------------------- */

enum { ROWS = 10007 };

struct seen {
	struct hp_range ranges[HP_RANGES];
};

static void note(void *user, const struct hp_range *range)
{
	struct seen *seen = user;

	seen->ranges[range->number] = *range;
}

/* Row I weighs I, so that the first half of the weight is in most rows. */
Test(ranges, even)
{
	static uint32_t sums[ROWS + 1];

	for (uint32_t i = 0; i < ROWS; i++)
		sums[i + 1] = sums[i] + i;
	for (unsigned threads = 0; threads <= HP_RANGES + 1; threads++) {
		struct hp_build build = { .threads = threads };
		struct seen seen = { 0 };
		unsigned n = threads < 1	   ? 1
			     : threads > HP_RANGES ? HP_RANGES
						   : threads;
		uint64_t at = 0;

		hp_ranges_run_even(&build, ROWS, sums, sums[ROWS], note, &seen);
		for (unsigned i = 0; i < n; i++) {
			const struct hp_range *r = &seen.ranges[i];

			if (r->begin == r->end)
				continue;
			cr_assert_eq(r->begin, at);
			cr_assert(r->begin % 64 == 0);
			cr_assert_leq(sums[r->end] - sums[r->begin],
				      sums[ROWS] / n + 64 * ROWS);
			at = r->end;
		}
		cr_assert_eq(at, ROWS);
	}
}

/* All weight in one row, or none: nothing is lost, and nothing done twice. */
Test(ranges, uneven)
{
	static uint32_t sums[ROWS + 1];
	struct hp_build build = { .threads = 5 };

	for (uint32_t heavy = 0; heavy <= ROWS; heavy += 77) {
		struct seen seen = { 0 };
		uint64_t rows = 0;

		for (uint32_t i = 0; i <= ROWS; i++)
			sums[i] = i > heavy ? 1000000 : 0;
		hp_ranges_run_even(&build, ROWS, sums, sums[ROWS], note, &seen);
		for (unsigned i = 0; i < HP_RANGES; i++)
			rows += seen.ranges[i].end - seen.ranges[i].begin;
		cr_assert_eq(rows, ROWS);
	}
}
