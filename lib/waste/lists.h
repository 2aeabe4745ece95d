/* SPDX-License-Identifier: MIT */
/*
 * lists.h - lists of objects of which something is noted: what is in them, how they
 * grow, are sorted and searched.
 */
#ifndef HP_WASTE_LISTS_H
#define HP_WASTE_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mapped_table.h"
#include "hprof/error.h"
#include "waste/referrers.h"

struct hp_waste;

/* An array of references. */
struct hp_row_array {
	uint32_t object;
	uint32_t length, present; /* elements; those that are not null */
	uint32_t first;		  /* the first that is not, or HP_NOBODY */
};

/* A collection. Heaps have millions. */
struct hp_seen {
	uint32_t object;
	uint32_t store; /* HP_NOBODY: none */
	/* Of a ring its ends, see hp_seen_ring; HP_SEEN_UNKNOWN: to be asked for. */
	uint32_t size : 30;
	uint32_t changed : 1, counts : 1; /* modCount is not 0; there is one */
};

enum { HP_SEEN_UNKNOWN = (1 << 30) - 1, HP_SEEN_END_BITS = 15 };

/* The size of a ring is computed when the length of its array is known. */
static inline uint32_t hp_seen_ring(uint64_t head, uint64_t tail)
{
	const uint64_t most = HP_SEEN_UNKNOWN >> HP_SEEN_END_BITS;

	return head < most && tail < most
		       ? (uint32_t)(head << HP_SEEN_END_BITS | tail)
		       : HP_SEEN_UNKNOWN;
}

/* A string and its array. */
struct hp_characters {
	uint32_t string, array;
};

/*
 * Lists grow, by hp_waste_more, in tables of the search, so they obey its limit
 * of memory as well.
 */
struct hp_number_list {
	uint32_t *items;
	size_t count, room;
	struct hp_mapped_table table;
};

/* A primitive array that could do with USED elements of TYPE. */
struct hp_shrinkable {
	uint32_t object;
	uint32_t used;
	uint8_t type;
};

struct hp_shrinkable_list {
	struct hp_shrinkable *items;
	size_t count, room;
	struct hp_mapped_table table;
};

struct hp_characters_list {
	struct hp_characters *items;
	size_t count, room;
	struct hp_mapped_table table;
};

struct hp_offer_list {
	struct hp_offer *items;
	size_t count, room;
	struct hp_mapped_table table;
};

struct hp_row_list {
	struct hp_row_array *items;
	size_t count, room;
	struct hp_mapped_table table;
};

struct hp_seen_list {
	struct hp_seen *items;
	size_t count, room;
	struct hp_mapped_table table;
};

/* ---- how they grow, and are searched ------------------------------------- */

/* As hp_grow, for a list in TABLE. */
enum hprof_status hp_waste_more(struct hp_waste *w,
				struct hp_mapped_table *table, void **items,
				size_t *room, size_t count, size_t width);

/* Room for one more in a list; fails only with HPROF_E_NOMEM or a full disk. */
#define HP_WASTE_MORE(w, list)                                                 \
	hp_waste_more((w), &(list)->table, (void **)&(list)->items,            \
		      &(list)->room, (list)->count, sizeof *(list)->items)

#define HP_WASTE_DROP(w, list)                                                 \
	hp_mapped_table_free(&(w)->tables, &(list)->table)

enum hprof_status hp_waste_add_number(struct hp_waste *w,
				      struct hp_number_list *list,
				      uint32_t number);

/*
 * Appends ADDED items at FROM to a list; while threads note only with the lock. Fails
 * as HP_WASTE_MORE does.
 */
enum hprof_status hp_waste_append(struct hp_waste *w,
				  struct hp_mapped_table *table, void **items,
				  size_t *room, size_t *count, size_t width,
				  const void *from, size_t added);
#define HP_WASTE_APPEND(w, list, from, added)                                  \
	hp_waste_append((w), &(list)->table, (void **)&(list)->items,          \
			&(list)->room, &(list)->count, sizeof *(list)->items,  \
			(from), (added))

/*
 * Room for MOST items in an empty list: addresses, of which what is used becomes memory,
 * so that it need not be copied as it grows. None with limited memory, or if there are
 * no such addresses: it grows then.
 */
void hp_waste_reserve(struct hp_waste *w, struct hp_mapped_table *table,
		      void **items, size_t *room, uint64_t most, size_t width);
#define HP_WASTE_RESERVE(w, list, most)                                        \
	hp_waste_reserve((w), &(list)->table, (void **)&(list)->items,         \
			 &(list)->room, (most), sizeof *(list)->items)

/* Gives back the room that a list does not need any more. */
void hp_waste_fit(struct hp_waste *w, struct hp_mapped_table *table,
		  size_t *room, size_t count, size_t width);
#define HP_WASTE_FIT(w, list)                                                  \
	hp_waste_fit((w), &(list)->table, &(list)->room, (list)->count,        \
		     sizeof *(list)->items)

/* Makes room for all objects that there can be in lists of their own. */
enum hprof_status hp_waste_make_room(struct hp_waste *w);

/* Leaves what is reachable in the lists of notes. */
void hp_waste_drop_garbage(struct hp_waste *w);

/* list_order.c: sorts the lists of notes by the objects; or those of referrers. */
enum hprof_status hp_waste_sort_notes(struct hp_waste *w);
enum hprof_status hp_waste_sort_arrays(struct hp_waste *w);

/* Called with sorted lists, before anything is looked up. */
enum hprof_status hp_waste_place_lists(struct hp_waste *w);

/* The array of references OBJECT; NULL: there is none. */
const struct hp_row_array *hp_waste_find_row(const struct hp_waste *w,
					     uint32_t object);
struct hp_seen *hp_waste_find_seen(const struct hp_waste *w, uint32_t object);
/* Is the number in a sorted list? */
bool hp_waste_is_listed(const struct hp_number_list *list, uint32_t number);

#endif
