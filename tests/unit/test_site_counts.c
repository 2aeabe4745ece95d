/* SPDX-License-Identifier: MIT */
/*
 * test_site_counts.c - counts of allocations: by one thread and by several, that
 * end or go on, cleared, and without memory.
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "agent/profile/site_counts.h"
#include "base/mem.h"

static struct ag_site_counts *counts;

static void set_up(void)
{
	counts = ag_site_counts_new();
	cr_assert_not_null(counts);
}

static void tear_down(void)
{
	ag_site_counts_free(counts);
}

TestSuite(site_counts, .init = set_up, .fini = tear_down);

static uint32_t add(uint32_t trace, uint32_t class_number, uint64_t objects)
{
	return ag_site_counts_add(counts, trace, class_number,
				  objects * AG_OBJECT_PARTS, objects * 24);
}

/* Site NUMBER has so many objects of 24 bytes. */
static void is_sum(uint32_t number, uint32_t trace, uint32_t class_number,
		   uint64_t objects)
{
	uint64_t lost;
	size_t count;
	struct ag_site_sum *sums = ag_site_counts_sum(counts, &count, &lost);

	cr_assert_not_null(sums);
	cr_assert_leq(number, count);
	cr_assert_eq(sums[number - 1].trace, trace);
	cr_assert_eq(sums[number - 1].class_number, class_number);
	cr_assert_eq(sums[number - 1].parts, objects * AG_OBJECT_PARTS);
	cr_assert_eq(sums[number - 1].bytes, objects * 24);
	hp_free(sums);
}

static size_t how_many(uint64_t *ret_lost)
{
	size_t count;

	hp_free(ag_site_counts_sum(counts, &count, ret_lost));
	return count;
}

Test(site_counts, a_site_is_a_trace_and_a_class)
{
	uint64_t lost;

	cr_assert_eq(add(7, 1, 1), 1);
	cr_assert_eq(add(7, 2, 10), 2);
	cr_assert_eq(add(8, 1, 100), 3);
	cr_assert_eq(add(7, 1, 1000), 1);
	is_sum(1, 7, 1, 1001);
	is_sum(2, 7, 2, 10);
	is_sum(3, 8, 1, 100);
	cr_assert_eq(how_many(&lost), 3);
	cr_assert_eq(lost, 0);
}

/* A thread's table grows, and finds all of its sites again. */
Test(site_counts, many_sites)
{
	enum { SITES = 5000 };

	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < SITES; i++)
			cr_assert_eq(add(i / 7, i % 7 + 1, i), i + 1);
	for (uint32_t i = 0; i < SITES; i += 499)
		is_sum(i + 1, i / 7, i % 7 + 1, 3 * i);
}

/* ---- threads ------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 20000, OWN = 16 };

static pthread_barrier_t counted, looked;

/* All add to the same sites, and one to its own. */
static void *count_both(void *number)
{
	const uint32_t own = 100 + (uint32_t)(uintptr_t)number;

	for (int i = 0; i < ROUNDS; i++) {
		add((uint32_t)i % OWN, 1, 1);
		add(own, 2, 1);
	}
	pthread_barrier_wait(&counted);
	pthread_barrier_wait(&looked);
	return NULL;
}

static void all_is_counted(void)
{
	uint64_t parts = 0, lost;
	size_t count;
	struct ag_site_sum *sums = ag_site_counts_sum(counts, &count, &lost);

	cr_assert_eq(count, OWN + THREADS);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(sums[i].parts / AG_OBJECT_PARTS,
			     sums[i].class_number == 2
				     ? ROUNDS
				     : THREADS * ROUNDS / OWN);
		parts += sums[i].parts;
	}
	cr_assert_eq(parts / AG_OBJECT_PARTS, 2 * THREADS * ROUNDS);
	hp_free(sums);
}

/* The counts are the same while the threads live and after they have ended. */
Test(site_counts, threads_count_by_themselves_and_end)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&counted, NULL, THREADS + 1);
	pthread_barrier_init(&looked, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, count_both,
					    (void *)i),
			     0);
	pthread_barrier_wait(&counted);
	all_is_counted();
	pthread_barrier_wait(&looked);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	all_is_counted();
}

/* A thread that counted for another profile before begins a new table. */
Test(site_counts, two_at_a_time)
{
	struct ag_site_counts *first = counts;

	cr_assert_eq(add(7, 1, 5), 1);
	counts = ag_site_counts_new();
	cr_assert_eq(add(9, 3, 2), 1);
	is_sum(1, 9, 3, 2);
	ag_site_counts_free(counts);
	counts = first;
	is_sum(1, 7, 1, 5);
}

/* ---- clearing ------------------------------------------------------------ */

Test(site_counts, numbers_outlive_a_clear)
{
	uint64_t lost;

	add(7, 1, 5);
	add(8, 1, 6);
	ag_site_counts_lose(counts, 3 * AG_OBJECT_PARTS);
	ag_site_counts_clear(counts);
	is_sum(1, 7, 1, 0);
	cr_assert_eq(how_many(&lost), 2);
	cr_assert_eq(lost, 0);
	cr_assert_eq(add(8, 1, 1), 2);
	cr_assert_eq(add(9, 1, 4), 3);
	is_sum(2, 8, 1, 1);
	is_sum(3, 9, 1, 4);
}

/* ---- no memory ----------------------------------------------------------- */

Test(site_counts, what_has_no_site_is_lost)
{
	uint64_t lost;
	size_t count;

	hp_mem_fail_after(0);
	cr_assert_null(ag_site_counts_new());
	hp_mem_fail_after(0);
	cr_assert_eq(add(7, 1, 5), 0);
	hp_mem_fail_after(-1);
	cr_assert_eq(how_many(&lost), 0);
	cr_assert_eq(lost, 5);
	cr_assert_eq(add(7, 1, 6), 1);
	hp_mem_fail_after(0);
	cr_assert_null(ag_site_counts_sum(counts, &count, &lost));
	hp_mem_fail_after(0);
	ag_site_counts_clear(counts);
	hp_mem_fail_after(-1);
	is_sum(1, 7, 1, 6);
}

/* Wherever memory ends, an object is in a site or lost, and none is in both. */
Test(site_counts, no_object_is_forgotten)
{
	for (int allowed = 0; allowed < 12; allowed++) {
		uint64_t lost, sum = 0;
		struct ag_site_sum *sums;
		size_t count;

		ag_site_counts_free(counts);
		set_up();
		hp_mem_fail_after(allowed);
		for (uint32_t i = 0; i < 200; i++)
			add(i, 1, 1);
		hp_mem_fail_after(-1);
		sums = ag_site_counts_sum(counts, &count, &lost);
		for (size_t i = 0; i < count; i++)
			sum += sums[i].parts / AG_OBJECT_PARTS;
		cr_assert_eq(sum + lost, 200, "with %d allocations", allowed);
		hp_free(sums);
	}
}
