/* SPDX-License-Identifier: MIT */
/*
 * heap_duplicates.c - cuts sub-records that do not count as objects (see
 * heap.h) out of the extents, before the pass is repeated. This is rare enough,
 * and no later code has to deal with them.
 */
#include <stdlib.h>

#include "base/error.h"
#include "heap/heap_index.h"
#include "base/mem.h"

static int compare_by_id(const void *a, const void *b)
{
	const struct hp_duplicate *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int compare_by_offset(const void *a, const void *b)
{
	const struct hp_duplicate *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool is_class_id(const struct hprof_heap *heap, uint64_t id)
{
	uint32_t i = hp_class_table_find(heap->infos, id);

	return i != HP_NO_CLASS && heap->infos->rows[i].info;
}

/* Spares the last of several objects with one id, unless a class has the id. */
static void spare_last(const struct hprof_heap *heap, struct hp_duplicates *s)
{
	size_t kept = 0;

	if (s->count)
		qsort(s->items, s->count, sizeof *s->items, compare_by_id);
	for (size_t i = 0; i < s->count; i++) {
		const struct hp_duplicate *stray = &s->items[i];
		bool last = i + 1 == s->count || stray[1].id != stray->id;
		if (!last || stray->id == 0 || is_class_id(heap, stray->id))
			s->items[kept++] = *stray;
	}
	s->count = kept;
}

/* A piece of the extent OF. */
static enum hprof_status add_piece(struct hp_extents *to,
				   const struct hp_extent *of, uint64_t offset,
				   uint64_t end, uint64_t first,
				   uint64_t behind)
{
	if (offset == end)
		return HPROF_OK;
	HP_TRY(hp_grow((void **)&to->items, &to->room, to->count,
		       sizeof *to->items));
	to->items[to->count++] = (struct hp_extent){ .offset = offset,
						     .end = end,
						     .count = behind - first,
						     .mixed = of->mixed };
	return HPROF_OK;
}

/* Cuts the duplicates, which are in file order, out of the extents. */
static enum hprof_status cut_out(struct hprof_heap *heap,
				 const struct hp_duplicates *s)
{
	struct hp_extents cut = { 0 };
	size_t next = 0;

	for (size_t i = 0; i < heap->extents.count; i++) {
		const struct hp_extent *e = &heap->extents.items[i];
		uint64_t from = e->offset, first = e->first;
		for (; next < s->count && s->items[next].offset < e->end;
		     next++) {
			const struct hp_duplicate *stray = &s->items[next];
			if (add_piece(&cut, e, from, stray->offset, first,
				      stray->position) != HPROF_OK) {
				hp_extents_done(&cut);
				return HPROF_E_NOMEM;
			}
			from = stray->end;
			first = stray->position + !stray->is_class;
		}
		if (add_piece(&cut, e, from, e->end, first,
			      e->first + e->count) != HPROF_OK) {
			hp_extents_done(&cut);
			return HPROF_E_NOMEM;
		}
	}
	hp_extents_done(&heap->extents);
	heap->extents = cut;
	hp_extents_finalize(&heap->extents);
	return HPROF_OK;
}

static enum hprof_status add_duplicates(struct hp_duplicates *to,
					const struct hp_duplicates *from)
{
	for (size_t i = 0; i < from->count; i++) {
		HP_TRY(hp_grow((void **)&to->items, &to->room, to->count,
			       sizeof *to->items));
		to->items[to->count++] = from->items[i];
	}
	return HPROF_OK;
}

enum hprof_status hp_duplicates_remove(struct hp_indexing *all,
				       struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	struct hp_duplicates classes = { 0 }, objects = { 0 };
	enum hprof_status status = HPROF_OK;
	bool good = true;

	for (unsigned i = 0; good && i < heap->threads; i++)
		good = add_duplicates(&classes, &all->indexers[i].duplicates) ==
		       HPROF_OK;
	hp_indexers_free(all);
	if (good && all->odd.count) {
		good = hp_indexers_make(all, HP_AIM_DUPLICATES) == HPROF_OK;
		if (good)
			status = hp_indexers_run(all, error);
		for (unsigned i = 0; good && i < heap->threads; i++)
			good = add_duplicates(&objects,
					      &all->indexers[i].duplicates) ==
			       HPROF_OK;
	}
	if (good && status >= 0) {
		spare_last(heap, &objects);
		good = add_duplicates(&objects, &classes) == HPROF_OK;
		if (good && objects.count)
			qsort(objects.items, objects.count,
			      sizeof *objects.items, compare_by_offset);
		good = good && cut_out(heap, &objects) == HPROF_OK;
	}
	hp_free(classes.items);
	hp_free(objects.items);
	hp_indexers_free(all);
	all->odd.count = 0;
	return good ? status : hp_no_memory(error);
}
