/* SPDX-License-Identifier: MIT */
/*
 * test_spare_memory.c - memory that one table leaves for the next.
 */
#include <criterion/criterion.h>

#include <string.h>
#include <sys/mman.h>

#include "base/spare_memory.h"

enum { CHUNK = 2 << 20 };

/* The bytes up to USED are as they were left, those behind are 0. */
static void expect_left(const unsigned char *at, size_t used, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		cr_assert_eq(at[i], i < used ? 0xa5 : 0, "byte %zu", i);
}

static unsigned char *map(struct hp_spare_memory *spare, size_t bytes,
			  size_t expected)
{
	size_t used = 1;
	unsigned char *at = hp_spare_memory_map(spare, bytes, true, &used);

	cr_assert_not_null(at);
	cr_assert_eq(used, expected);
	expect_left(at, used, bytes);
	memset(at, 0xa5, bytes);
	return at;
}

static void keep(struct hp_spare_memory *spare, void *at, size_t bytes)
{
	uint64_t before = spare->bytes;

	hp_spare_memory_keep(spare, at, bytes);
	cr_assert_eq(spare->bytes, before + (bytes & ~(size_t)(CHUNK - 1)));
}

/* Several small ones become a large one, and that becomes small ones again. */
Test(spare_memory, pieces)
{
	struct hp_spare_memory spare = { 0 };
	unsigned char *small[3], *large;

	for (int i = 0; i < 3; i++)
		small[i] = map(&spare, 2 * CHUNK + 4096, 0);
	for (int i = 0; i < 3; i++)
		keep(&spare, small[i], 2 * CHUNK + 4096);
	large = map(&spare, 7 * CHUNK, 6 * CHUNK);
	cr_assert_eq(spare.bytes, 0);
	keep(&spare, large, 7 * CHUNK);
	small[0] = map(&spare, CHUNK, CHUNK);
	small[1] = map(&spare, 3 * CHUNK + 65536, 3 * CHUNK);
	cr_assert_eq(spare.bytes, 3 * CHUNK);
	hp_spare_memory_release(&spare);
	cr_assert_eq(spare.bytes, 0);
	small[2] = map(&spare, CHUNK, 0);
	munmap(small[0], CHUNK);
	munmap(small[1], 3 * CHUNK + 65536);
	munmap(small[2], CHUNK);
}

/* What is smaller than a chunk, or not where one begins, is not kept. */
Test(spare_memory, remnants)
{
	struct hp_spare_memory spare = { 0 };
	unsigned char *at = map(&spare, 65536, 0);

	keep(&spare, at, 65536);
	at = map(&spare, 3 * CHUNK, 0);
	hp_spare_memory_keep(&spare, at + 65536, 3 * CHUNK - 65536);
	cr_assert_eq(spare.bytes, 2 * CHUNK);
	munmap(at, 65536);
	at = map(&spare, 65536, 0);
	cr_assert_eq(spare.bytes, 2 * CHUNK);
	munmap(at, 65536);
	hp_spare_memory_release(&spare);
}

/* More pieces than can be kept. */
Test(spare_memory, many)
{
	struct hp_spare_memory spare = { 0 };
	void *pieces[HP_SPARE_RANGES + 1];

	for (size_t i = 0; i <= HP_SPARE_RANGES; i++)
		pieces[i] = map(&spare, CHUNK, 0);
	for (size_t i = 0; i <= HP_SPARE_RANGES; i++)
		hp_spare_memory_keep(&spare, pieces[i], CHUNK);
	cr_assert_eq(spare.bytes, (uint64_t)HP_SPARE_RANGES * CHUNK);
	munmap(map(&spare, (HP_SPARE_RANGES + 1) * (size_t)CHUNK,
		   HP_SPARE_RANGES * (size_t)CHUNK),
	       (HP_SPARE_RANGES + 1) * (size_t)CHUNK);
	cr_assert_eq(spare.bytes, 0);
}
