/* SPDX-License-Identifier: MIT */
/*
 * heap_index.c - makes the index of all objects: their ids, their numbers, and
 * their places. See heap.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap/heap_index.h"
#include "base/mem.h"

/* ---- ids ----------------------------------------------------------------- */

static enum hprof_status add_odd(struct hp_ids *odd, const uint64_t *ids,
				 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		HP_TRY(hp_grow((void **)&odd->items, &odd->room, odd->count,
			       sizeof *odd->items));
		odd->items[odd->count++] = ids[i];
	}
	return HPROF_OK;
}

/* Collects ids that occur more than once, or are 0, from all threads. */
static enum hprof_status collect_odd(struct hp_indexing *all)
{
	static const uint64_t zero;

	for (unsigned i = 0; i < all->heap->threads; i++) {
		const struct hp_indexer *x = &all->indexers[i];
		HP_TRY(add_odd(&all->odd, x->writer.twice.items,
			       x->writer.twice.count));
		if (x->zero)
			HP_TRY(add_odd(&all->odd, &zero, 1));
	}
	all->odd.count = hp_ids_sort(all->odd.items, all->odd.count);
	return HPROF_OK;
}

static uint64_t count_placed(const struct hp_extents *extents)
{
	const struct hp_extent *last;

	if (extents->count == 0)
		return 0;
	last = &extents->items[extents->count - 1];
	return last->first + last->count;
}

static enum hprof_status make_room(struct hprof_heap *heap,
				   struct hprof_error *error)
{
	heap->placed = count_placed(&heap->extents);
	heap->count = heap->placed + heap->class_object_count;
	if (heap->count > HP_MOST_OBJECTS)
		return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "the dump has %llu objects; at most %llu can "
			       "be numbered",
			       (unsigned long long)heap->count,
			       (unsigned long long)HP_MOST_OBJECTS);
	return HPROF_OK;
}

/* Makes a table of offsets for a pass over all objects. */
static enum hprof_status make_offsets(struct hp_indexing *all,
				      struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;

	hp_free(heap->offsets);
	heap->offsets = NULL;
	if (hp_heap_offsets_begin(heap, &heap->offsets) != HPROF_OK)
		return hp_no_memory(error);
	all->offsets = heap->offsets;
	return HPROF_OK;
}

static uint64_t all_bits(const struct hprof_heap *heap)
{
	uint64_t bits = heap->summary->impl->census.tally.cursor.bits;

	for (size_t i = 0; i < heap->class_object_count; i++)
		bits |= heap->class_objects[i].id;
	return bits;
}

static void add_class_ids(struct hp_indexing *all)
{
	const struct hprof_heap *heap = all->heap;
	struct hp_id_index_writer *writer = &all->indexers[0].writer;

	for (size_t i = 0; i < heap->class_object_count; i++)
		hp_id_index_add(writer, heap->class_objects[i].id);
	hp_id_index_flush(writer);
}

/* Ranks ids by bits. *RET_SPARSE: they are too sparse for that. */
static enum hprof_status rank_bits(struct hp_indexing *all, bool *ret_sparse,
				   struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	enum hprof_status status = HPROF_OK;

	if (hp_id_index_begin(&all->build, all_bits(heap), heap->count,
			      heap->threads == 1) != 0 ||
	    hp_indexers_make(all, HP_AIM_BITS) != HPROF_OK) {
		hp_id_index_build_done(&all->build);
		return hp_no_memory(error);
	}
	add_class_ids(all);
	status = hp_indexers_run(all, error);
	if (status >= 0 && collect_odd(all) != HPROF_OK)
		status = hp_no_memory(error);
	if (status >= 0) {
		switch (hp_id_index_finish(&all->build, &heap->rank)) {
		case HP_ID_INDEX_OK:
			*ret_sparse = false;
			break;
		case HP_ID_INDEX_SPARSE:
			*ret_sparse = true;
			break;
		case HP_ID_INDEX_NO_MEMORY:
			status = hp_no_memory(error);
		}
	}
	hp_id_index_build_done(&all->build);
	return status;
}

static enum hprof_status rank_sorted(struct hp_indexing *all,
				     struct hprof_error *error)
{
	static const uint64_t zero;
	struct hprof_heap *heap = all->heap;
	uint64_t *ids = hp_calloc((size_t)heap->count + 1, sizeof *ids);
	enum hprof_status status;
	bool good;

	hp_indexers_free(all);
	all->odd.count = 0;
	all->ids = ids;
	if (!ids || hp_indexers_make(all, HP_AIM_IDS) != HPROF_OK) {
		hp_free(ids);
		return hp_no_memory(error);
	}
	for (size_t i = 0; i < heap->class_object_count; i++)
		ids[heap->placed + i] = heap->class_objects[i].id;
	status = hp_indexers_run(all, error);
	if (status < 0) {
		hp_free(ids);
		return status;
	}
	/* The entry of an object with the id 0 is still 0. */
	good = hp_id_index_sort(ids, (size_t)heap->count, &all->odd,
				&heap->rank) == 0;
	for (unsigned i = 0; good && i < heap->threads; i++)
		if (all->indexers[i].zero)
			good = add_odd(&all->odd, &zero, 1) == HPROF_OK;
	all->odd.count = hp_ids_sort(all->odd.items, all->odd.count);
	return good ? HPROF_OK : hp_no_memory(error);
}

static bool replaced_classes(const struct hp_indexing *all)
{
	for (unsigned i = 0; i < all->heap->threads; i++)
		if (all->indexers[i].duplicates.count)
			return true;
	return false;
}

/*
 * Ranks ids by the bits that the census has set. *RET_RANKED is false if these
 * are not exactly the ids of all objects, or if something is odd.
 */
static enum hprof_status rank_noted(struct hp_indexing *all, bool *ret_ranked,
				    struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	struct hp_census *census = &heap->summary->impl->census;
	struct hp_id_index_writer writer = { 0 };
	enum hp_id_index_result result = HP_ID_INDEX_SPARSE;

	*ret_ranked = false;
	if (!census->build || census->tally.zero_ids)
		return HPROF_OK;
	if (hp_id_index_writer_init(&writer, census->build) != 0) {
		hp_id_index_writer_done(&writer);
		return hp_no_memory(error);
	}
	hp_id_index_expect(census->build, heap->class_object_count);
	for (size_t i = 0; i < heap->class_object_count; i++)
		hp_id_index_add(&writer, heap->class_objects[i].id);
	hp_id_index_flush(&writer);
	if (all_bits(heap) % HP_IDS_UNIT == 0 && writer.twice.count == 0)
		result = hp_id_index_finish(census->build, &heap->rank);
	hp_id_index_writer_done(&writer);
	if (result == HP_ID_INDEX_NO_MEMORY)
		return hp_no_memory(error);
	if (result == HP_ID_INDEX_SPARSE)
		return HPROF_OK;
	*ret_ranked = heap->rank.count == heap->count;
	if (!*ret_ranked)
		hp_id_index_done(&heap->rank);
	return HPROF_OK;
}

/* *RET_RANKED as above. */
static enum hprof_status rank_quickly(struct hp_indexing *all, bool *ret_ranked,
				      struct hprof_error *error)
{
	struct hp_census *census;
	enum hprof_status status;

	HP_TRY(make_room(all->heap, error));
	census = &all->heap->summary->impl->census;
	status = rank_noted(all, ret_ranked, error);
	if (census->build)
		hp_id_index_build_done(census->build);
	hp_free(census->build);
	census->build = NULL;
	if (status < 0 || !*ret_ranked)
		return status;
	if (hp_indexers_make(all, HP_AIM_OTHERS) != HPROF_OK)
		return hp_no_memory(error);
	HP_TRY(hp_indexers_run(all, error));
	if (!replaced_classes(all))
		return HPROF_OK;
	hp_indexers_free(all);
	hp_id_index_done(&all->heap->rank);
	*ret_ranked = false;
	return HPROF_OK;
}

/* The ids are in the cache: reads only classes and roots. */
static enum hprof_status read_others(struct hp_indexing *all,
				     struct hprof_error *error)
{
	const struct hprof_heap *heap = all->heap;

	HP_TRY(make_room(all->heap, error));
	if (heap->rank.count != heap->count)
		return hp_file_changed(error);
	if (hp_indexers_make(all, HP_AIM_OTHERS) != HPROF_OK)
		return hp_no_memory(error);
	HP_TRY(hp_indexers_run(all, error));
	for (size_t i = 0; i < heap->class_object_count; i++)
		if (!heap->classes[heap->class_objects[i].row].own)
			return hp_file_changed(error);
	return replaced_classes(all) ? hp_file_changed(error) : HPROF_OK;
}

/* Repeats until nothing is odd: the second round is always the last. */
static enum hprof_status rank_ids(struct hp_indexing *all,
				  struct hprof_error *error)
{
	bool ranked = false, sparse = false;

	if (all->heap->restored)
		return read_others(all, error);
	HP_TRY(rank_quickly(all, &ranked, error));
	if (ranked)
		return HPROF_OK;
	for (unsigned round = 0; round < 2; round++) {
		HP_TRY(make_room(all->heap, error));
		HP_TRY(make_offsets(all, error));
		HP_TRY(rank_bits(all, &sparse, error));
		if (sparse)
			HP_TRY(rank_sorted(all, error));
		if (all->odd.count == 0 && !replaced_classes(all))
			return HPROF_OK;
		hp_id_index_done(&all->heap->rank);
		HP_TRY(hp_duplicates_remove(all, error));
	}
	return hp_file_changed(error);
}

/* ---- numbers ------------------------------------------------------------- */

static enum hprof_status number(struct hp_indexing *all,
				struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	struct hp_say say = all->say;
	bool ascend = heap->summary->impl->census.tally.descents == 0;

	if (heap->rank.count != heap->count)
		return hp_file_changed(error);
	say.phase = "number";
	if (heap->restored && ascend == (heap->perm != NULL))
		return hp_file_changed(error);
	if (!ascend && !heap->restored)
		HP_TRY(hp_heap_order_find(heap, &say, error));
	for (size_t i = 0; i < heap->class_object_count; i++) {
		struct hp_class_object *object = &heap->class_objects[i];
		uint64_t rank = hp_id_index_find(&heap->rank, object->id);
		if (rank == HP_NO_RANK)
			return hp_file_changed(error);
		if (heap->perm && !heap->restored)
			heap->perm[rank] = (uint32_t)i;
		object->index = heap->perm ? i : rank;
	}
	return HPROF_OK;
}

/* ---- roots --------------------------------------------------------------- */

static int compare_roots(const void *a, const void *b)
{
	const struct hp_raw_root *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Collects the roots of all threads, in file order. */
static enum hprof_status collect_roots(struct hp_indexing *all,
				       struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	struct hp_raw_root *roots;
	size_t count = 0, n = 0;

	for (unsigned i = 0; i < heap->threads; i++)
		count += all->indexers[i].root_count;
	roots = hp_calloc(count + 1, sizeof *roots);
	heap->roots = hp_calloc(count + 1, sizeof *heap->roots);
	if (!roots || !heap->roots) {
		hp_free(roots);
		return hp_no_memory(error);
	}
	for (unsigned i = 0; i < heap->threads; i++) {
		const struct hp_indexer *x = &all->indexers[i];
		if (x->root_count)
			memcpy(roots + n, x->roots,
			       x->root_count * sizeof *roots);
		n += x->root_count;
	}
	qsort(roots, n, sizeof *roots, compare_roots);
	for (size_t i = 0; i < n; i++) {
		heap->roots[i] = roots[i].root;
		heap->roots[i].object =
			hp_heap_find(heap, roots[i].root.object_id);
	}
	heap->root_count = n;
	hp_free(roots);
	return HPROF_OK;
}

enum hprof_status hp_heap_index(struct hprof_heap *heap,
				const struct hprof_input *input,
				struct hprof_error *error)
{
	struct hp_indexing all = { .heap = heap,
				   .say = { "index", input->progress,
					    input->progress_user } };
	enum hprof_status status;

	heap->arenas = hp_calloc(heap->threads, sizeof *heap->arenas);
	if (!heap->arenas)
		return hp_no_memory(error);
	heap->arena_count = heap->threads;
	status = rank_ids(&all, error);
	if (status >= 0)
		status = number(&all, error);
	if (status >= 0)
		status = collect_roots(&all, error);
	hp_indexers_free(&all);
	hp_free(all.odd.items);
	return status;
}
