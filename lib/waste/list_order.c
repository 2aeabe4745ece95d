/* SPDX-License-Identifier: MIT */
/*
 * list_order.c - sorts the lists of notes by the numbers of objects.
 *
 * One thread meets objects in the order of their numbers, so its lists are sorted
 * when they are made; to find that out is all that sorting costs then. Those of
 * several threads are runs, which are merged: most of a run is copied at once. Where
 * runs are short, items are dealt by the digits of the numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/search.h"
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

static inline uint32_t key_at(const struct sorting *s, size_t i)
{
	return key_of(s, (const char *)s->items + i * s->width);
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
	uint32_t low; /* the first key */
};

static struct run run_at(const struct sorting *s, size_t first)
{
	struct run run = { .first = first, .count = 1 };
	uint32_t last = run.low = key_at(s, first);

	for (; first + run.count < s->count; run.count++) {
		uint32_t key = key_at(s, first + run.count);

		if (key < last)
			break;
		last = key;
	}
	return run;
}

/* No two runs begin at the same item. */
static bool comes_before(const struct run *a, const struct run *b)
{
	return a->low != b->low ? a->low < b->low : a->first < b->first;
}

static int compare_runs(const void *left, const void *right)
{
	return comes_before(left, right) ? -1 : comes_before(right, left);
}

/* The runs in the order of their first keys; NULL: they are short. */
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
	if (!good) {
		hp_free(runs);
		return NULL;
	}
	qsort(runs, count, sizeof *runs, compare_runs);
	*ret_count = count;
	return runs;
}

/* How many items of the first run come before the second one. */
static size_t items_before(const struct sorting *s, const struct run *run,
			   const struct run *other)
{
	uint32_t most = other->low;
	size_t n;

	if (run->first < other->first && most < UINT32_MAX)
		most++; /* items with the same key stay as they were */
	HP_LOWER_BOUND(&n, run->count, key_at(s, run->first + hp_at) < most);
	return n;
}

/* Moves the first run down to its place in a heap of COUNT. */
static void sift_down(struct run *runs, size_t count)
{
	struct run one = runs[0];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < count) {
		if (k + 1 < count && comes_before(&runs[k + 1], &runs[k]))
			k++;
		if (comes_before(&one, &runs[k]))
			break;
		runs[i] = runs[k];
		i = k;
	}
	runs[i] = one;
}

/* Of a heap the second is one of the children of the first. */
static size_t after_first(const struct sorting *s, const struct run *runs,
			  size_t count)
{
	size_t second = count > 2 && comes_before(&runs[2], &runs[1]) ? 2 : 1;

	return count > 1 ? items_before(s, &runs[0], &runs[second])
			 : runs[0].count;
}

/* Runs that are sorted are a heap, too. */
static void merge_runs(const struct sorting *s, struct run *runs, size_t count,
		       char *to)
{
	while (count) {
		size_t n = after_first(s, runs, count);

		memcpy(to, (const char *)s->items + runs[0].first * s->width,
		       n * s->width);
		to += n * s->width;
		runs[0].first += n;
		runs[0].count -= n;
		if (runs[0].count)
			runs[0].low = key_at(s, runs[0].first);
		else
			runs[0] = runs[--count];
		if (count)
			sift_down(runs, count);
	}
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
		merge_runs(&s, runs, run_count, spare.at);
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

/* Nothing is added to these any more. */
static void fit_notes(struct hp_waste *w)
{
	HP_WASTE_FIT(w, &w->tails);
	HP_WASTE_FIT(w, &w->thin);
	HP_WASTE_FIT(w, &w->halves);
	HP_WASTE_FIT(w, &w->narrow);
	HP_WASTE_FIT(w, &w->wide);
	HP_WASTE_FIT(w, &w->empties);
}

#define SORT(w, list, key)                                                     \
	sort((w), &(list)->table, (void **)&(list)->items, &(list)->room,      \
	     (list)->count, sizeof *(list)->items, (key))

enum hprof_status hp_waste_sort_notes(struct hp_waste *w)
{
	fit_notes(w);
	HP_TRY(SORT(w, &w->rows, offsetof(struct hp_row_array, object)));
	HP_TRY(SORT(w, &w->seen, offsetof(struct hp_seen, object)));
	HP_TRY(SORT(w, &w->tails, offsetof(struct hp_shrinkable, object)));
	HP_TRY(SORT(w, &w->thin, offsetof(struct hp_shrinkable, object)));
	HP_TRY(SORT(w, &w->halves, offsetof(struct hp_shrinkable, object)));
	HP_TRY(SORT(w, &w->narrow, offsetof(struct hp_shrinkable, object)));
	HP_TRY(SORT(w, &w->wide, offsetof(struct hp_characters, string)));
	return SORT(w, &w->empties, 0);
}

enum hprof_status hp_waste_sort_arrays(struct hp_waste *w)
{
	HP_TRY(SORT(w, &w->wide, offsetof(struct hp_characters, array)));
	HP_TRY(SORT(w, &w->sharers, offsetof(struct hp_characters, string)));
	return SORT(w, &w->sharers, offsetof(struct hp_characters, array));
}
