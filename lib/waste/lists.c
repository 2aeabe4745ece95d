/* SPDX-License-Identifier: MIT */
/*
 * lists.c - lists of objects of which the pass noted something: how they grow,
 * are sorted and searched.
 *
 * One thread meets objects in the order of their numbers, so its lists are sorted
 * when they are made; to find that out is all that sorting costs then. Those of
 * several threads are parts that are sorted. They are dealt by the digits of the
 * numbers, which costs the same whatever the parts are.
 */
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "waste/waste.h"

enum { FIRST_ROOM = 64, DIGIT_MOST = 13, DIGITS = 1 << DIGIT_MOST };

/* Makes room for LARGER items in a list that has COUNT. */
static enum hprof_status make_room(struct hp_waste *w,
				   struct hp_mapped_table *table, void **items,
				   size_t *room, size_t count, size_t width,
				   size_t larger)
{
	struct hp_mapped_table made;

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

static enum hprof_status enlarge(struct hp_waste *w,
				 struct hp_mapped_table *table, void **items,
				 size_t *room, size_t count, size_t width)
{
	return make_room(w, table, items, room, count, width,
			 *room ? 2 * *room : FIRST_ROOM);
}

#define MAKE_ROOM(w, list, for_items)                                          \
	make_room((w), &(list)->table, (void **)&(list)->items, &(list)->room, \
		  0, sizeof *(list)->items, (for_items))

/*
 * New memory costs more than to fill it, so long lists are not copied while they
 * grow.
 */
enum hprof_status hp_waste_make_room(struct hp_waste *w)
{
	const struct hprof_summary *summary = hprof_heap_summary(w->heap);
	uint64_t boxes = 1, seen = 1;

	for (size_t row = 0; row < w->class_count; row++) {
		uint64_t instances = summary->class_rows[row].instances;

		if (w->classes[row].role == HP_ROLE_BOX)
			boxes += instances;
		else if (w->classes[row].role == HP_ROLE_COLLECTION)
			seen += instances;
	}
	HP_TRY(MAKE_ROOM(w, &w->rows, (size_t)summary->obj_arrays + 1));
	HP_TRY(MAKE_ROOM(w, &w->seen, (size_t)seen));
	return MAKE_ROOM(w, &w->boxes, (size_t)boxes);
}

enum hprof_status hp_waste_more(struct hp_waste *w,
				struct hp_mapped_table *table, void **items,
				size_t *room, size_t count, size_t width)
{
	return count < *room ? HPROF_OK
			     : enlarge(w, table, items, room, count, width);
}

enum hprof_status hp_waste_add_number(struct hp_waste *w,
				      struct hp_number_list *list,
				      uint32_t number)
{
	HP_TRY(HP_WASTE_MORE(w, list));
	list->items[list->count++] = number;
	return HPROF_OK;
}

enum hprof_status hp_waste_append(struct hp_waste *w,
				  struct hp_mapped_table *table, void **items,
				  size_t *room, size_t *count, size_t width,
				  const void *from, size_t added)
{
	enum hprof_status status = HPROF_OK;

	while (status == HPROF_OK && *room - *count < added)
		status = enlarge(w, table, items, room, *count, width);
	if (status == HPROF_OK && added) {
		memcpy((char *)*items + *count * width, from, added * width);
		*count += added;
	}
	return status;
}

/* ---- order --------------------------------------------------------------- */

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
	struct hp_mapped_table spare, swapped;

	if (is_sorted(&s))
		return HPROF_OK;
	HP_TRY(hp_mapped_table_make(&w->tables, &spare, *room, width,
				    HP_MAPPED_TABLE_RAW, w->error));
	for (unsigned shift = 0; w->heap->count >> shift; shift += s.digit) {
		deal(&s, shift, spare.at);
		s.items = spare.at;
		swapped = *table;
		*table = spare;
		spare = swapped;
	}
	*items = table->at;
	hp_mapped_table_free(&w->tables, &spare);
	return HPROF_OK;
}

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
	HP_TRY(SORT(w, &w->boxes, 0));
	HP_TRY(SORT(w, &w->wide, 0));
	HP_TRY(SORT(w, &w->empties, 0));
	HP_TRY(SORT(w, &w->sharers, offsetof(struct hp_sharer, string)));
	return SORT(w, &w->sharers, offsetof(struct hp_sharer, array));
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
