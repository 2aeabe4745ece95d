/* SPDX-License-Identifier: MIT */
/*
 * content_sort.c - sorts contents by their hash, in place: byte by byte from
 * the highest one on (American flag sort), small parts by insertion. The
 * hashes are random, whatever the dump, so parts are small after a few bytes;
 * those that are large after that have equal contents, which is seen by comparing
 * them once, and are sorted by number.
 */
#include "waste/content_sort.h"

#include <string.h>

enum { BYTES = 4 * HP_CONTENT_WORDS, SMALL = 24, LIKELY_EQUAL = 2 };

static inline unsigned byte_of(const struct hp_content *c, unsigned depth)
{
	return c->hash[depth / 4] >> (24 - 8 * (depth % 4)) & 255;
}

int hp_content_compare(const struct hp_content *a, const struct hp_content *b)
{
	for (unsigned i = 0; i < HP_CONTENT_WORDS; i++)
		if (a->hash[i] != b->hash[i])
			return a->hash[i] < b->hash[i] ? -1 : 1;
	return 0;
}

/* By hash, then by object. */
static int compare_all(const struct hp_content *a, const struct hp_content *b)
{
	int order = hp_content_compare(a, b);

	if (order)
		return order;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void sort_small(struct hp_content *items, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		struct hp_content one = items[i];
		uint64_t k = i;

		for (; k && compare_all(&one, &items[k - 1]) < 0; k--)
			items[k] = items[k - 1];
		items[k] = one;
	}
}

/* The byte to sort by at DEPTH: of the hash, then of the object's number. */
static inline unsigned digit(const struct hp_content *c, unsigned depth)
{
	return depth < BYTES ? byte_of(c, depth)
			     : c->object >> (24 - 8 * (depth - BYTES)) & 255;
}

struct part {
	uint64_t start, end;
};

static void deal(struct hp_content *items, uint64_t count, unsigned depth,
		 struct part parts[static 256])
{
	uint64_t counts[256] = { 0 }, next[256], at = 0;

	for (uint64_t i = 0; i < count; i++)
		counts[digit(&items[i], depth)]++;
	for (unsigned d = 0; d < 256; d++) {
		next[d] = parts[d].start = at;
		at += counts[d];
		parts[d].end = at;
	}
	for (unsigned d = 0; d < 256; d++)
		while (next[d] < parts[d].end) {
			struct hp_content one = items[next[d]];
			unsigned to = digit(&one, depth);

			while (to != d) {
				struct hp_content other = items[next[to]];

				items[next[to]++] = one;
				one = other;
				to = digit(&one, depth);
			}
			items[next[d]++] = one;
		}
}

static bool all_equal(const struct hp_content *items, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++)
		if (hp_content_compare(&items[0], &items[i]) != 0)
			return false;
	return true;
}

/* The first depth from DEPTH on at which not all numbers are alike. */
static unsigned skip_alike(const struct hp_content *items, uint64_t count,
			   unsigned depth)
{
	uint32_t differ = 0;

	for (uint64_t i = 1; i < count; i++)
		differ |= items[i].object ^ items[0].object;
	while (depth < BYTES + 4 &&
	       !(differ >> (24 - 8 * (depth - BYTES)) & 255))
		depth++;
	return depth;
}

/*
 * The depth of the recursion is that of the key, 16 bytes. Hashes that have
 * several bytes in common are mostly equal.
 */
static void sort_from(struct hp_content *items, uint64_t count, unsigned depth)
{
	struct part parts[256];

	if (count <= SMALL) {
		sort_small(items, count);
		return;
	}
	if (depth >= LIKELY_EQUAL && depth < BYTES && all_equal(items, count))
		depth = BYTES;
	if (depth >= BYTES)
		depth = skip_alike(items, count, depth);
	if (depth == BYTES + 4)
		return;
	deal(items, count, depth, parts);
	for (unsigned d = 0; d < 256; d++)
		if (parts[d].end - parts[d].start > 1)
			sort_from(items + parts[d].start,
				  parts[d].end - parts[d].start, depth + 1);
}

void hp_content_sort(struct hp_content *items, uint64_t count)
{
	sort_from(items, count, 0);
}

/* ---- runs ---------------------------------------------------------------- */

static uint64_t run_length(const struct hp_content *items, uint64_t count)
{
	uint64_t n = 1;

	while (n < count && hp_content_compare(&items[0], &items[n]) == 0)
		n++;
	return n;
}

/* No number is written before the item in that place has been read. */
uint64_t hp_content_list_runs(struct hp_content *items, uint64_t count)
{
	uint32_t *const list = (uint32_t *)items;
	uint64_t listed = 0, n;

	for (uint64_t i = 0; i < count; i += n) {
		const uint32_t first = items[i].object;

		n = run_length(items + i, count - i);
		if (n == 1)
			continue;
		list[listed++] = (uint32_t)n;
		list[listed++] = first;
		for (uint64_t k = 1; k < n; k++)
			list[listed++] = items[i + k].object;
	}
	return listed;
}
