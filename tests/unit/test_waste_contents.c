/* SPDX-License-Identifier: MIT */
/*
 * test_waste_contents.c - how contents are told apart: their hashes, which of these
 * are there again, and their order.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hprof/record.h"
#include "waste/content_bits.h"
#include "waste/content_hash.h"
#include "waste/content_sort.h"

/* Hashes that are random, equal, or differ in the last byte only. */
Test(waste, contents_are_sorted)
{
	enum { COUNT = 20000 };
	struct hp_content *items = calloc(COUNT, sizeof *items);
	uint64_t state = 1;

	for (uint32_t i = 0; i < COUNT; i++) {
		items[i].object = COUNT - i;
		for (unsigned k = 0; k < HP_CONTENT_WORDS && i % 3; k++) {
			state = state * 6364136223846793005u +
				1442695040888963407u;
			items[i].hash[k] = (uint32_t)(state >> 33);
		}
		if (i % 3 == 0)
			items[i].hash[HP_CONTENT_WORDS - 1] = i % 2;
	}
	hp_content_sort(items, COUNT);
	for (uint32_t i = 1; i < COUNT; i++) {
		int order = hp_content_compare(&items[i - 1], &items[i]);

		cr_assert(order < 0 || (order == 0 &&
					items[i - 1].object < items[i].object),
			  "%u", i);
	}
	free(items);
}

/* Runs of 1, 2, 3, 1, ... equal ones, up to the first place of the next. */
Test(waste, contents_that_are_there_again_are_listed)
{
	enum { COUNT = 1000 };
	struct hp_content *items = calloc(COUNT, sizeof *items);
	uint32_t expected[2 * COUNT], count = 0, object = 7;
	uint64_t listed;

	for (uint32_t run = 1; object < 7 + COUNT; run++) {
		uint32_t n = run % 3 + 1, left = 7 + COUNT - object;

		if (n > left)
			n = left;
		if (n > 1)
			expected[count++] = n;
		for (uint32_t k = 0; k < n; k++, object++) {
			items[object - 7].object = object;
			items[object - 7].hash[run % HP_CONTENT_WORDS] = run;
			if (n > 1)
				expected[count++] = object;
		}
	}
	listed = hp_content_list_runs(items, COUNT);
	cr_assert_eq(listed, count);
	cr_expect(!memcmp(items, expected, count * sizeof *expected));
	cr_expect_eq(hp_content_list_runs(items, 0), 0);
	free(items);
}

enum { MARKERS = 4, EACH = 25000, MARKED = MARKERS * EACH, AGAIN = EACH / 10 };

struct marking {
	struct hp_content_bits bits;
	struct hp_content items[MARKED];
};

struct marker {
	const struct marking *all;
	unsigned number;
};

static void *mark_some(void *user)
{
	const struct marker *m = user;

	hp_content_bits_mark(&m->all->bits, &m->all->items[m->number * EACH],
			     EACH);
	return NULL;
}

/* Is it one of those with which two threads begin? */
static bool is_there_again(uint32_t i)
{
	return i % EACH < AGAIN;
}

static struct marking *marking_new(struct hp_mapped_tables *tables)
{
	struct marking *all = calloc(1, sizeof *all);
	struct hprof_error error;
	uint64_t state = 1;

	cr_assert_eq(hp_content_bits_make(tables, MARKED, &all->bits, &error),
		     HPROF_OK);
	for (uint32_t i = 0; i < MARKED; i++) {
		struct hp_content *item = &all->items[i];

		for (unsigned k = 0; k < HP_CONTENT_WORDS; k++) {
			state = state * 6364136223846793005u +
				1442695040888963407u;
			item->hash[k] = (uint32_t)(state >> 32);
		}
		if (is_there_again(i) && i / EACH % 2)
			*item = all->items[i - EACH];
		item->object = i;
	}
	return all;
}

/* None that is there twice may be lost, by whichever threads it is marked. */
Test(waste_threads, contents_there_again)
{
	struct hp_mapped_tables tables = { 0 };
	struct marking *all = marking_new(&tables);
	struct marker markers[MARKERS];
	pthread_t threads[MARKERS];
	size_t left, again = 0;

	for (unsigned i = 0; i < MARKERS; i++) {
		markers[i] = (struct marker){ all, i };
		cr_assert_eq(pthread_create(&threads[i], NULL, mark_some,
					    &markers[i]),
			     0);
	}
	for (unsigned i = 0; i < MARKERS; i++)
		pthread_join(threads[i], NULL);
	left = hp_content_bits_leave(&all->bits, all->items, MARKED,
				     all->items);
	for (size_t i = 0; i < left; i++) {
		cr_assert(i == 0 ||
			  all->items[i - 1].object < all->items[i].object);
		again += is_there_again(all->items[i].object);
	}
	cr_expect_eq(again, MARKERS * AGAIN);
	cr_expect_lt(left - again, MARKED / 5);
	hp_mapped_table_free(&tables, &all->bits.table);
	hp_mapped_tables_release(&tables);
	free(all);
}

Test(waste, hashes_tell_contents_apart)
{
	static const uint8_t bytes[32] = { 1, 2,	 3,	    4,
					   5, 6,	 7,	    8,
					   9, [18] = 10, [21] = 11, [30] = 12 };
	struct hp_content_key key = { 1, 2 };
	uint64_t hashes[33][2], whole[2];
	struct hp_content_hash h;

	/* Prefixes, in pieces and whole; many differ by zeros at their end alone. */
	for (size_t i = 0; i <= 32; i++) {
		hp_content_hash_begin(&h, &key, HPROF_TYPE_BYTE);
		hp_content_hash_add(&h, bytes, i / 8 * 8);
		hp_content_hash_add(&h, bytes + i / 8 * 8, i % 8);
		hp_content_hash_end(&h, hashes[i]);
		hp_content_hash_begin(&h, &key, HPROF_TYPE_BYTE);
		hp_content_hash_add(&h, bytes, i);
		hp_content_hash_end(&h, whole);
		cr_expect(memcmp(whole, hashes[i], 16) == 0, "%zu", i);
		for (size_t k = 0; k < i; k++)
			cr_expect(memcmp(hashes[i], hashes[k], 16) != 0);
	}
}
