/* SPDX-License-Identifier: MIT */
/*
 * lists.c - lists of objects of which something is noted: how they grow and
 * are searched.
 */
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "waste/waste.h"

enum { FIRST_ROOM = 64, PIECE = 1 << 20 };

/* In pieces: both tables may be files that are larger than the limit. */
static void copy(const struct hp_waste *w, char *to, const char *from,
		 size_t bytes)
{
	size_t n;

	for (size_t i = 0; i < bytes; i += n) {
		n = bytes - i < PIECE ? bytes - i : PIECE;
		memcpy(to + i, from + i, n);
		hp_tables_trim_memory(&w->tables);
	}
}

/* Makes room for LARGER items in a list that has COUNT. */
static enum hprof_status make_room(struct hp_waste *w,
				   struct hp_mapped_table *table, void **items,
				   size_t *room, size_t count, size_t width,
				   size_t larger)
{
	struct hp_mapped_table made;

	HP_TRY(hp_mapped_table_make(&w->tables, &made, larger, width,
				    HP_MAPPED_TABLE_RAW, w->error));
	copy(w, made.at, *items, count * width);
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
	uint64_t seen = 1;

	for (size_t row = 0; row < w->class_count; row++)
		if (w->classes[row].role == HP_ROLE_COLLECTION)
			seen += summary->class_rows[row].instances;
	HP_TRY(MAKE_ROOM(w, &w->rows, (size_t)summary->obj_arrays + 1));
	return MAKE_ROOM(w, &w->seen, (size_t)seen);
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

/* A file would have to be told of what is written next. */
void hp_waste_reserve(struct hp_waste *w, struct hp_mapped_table *table,
		      void **items, size_t *room, uint64_t most, size_t width)
{
	struct hprof_error ignored;

	if (w->limit || hp_mapped_table_make_parts(&w->tables, table, most,
						   width, HP_MAPPED_TABLE_FRONT,
						   0, &ignored) != HPROF_OK)
		return;
	*items = table->at;
	*room = (size_t)most;
}

/*
 * Memory that nobody has touched does not become spare: who clears it would find it
 * anew, alone.
 */
void hp_waste_fit(struct hp_waste *w, struct hp_mapped_table *table,
		  size_t *room, size_t count, size_t width)
{
	const size_t used = count * width;

	if (!count)
		return; /* the table would go, too */
	hp_mapped_table_used(&w->tables, table,
			     used > table->fresh ? used : table->fresh);
	hp_mapped_table_cut(&w->tables, table, used);
	*room = count;
}

/* ---- garbage ------------------------------------------------------------- */

/* Items begin with their object. Returns how many stay. */
static size_t leave_reachable(const struct hp_waste *w, void *items,
			      size_t count, size_t width)
{
	char *at = items, *to = items;
	uint32_t object;

	for (size_t i = 0; i < count; i++, at += width) {
		memcpy(&object, at, sizeof object);
		if (!hp_waste_reachable(w, object))
			continue;
		if (to != at)
			memcpy(to, at, width);
		to += width;
	}
	return count ? (size_t)(to - (char *)items) / width : 0;
}

#define LEAVE_REACHABLE(w, list)                                               \
	((list)->count = leave_reachable((w), (list)->items, (list)->count,    \
					 sizeof *(list)->items))

void hp_waste_drop_garbage(struct hp_waste *w)
{
	if (w->table.live_objects == w->heap->count)
		return;
	LEAVE_REACHABLE(w, &w->rows);
	LEAVE_REACHABLE(w, &w->seen);
	LEAVE_REACHABLE(w, &w->tails);
	LEAVE_REACHABLE(w, &w->thin);
	LEAVE_REACHABLE(w, &w->halves);
	LEAVE_REACHABLE(w, &w->narrow);
	LEAVE_REACHABLE(w, &w->wide);
	LEAVE_REACHABLE(w, &w->empties);
}

/* ---- search -------------------------------------------------------------- */

/* A sorted list, the items of which begin with their object. */
struct items {
	const char *at;
	size_t count, width;
};

static inline uint32_t object_at(const struct items *items, size_t i)
{
	uint32_t object;

	memcpy(&object, items->at + i * items->width, sizeof object);
	return object;
}

/* Of every 64th number, how many items have a lower one. */
static enum hprof_status make_places(struct hp_waste *w,
				     struct hp_mapped_table *table,
				     const struct items *items)
{
	const uint64_t words = hp_bit_words(w->heap->count);
	uint32_t *places;
	size_t i = 0;

	HP_TRY(hp_mapped_table_make(&w->tables, table, words + 1,
				    sizeof *places, HP_MAPPED_TABLE_RAW,
				    w->error));
	places = table->at;
	for (uint64_t word = 0; word <= words; word++) {
		while (i < items->count && object_at(items, i) >> 6 < word)
			i++;
		places[word] = (uint32_t)i;
	}
	return HPROF_OK;
}

static struct items rows_of(const struct hp_waste *w)
{
	return (struct items){ (const char *)w->rows.items, w->rows.count,
			       sizeof *w->rows.items };
}

static struct items seen_of(const struct hp_waste *w)
{
	return (struct items){ (const char *)w->seen.items, w->seen.count,
			       sizeof *w->seen.items };
}

enum hprof_status hp_waste_place_lists(struct hp_waste *w)
{
	struct items rows = rows_of(w), seen = seen_of(w);

	HP_TRY(make_places(w, &w->row_places, &rows));
	return make_places(w, &w->seen_places, &seen);
}

/* The place of OBJECT in ITEMS; SIZE_MAX: it is not there. */
static size_t find(const struct items *items,
		   const struct hp_mapped_table *table, uint32_t object)
{
	const uint32_t *places = table->at;
	size_t i, end;

	if (object == HP_NOBODY)
		return SIZE_MAX;
	i = places[object >> 6];
	end = places[(object >> 6) + 1];
	while (i < end && object_at(items, i) < object)
		i++;
	return i < end && object_at(items, i) == object ? i : SIZE_MAX;
}

const struct hp_row_array *hp_waste_find_row(const struct hp_waste *w,
					     uint32_t object)
{
	struct items rows = rows_of(w);
	size_t i = find(&rows, &w->row_places, object);

	return i == SIZE_MAX ? NULL : &w->rows.items[i];
}

struct hp_seen *hp_waste_find_seen(const struct hp_waste *w, uint32_t object)
{
	struct items seen = seen_of(w);
	size_t i = find(&seen, &w->seen_places, object);

	return i == SIZE_MAX ? NULL : &w->seen.items[i];
}

bool hp_waste_is_listed(const struct hp_number_list *list, uint32_t number)
{
	size_t i;

	HP_LOWER_BOUND(&i, list->count, list->items[hp_at] < number);
	return i < list->count && list->items[i] == number;
}
