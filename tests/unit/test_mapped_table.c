/* SPDX-License-Identifier: MIT */
/*
 * test_mapped_table.c - tables whose memory goes from one job to the next.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/mapped_table.h"

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

/* Of what is left to others, half goes back to the system. */
Test(mapped_table, lent)
{
	struct hp_spare_lender lender = { PTHREAD_MUTEX_INITIALIZER, { 0 } };
	struct hp_mapped_tables one, two;
	struct hp_mapped_table a, b, c;

	hp_mapped_tables_begin(&one, 0, &lender);
	hp_mapped_tables_begin(&two, 0, &lender);
	a = make(&one, 5 * CHUNK, HP_MAPPED_TABLE_RAW);
	memset(a.at, 0xa5, a.bytes);
	hp_mapped_table_free(&one, &a);
	cr_assert_eq(hp_mapped_tables_spare(&two), 5 * CHUNK);
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

static void make_spare(struct hp_spare_lender *lender, size_t bytes)
{
	struct hp_mapped_tables all;
	struct hp_mapped_table t;

	hp_mapped_tables_begin(&all, 0, lender);
	t = make(&all, 2 * bytes, HP_MAPPED_TABLE_RAW);
	hp_mapped_table_free(&all, &t);
	hp_mapped_tables_release(&all);
	cr_assert_eq(lender->spare.bytes, bytes);
}

/* What others left would count as if it were in use. */
Test(mapped_table, limit)
{
	struct hp_spare_lender lender = { PTHREAD_MUTEX_INITIALIZER, { 0 } };
	struct hp_mapped_tables all;
	struct hp_mapped_table t;

	make_spare(&lender, 4 * CHUNK);
	hp_mapped_tables_begin(&all, (uint64_t)1 << 40, &lender);
	cr_assert_eq(lender.spare.bytes, 0);
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

/* ---- several jobs at once ------------------------------------------------ */

enum { JOBS = 3, TIMES = 50 };

static void *work(void *user)
{
	struct hp_mapped_tables all;

	hp_mapped_tables_begin(&all, 0, user);
	for (unsigned i = 0; i < TIMES; i++) {
		struct hp_mapped_table t =
			make(&all, (1 + i % 3) * (size_t)CHUNK,
			     HP_MAPPED_TABLE_CLEAR);
		unsigned char *at = t.at;

		for (size_t k = 0; k < t.bytes; k += 4096) {
			cr_assert_eq(at[k], 0);
			at[k] = 1;
		}
		hp_mapped_table_free(&all, &t);
		hp_mapped_tables_release(&all);
	}
	return NULL;
}

Test(mapped_table, together)
{
	struct hp_spare_lender lender = { PTHREAD_MUTEX_INITIALIZER, { 0 } };
	pthread_t threads[JOBS];

	make_spare(&lender, 4 * CHUNK);
	for (unsigned i = 0; i < JOBS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, work, &lender),
			     0);
	for (unsigned i = 0; i < JOBS; i++)
		pthread_join(threads[i], NULL);
	/* The last one that was ready has left half of a table or more. */
	cr_assert_geq(lender.spare.bytes, CHUNK);
	hp_spare_memory_release(&lender.spare);
	cr_assert_eq(lender.spare.bytes, 0);
}
