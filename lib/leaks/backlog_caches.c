/* SPDX-License-Identifier: MIT */
/*
 * backlog_caches.c - see backlog_caches.h. A map dominates its entries, and these the
 * references in them, unless something else has the references, too. Then each counts
 * for itself.
 */
#include "leaks/backlog_caches.h"

#include "base/error.h"
#include "base/mem.h"
#include "hprof/collection.h"

enum {
	CLIMB_MOST = 16
}; /* dominators; entries of one bucket hang on each other */

enum sort { UNKNOWN, PART, COLLECTION, OTHER };

enum hprof_status hp_backlog_caches_init(struct hp_backlog_caches *c,
					 const struct hp_look *look)
{
	*c = (struct hp_backlog_caches){ .look = look };
	c->sort = hp_calloc(hprof_heap_summary(look->heap)->class_count + 1,
			    sizeof *c->sort);
	return c->sort ? hp_u64_map_init(&c->numbers, 2) : HPROF_E_NOMEM;
}

void hp_backlog_caches_done(struct hp_backlog_caches *c)
{
	hp_free(c->sort);
	hp_u64_map_done(&c->numbers);
	hp_free(c->items);
}

static enum sort find_sort(const struct hprof_heap *heap, size_t row)
{
	if (hprof_collection_class(heap, row, NULL))
		return COLLECTION;
	return hprof_collection_is_part(heap, row) ||
			       hprof_heap_summary(heap)->class_rows[row].kind !=
				       HPROF_CLASS_PLAIN
		       ? PART
		       : OTHER;
}

static enum sort sort_of(struct hp_backlog_caches *c, uint64_t object)
{
	uint32_t kind = hp_graph_kind(c->look->graph, (uint32_t)object);
	size_t row = hp_kind_row(kind);

	if (hp_kind_is_class(kind) ||
	    row >= hprof_heap_summary(c->look->heap)->class_count)
		return OTHER;
	if (c->sort[row] == UNKNOWN)
		c->sort[row] = (uint8_t)find_sort(c->look->heap, row);
	return (enum sort)c->sort[row];
}

static uint64_t cache_of(struct hp_backlog_caches *c, uint64_t reference)
{
	uint64_t at = reference;

	for (unsigned i = 0; i < CLIMB_MOST; i++) {
		at = hprof_graph_dominator(c->look->graph, at);
		if (at == HPROF_NO_OBJECT)
			break;
		switch (sort_of(c, at)) {
		case COLLECTION:
			return at;
		case PART:
			continue;
		default:
			return reference;
		}
	}
	return reference;
}

enum hprof_status hp_backlog_caches_find(struct hp_backlog_caches *c,
					 uint32_t reference, uint32_t holder,
					 size_t *ret)
{
	uint64_t object = cache_of(c, reference);
	size_t number = hp_u64_map_number(&c->numbers, object + 1);

	if (number == HP_NO_NUMBER && c->count < HP_BACKLOG_LOOKS) {
		HP_TRY(hp_grow((void **)&c->items, &c->room, c->count,
			       sizeof *c->items));
		number = c->count;
		HP_TRY(hp_u64_map_put_number(&c->numbers, object + 1, number));
		c->items[c->count++] =
			(struct hp_backlog_cache){ object, 0, holder };
	}
	*ret = number;
	return HPROF_OK;
}

uint64_t hp_backlog_caches_largest(const struct hp_backlog_caches *c,
				   uint32_t holder)
{
	uint64_t object = HPROF_NO_OBJECT, most = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].holder == holder && c->items[i].bytes > most) {
			most = c->items[i].bytes;
			object = c->items[i].object;
		}
	return object;
}
