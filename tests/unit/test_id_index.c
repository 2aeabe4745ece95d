/* SPDX-License-Identifier: MIT */
/*
 * test_id_index.c - ranks by bits and ranks by a sorted array: both as a plain
 * search in the ids gives them, whatever the ids are like.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/id_index.h"
#include "base/mem.h"

static uint64_t random_state = 1;

static uint64_t chance(uint64_t below)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return below ? (random_state >> 20) % below : 0;
}

static uint64_t or_of(const uint64_t *ids, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits |= ids[i];
	return bits;
}

/* By bits; false if they are too sparse. Repeated ids go to TWICE. */
static bool by_bits(const uint64_t *ids, size_t count, struct hp_id_index *ret,
		    struct hp_ids *twice)
{
	struct hp_id_index_build build;
	struct hp_id_index_writer writer;
	enum hp_id_index_result result;

	cr_assert(hp_id_index_begin(&build, or_of(ids, count), count, true) ==
		  0);
	cr_assert(hp_id_index_writer_init(&writer, &build) == 0);
	for (size_t i = 0; i < count; i++)
		hp_id_index_add(&writer, ids[i]);
	hp_id_index_flush(&writer);
	*twice = writer.twice;
	writer.twice = (struct hp_ids){ 0 };
	hp_id_index_writer_done(&writer);
	result = hp_id_index_finish(&build, ret);
	hp_id_index_build_done(&build);
	cr_assert(result != HP_ID_INDEX_NO_MEMORY);
	return result == HP_ID_INDEX_OK;
}

static void by_sorting(const uint64_t *ids, size_t count,
		       struct hp_id_index *ret, struct hp_ids *twice)
{
	uint64_t *copy = hp_calloc(count + 1, sizeof *copy);

	cr_assert(copy != NULL);
	if (count)
		memcpy(copy, ids, count * sizeof *copy);
	*twice = (struct hp_ids){ 0 };
	cr_assert(hp_id_index_sort(copy, count, twice, ret) == 0);
}

/* Do both have the same numbers, each once? */
static void same_ids(struct hp_ids *a, struct hp_ids *b)
{
	a->count = hp_ids_sort(a->items, a->count);
	b->count = hp_ids_sort(b->items, b->count);
	cr_assert_eq(a->count, b->count, "%zu and %zu repeated ids", a->count,
		     b->count);
	cr_assert(a->count == 0 ||
		  memcmp(a->items, b->items, a->count * 8) == 0);
	free(a->items);
	free(b->items);
}

/* SORTED has each id once. */
static void check(const struct hp_id_index *rank, const uint64_t *sorted,
		  size_t count)
{
	cr_assert_eq(rank->count, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t next = i + 1 < count ? sorted[i + 1] : 0;
		cr_assert_eq(hp_id_index_find(rank, sorted[i]), i);
		hp_id_index_prefetch(rank, sorted[i]);
		if (sorted[i] + 1 != next)
			cr_assert_eq(hp_id_index_find(rank, sorted[i] + 1),
				     HP_NO_RANK);
		if (sorted[i] + 8 < next || next == 0)
			cr_assert_eq(hp_id_index_find(rank, sorted[i] + 8),
				     HP_NO_RANK);
	}
	cr_assert(count == 0 || sorted[0] == 0 ||
		  hp_id_index_find(rank, 0) == HP_NO_RANK);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t id = chance(UINT64_MAX);
		bool is_there = false;
		for (size_t k = 0; count < 1000 && k < count; k++)
			is_there = is_there || sorted[k] == id;
		if (!is_there && count < 1000)
			cr_assert_eq(hp_id_index_find(rank, id), HP_NO_RANK);
	}
}

/* Tests both ways; returns whether bits can be used. */
static bool both(uint64_t *ids, size_t count)
{
	struct hp_id_index bits = { 0 }, sorted = { 0 };
	struct hp_ids twice_bits, twice_sorted;
	bool dense = by_bits(ids, count, &bits, &twice_bits);

	by_sorting(ids, count, &sorted, &twice_sorted);
	count = hp_ids_sort(ids, count);
	check(&sorted, ids, count);
	if (dense) {
		check(&bits, ids, count);
		same_ids(&twice_bits, &twice_sorted);
	} else {
		free(twice_bits.items);
		free(twice_sorted.items);
	}
	hp_id_index_done(&bits);
	hp_id_index_done(&sorted);
	return dense;
}

Test(id_index, nothing)
{
	uint64_t none[1] = { 0 };

	cr_expect(both(none, 0));
}

Test(id_index, one)
{
	uint64_t ids[] = { 1, 8, 0xfffffffffffffff8, UINT64_MAX,
			   0x8000000000000000 };

	for (unsigned i = 0; i < 5; i++)
		cr_expect(both(&ids[i], 1));
}

/* As in a heap: multiples of 8, some distance apart. */
Test(id_index, a_heap)
{
	enum { COUNT = 200000 };
	uint64_t *ids = calloc(COUNT, sizeof *ids), id = 0x7f0000000000;

	for (unsigned step = 1; step <= 1024; step *= 32) {
		for (size_t i = 0; i < COUNT; i++)
			ids[i] = id += 8 * (1 + chance(2 * step));
		cr_expect(both(ids, COUNT) == (step < 1024), "%u", step);
	}
	free(ids);
}

Test(id_index, shuffled_and_repeated)
{
	enum { COUNT = 50000 };
	uint64_t *ids = calloc(COUNT, sizeof *ids);

	for (size_t i = 0; i < COUNT; i++)
		ids[i] = 0x1000 + 16 * chance(COUNT);
	cr_expect(both(ids, COUNT));
	for (size_t i = 0; i < COUNT; i++)
		ids[i] = 0x50000000 + i % 20000;
	cr_expect(both(ids, COUNT));
	free(ids);
}

/* Far more regions than there may be for so few ids. */
Test(id_index, sparse)
{
	enum { COUNT = 5000 };
	uint64_t *ids = calloc(COUNT, sizeof *ids);

	for (size_t i = 0; i < COUNT; i++)
		ids[i] = 1 + chance(UINT64_MAX - 1);
	cr_expect_not(both(ids, COUNT));
	for (size_t i = 0; i < COUNT; i++)
		ids[i] = (i + 1) << 40;
	cr_expect(both(ids, COUNT), "sparse, but in even steps");
	free(ids);
}

/* A dense heap, and a few ids far away. */
Test(id_index, wild_gaps)
{
	enum { COUNT = 100000 };
	uint64_t *ids = calloc(COUNT, sizeof *ids);

	for (size_t i = 0; i < COUNT; i++)
		ids[i] = i < 20 ? ((uint64_t)i + 1) << 58 | i << 3
				: 0x100000 + 24 * i;
	cr_expect(both(ids, COUNT));
	free(ids);
}

/* As many regions as the table has slots: what is not there is not found. */
Test(id_index, full_table)
{
	enum { STEP = 64 };

	for (size_t regions = 1; regions <= 64; regions++) {
		size_t count = (regions << HP_REGION_BITS) / STEP;
		uint64_t *ids = calloc(count, sizeof *ids);
		for (size_t i = 0; i < count; i++)
			ids[i] = ((uint64_t)3 << HP_REGION_BITS) + STEP * i + 1;
		cr_expect(both(ids, count), "%zu", regions);
		free(ids);
	}
}

/* ---- several threads ----------------------------------------------------- */

enum { THREADS = 4, EACH = 100000 };

struct adding {
	struct hp_id_index_build *build;
	const uint64_t *ids;
	struct hp_ids twice;
	pthread_t thread;
};

static void *add_all(void *arg)
{
	struct adding *adding = arg;
	struct hp_id_index_writer writer;

	if (hp_id_index_writer_init(&writer, adding->build) != 0)
		return arg;
	for (size_t i = 0; i < EACH; i++)
		hp_id_index_add(&writer, adding->ids[i]);
	hp_id_index_flush(&writer);
	adding->twice = writer.twice;
	writer.twice = (struct hp_ids){ 0 };
	hp_id_index_writer_done(&writer);
	return NULL;
}

/* Threads whose ids lie in the same words, some of them the same. */
Test(id_index, threads)
{
	uint64_t *ids = calloc(THREADS * EACH, sizeof *ids);
	struct adding adding[THREADS];
	struct hp_id_index_build build;
	struct hp_id_index bits, sorted;
	struct hp_ids twice = { 0 }, expected;
	void *failed;

	for (size_t i = 0; i < THREADS * EACH; i++)
		ids[i] = 0x10000 + 8 * chance(8 * THREADS * EACH);
	cr_assert(hp_id_index_begin(&build, 0x10008, THREADS * EACH, false) ==
		  0);
	for (unsigned t = 0; t < THREADS; t++) {
		adding[t] = (struct adding){ &build, ids + t * EACH, { 0 }, 0 };
		cr_assert(pthread_create(&adding[t].thread, NULL, add_all,
					 &adding[t]) == 0);
	}
	for (unsigned t = 0; t < THREADS; t++) {
		cr_assert(pthread_join(adding[t].thread, &failed) == 0);
		cr_assert(failed == NULL);
		twice.items =
			realloc(twice.items,
				(twice.count + adding[t].twice.count + 1) * 8);
		for (size_t i = 0; i < adding[t].twice.count; i++)
			twice.items[twice.count++] = adding[t].twice.items[i];
		free(adding[t].twice.items);
	}
	cr_assert(hp_id_index_finish(&build, &bits) == HP_ID_INDEX_OK);
	hp_id_index_build_done(&build);
	by_sorting(ids, THREADS * EACH, &sorted, &expected);
	same_ids(&twice, &expected);
	size_t count = hp_ids_sort(ids, THREADS * EACH);
	check(&bits, ids, count);
	hp_id_index_done(&bits);
	hp_id_index_done(&sorted);
	free(ids);
}
