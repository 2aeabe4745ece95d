/* SPDX-License-Identifier: MIT */
/*
 * lists.c - lists of objects of which the pass noted something: how they grow,
 * are sorted and searched.
 *
 * The pass meets objects in the order of their numbers, so most lists are sorted
 * when they are made; to find that out is all that sorting costs then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "waste/waste.h"

enum { FIRST_ROOM = 64 };

enum hprof_status hp_waste_more(struct hp_waste *w,
				struct hp_mapped_table *table, void **items,
				size_t *room, size_t count, size_t width)
{
	size_t larger = *room ? 2 * *room : FIRST_ROOM;
	struct hp_mapped_table made;

	if (count < *room)
		return HPROF_OK;
	HP_TRY(hp_mapped_table_make(&w->tables, &made, larger, width,
				    HP_MAPPED_TABLE_RAW, w->error));
	if (count)
		memcpy(made.at, *items, count * width);
	hp_mapped_table_free(&w->tables, table);
	*table = made;
	*items = made.at;
	*room = larger;
	return HPROF_OK;
}

enum hprof_status hp_waste_add_number(struct hp_waste *w,
				      struct hp_number_list *list,
				      uint32_t number)
{
	HP_TRY(HP_WASTE_MORE(w, list));
	list->items[list->count++] = number;
	return HPROF_OK;
}

/* ---- order --------------------------------------------------------------- */

typedef int compare_fn(const void *left, const void *right);

static void sort(void *items, size_t count, size_t width, compare_fn *compare)
{
	const char *at = items;

	for (size_t i = 1; i < count; i++) {
		if (compare(at + (i - 1) * width, at + i * width) <= 0)
			continue;
		qsort(items, count, width, compare);
		return;
	}
}

static int compare_numbers(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int compare_pairs(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return a[0] != b[0] ? compare_numbers(&a[0], &b[0])
			    : compare_numbers(&a[1], &b[1]);
}

static int compare_rows(const void *left, const void *right)
{
	const struct hp_row_array *a = left, *b = right;

	return compare_numbers(&a->object, &b->object);
}

static int compare_seen(const void *left, const void *right)
{
	const struct hp_seen *a = left, *b = right;

	return compare_numbers(&a->object, &b->object);
}

static int compare_shrinkable(const void *left, const void *right)
{
	const struct hp_shrinkable *a = left, *b = right;

	return compare_numbers(&a->object, &b->object);
}

void hp_waste_sort_rows(struct hp_row_list *list)
{
	sort(list->items, list->count, sizeof *list->items, compare_rows);
}

void hp_waste_sort_seen(struct hp_seen_list *list)
{
	sort(list->items, list->count, sizeof *list->items, compare_seen);
}

void hp_waste_sort_shrinkable(struct hp_shrinkable_list *list)
{
	sort(list->items, list->count, sizeof *list->items, compare_shrinkable);
}

void hp_waste_sort_numbers(struct hp_number_list *list)
{
	sort(list->items, list->count, sizeof *list->items, compare_numbers);
}

void hp_waste_sort_pairs(struct hp_number_list *list)
{
	sort(list->items, list->count / 2, 2 * sizeof *list->items,
	     compare_pairs);
}

/* ---- search -------------------------------------------------------------- */

const struct hp_row_array *hp_waste_find_row(const struct hp_waste *w,
					     uint32_t object)
{
	const struct hp_row_array *items = w->rows.items;
	size_t i;

	HP_LOWER_BOUND(&i, w->rows.count, items[hp_at].object < object);
	return i < w->rows.count && items[i].object == object ? &items[i]
							      : NULL;
}

struct hp_seen *hp_waste_find_seen(const struct hp_waste *w, uint32_t object)
{
	struct hp_seen *items = w->seen.items;
	size_t i;

	HP_LOWER_BOUND(&i, w->seen.count, items[hp_at].object < object);
	return i < w->seen.count && items[i].object == object ? &items[i]
							      : NULL;
}

bool hp_waste_is_listed(const struct hp_number_list *list, uint32_t number)
{
	size_t i;

	HP_LOWER_BOUND(&i, list->count, list->items[hp_at] < number);
	return i < list->count && list->items[i] == number;
}
