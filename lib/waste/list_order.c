/* SPDX-License-Identifier: MIT */
/*
 * list_order.c - sorts the lists of the pass by the numbers of objects.
 *
 * One thread meets objects in the order of their numbers, so its lists are sorted
 * when they are made; to find that out is all that sorting costs then. Those of
 * several threads are runs, which mostly only need another order. Where runs
 * overlap, items are dealt by the digits of the numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "waste/waste.h"

enum {
	DIGIT_MOST = 13,
	DIGITS = 1 << DIGIT_MOST,
	RUN_LEAST = 32 /* items, on average */
};

/* A list of items, each of which has its key at the same place. */
struct sorting {
	void *items;
	size_t count, width, key_at;
	unsigned digit; /* bits of one */
};

static inline uint32_t key_of(const struct sorting *s, const char *item)
{
	uint32_t key;

	memcpy(&key, item + s->key_at, sizeof key);
	return key;
}

static bool is_sorted(const struct sorting *s)
{
	const char *item = s->items;

	for (size_t i = 1; i < s->count; i++, item += s->width)
		if (key_of(s, item) > key_of(s, item + s->width))
			return false;
	return true;
}

/* ---- runs ---------------------------------------------------------------- */

/* Items that are sorted. */
struct run {
	size_t first, count;
	uint32_t low, high; /* keys */
};

static struct run run_at(const struct sorting *s, size_t first)
{
	const char *item = (const char *)s->items + first * s->width;
	struct run run = { .first = first, .count = 1 };

	run.low = run.high = key_of(s, item);
	for (item += s->width; first + run.count < s->count;
	     item += s->width, run.count++) {
		uint32_t key = key_of(s, item);

		if (key < run.high)
			break;
		run.high = key;
	}
	return run;
}

static int compare_runs(const void *left, const void *right)
{
	const struct run *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* The runs in the order of their keys; NULL: they overlap, or are short. */
static struct run *find_runs(const struct sorting *s, size_t *ret_count)
{
	size_t count = 0, most = s->count / RUN_LEAST + 1;
	struct run *runs = hp_calloc(most, sizeof *runs);
	bool good = runs != NULL;

	for (size_t i = 0; good && i < s->count;) {
		good = count < most;
		if (!good)
			break;
		runs[count] = run_at(s, i);
		i += runs[count++].count;
	}
	if (good)
		qsort(runs, count, sizeof *runs, compare_runs);
	for (size_t i = 1; good && i < count; i++)
		good = runs[i - 1].high < runs[i].low;
	if (!good) {
		hp_free(runs);
		return NULL;
	}
	*ret_count = count;
	return runs;
}

static void copy_runs(const struct sorting *s, const struct run *runs,
		      size_t count, char *to)
{
	for (size_t i = 0; i < count; to += runs[i++].count * s->width)
		memcpy(to, (const char *)s->items + runs[i].first * s->width,
		       runs[i].count * s->width);
}

/* ---- digits -------------------------------------------------------------- */

/* Copies the items to TO, in the order of one digit of their keys. */
static void deal(const struct sorting *s, unsigned shift, char *to)
{
	const uint32_t mask = ((uint32_t)1 << s->digit) - 1;
	size_t at[DIGITS] = { 0 }, sum = 0;
	const char *item = s->items;

	for (size_t i = 0; i < s->count; i++, item += s->width)
		at[key_of(s, item) >> shift & mask]++;
	for (size_t i = 0; i <= mask; i++) {
		size_t n = at[i];

		at[i] = sum;
		sum += n;
	}
	item = s->items;
	for (size_t i = 0; i < s->count; i++, item += s->width)
		memcpy(to + s->width * at[key_of(s, item) >> shift & mask]++,
		       item, s->width);
}

/* As few digits as will do for the numbers of all objects. */
static unsigned bits_of_digit(uint64_t objects)
{
	unsigned bits = 1, digits;

	while (objects >> bits)
		bits++;
	digits = (bits + DIGIT_MOST - 1) / DIGIT_MOST;
	return (bits + digits - 1) / digits;
}

static void swap_tables(struct hp_mapped_table *a, struct hp_mapped_table *b)
{
	struct hp_mapped_table one = *a;

	*a = *b;
	*b = one;
}

/* Sorts the items in TABLE, with the help of SPARE, which is as large. */
static void deal_all(const struct hp_waste *w, struct sorting *s,
		     struct hp_mapped_table *table,
		     struct hp_mapped_table *spare)
{
	for (unsigned shift = 0; w->heap->count >> shift; shift += s->digit) {
		deal(s, shift, spare->at);
		s->items = spare->at;
		swap_tables(table, spare);
	}
}

/*
 * Sorts the list in TABLE by the keys at KEY_AT; items with the same key stay as
 * they were.
 */
static enum hprof_status sort(struct hp_waste *w, struct hp_mapped_table *table,
			      void **items, size_t *room, size_t count,
			      size_t width, size_t key_at)
{
	struct sorting s = { *items, count, width, key_at,
			     bits_of_digit(w->heap->count) };
	struct hp_mapped_table spare;
	size_t run_count = 0;
	struct run *runs;

	if (is_sorted(&s))
		return HPROF_OK;
	HP_TRY(hp_mapped_table_make(&w->tables, &spare, *room, width,
				    HP_MAPPED_TABLE_RAW, w->error));
	runs = find_runs(&s, &run_count);
	if (runs) {
		copy_runs(&s, runs, run_count, spare.at);
		swap_tables(table, &spare);
	} else {
		deal_all(w, &s, table, &spare);
	}
	hp_free(runs);
	*items = table->at;
	hp_mapped_table_free(&w->tables, &spare);
	return HPROF_OK;
}

/* ---- all lists ----------------------------------------------------------- */

#define SORT(w, list, key)                                                     \
	sort((w), &(list)->table, (void **)&(list)->items, &(list)->room,      \
	     (list)->count, sizeof *(list)->items, (key))

enum hprof_status hp_waste_sort_lists(struct hp_waste *w)
{
	HP_TRY(SORT(w, &w->rows, offsetof(struct hp_row_array, object)));
	HP_TRY(SORT(w, &w->seen, offsetof(struct hp_seen, object)));
	HP_TRY(SORT(w, &w->tails, offsetof(struct hp_shrinkable, object)));
	HP_TRY(SORT(w, &w->thin, offsetof(struct hp_shrinkable, object)));
	HP_TRY(SORT(w, &w->halves, offsetof(struct hp_shrinkable, object)));
	HP_TRY(SORT(w, &w->wide, 0));
	HP_TRY(SORT(w, &w->empties, 0));
	HP_TRY(SORT(w, &w->sharers, offsetof(struct hp_sharer, string)));
	HP_TRY(SORT(w, &w->sharers, offsetof(struct hp_sharer, array)));
	return hp_waste_place_lists(w);
}
