/* SPDX-License-Identifier: MIT */
/*
 * test_block_sum.c - sums of bytes that are found many at a time.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "graph/block_sum.h"
#include "random_heap.h"

/* Bytes below MOST; in half of all cases one of them may be any. */
static void fill(uint8_t bytes[static HP_BLOCK_SUMS], uint32_t most)
{
	for (unsigned i = 0; i < HP_BLOCK_SUMS; i++)
		bytes[i] = (uint8_t)random_below(most);
	if (random_below(2))
		bytes[random_below(HP_BLOCK_SUMS)] = (uint8_t)random_below(256);
}

static bool is_small(const uint8_t bytes[static HP_BLOCK_SUMS])
{
	for (unsigned i = 0; i < HP_BLOCK_SUMS; i += 8) {
		unsigned sum = 0;
		for (unsigned k = 0; k < 8; k++)
			sum += bytes[i + k];
		if (sum >= 255)
			return false;
	}
	return true;
}

Test(block_sum, of_random_bytes)
{
	unsigned small = 0, rounds = 100000;
	uint8_t bytes[HP_BLOCK_SUMS];
	struct hp_block_sums sums;

	for (unsigned round = 0; round < rounds; round++) {
		uint64_t sum = 0;
		fill(bytes, 1 + random_below(40));
		cr_assert_eq(hp_block_is_small(bytes), is_small(bytes));
		if (!is_small(bytes))
			continue;
		small++;
		uint64_t all = hp_block_sums_find(&sums, bytes);
		for (unsigned i = 0; i < HP_BLOCK_SUMS; i++) {
			cr_assert_eq(hp_block_sums_before(&sums, i), sum,
				     "before byte %u", i);
			sum += bytes[i];
		}
		cr_assert_eq(all, sum);
	}
	/* Both kinds were there. */
	cr_assert(small > rounds / 4 && small < rounds);
}

Test(block_sum, bytes_that_are_not_0)
{
	uint8_t bytes[HP_BLOCK_SUMS];

	for (unsigned round = 0; round < 10000; round++) {
		fill(bytes, 1 + random_below(4));
		const uint64_t bits = hp_block_nonzero(bytes);
		for (unsigned i = 0; i < HP_BLOCK_SUMS; i++)
			cr_assert_eq(bits >> i & 1, bytes[i] != 0, "byte %u",
				     i);
	}
	memset(bytes, 0x80, sizeof bytes);
	cr_assert_eq(hp_block_nonzero(bytes), UINT64_MAX);
	memset(bytes, 0, sizeof bytes);
	cr_assert_eq(hp_block_nonzero(bytes), 0);
}

Test(block_sum, bytes_with_a_bit)
{
	uint8_t bytes[HP_BLOCK_SUMS];

	for (unsigned round = 0; round < 1000; round++) {
		fill(bytes, 256);
		for (unsigned bit = 0; bit < 8; bit++) {
			const uint64_t bits = hp_block_with(bytes, bit);
			for (unsigned i = 0; i < HP_BLOCK_SUMS; i++)
				cr_assert_eq(bits >> i & 1, bytes[i] >> bit & 1,
					     "bit %u of byte %u", bit, i);
		}
	}
}

/* One more than that is too much for a byte. */
Test(block_sum, up_to_the_largest)
{
	uint8_t bytes[HP_BLOCK_SUMS];
	struct hp_block_sums sums;

	memset(bytes, 0, sizeof bytes);
	for (unsigned i = 0; i < HP_BLOCK_SUMS; i += 8)
		bytes[i + 7] = 254;
	cr_assert(hp_block_is_small(bytes));
	cr_assert_eq(hp_block_sums_find(&sums, bytes), 254 * HP_BLOCK_SUMS / 8);
	cr_assert_eq(hp_block_sums_before(&sums, 63), 254 * 7);
	bytes[0] = 1;
	cr_assert_not(hp_block_is_small(bytes));
	bytes[0] = 0;
	bytes[7] = 255;
	cr_assert_not(hp_block_is_small(bytes));
}
