/* SPDX-License-Identifier: MIT */
/*
 * heap_offsets.c - offsets of objects in the file, for access to single
 * objects. Not every user of a heap needs that, and building a graph reads all
 * objects anyway.
 */
#include "base/error.h"
#include "heap/heap_index.h"
#include "base/mem.h"

/* NULL as long as there is no table. No lock is needed: it is set only once. */
static const uint64_t *get(const struct hprof_heap *heap)
{
	return __atomic_load_n(&heap->offsets, __ATOMIC_ACQUIRE);
}

static uint64_t *make(const struct hprof_heap *heap)
{
	return hp_alloc((size_t)(heap->placed / HP_OFFSET_STEP + 1) *
			sizeof(uint64_t));
}

enum hprof_status hp_heap_offsets_begin(const struct hprof_heap *heap,
					uint64_t **ret)
{
	*ret = NULL;
	if (get(heap))
		return HPROF_OK;
	*ret = make(heap);
	return *ret ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_heap_offsets_end(const struct hprof_heap *heap, uint64_t *offsets,
			 bool good)
{
	/* Offsets may be set in a const heap. */
	struct hprof_heap *same = (struct hprof_heap *)heap;

	if (!offsets)
		return;
	pthread_mutex_lock(&same->offsets_lock);
	if (good && !same->offsets) {
		__atomic_store_n(&same->offsets, offsets, __ATOMIC_RELEASE);
		offsets = NULL;
	}
	pthread_mutex_unlock(&same->offsets_lock);
	hp_free(offsets);
}

static enum hprof_status note(const struct hprof_heap *heap, uint64_t *offsets,
			      struct hprof_error *error)
{
	struct hp_indexing all = { .heap = (struct hprof_heap *)heap,
				   .offsets = offsets };
	enum hprof_status status;

	if (hp_indexers_make(&all, HP_AIM_OFFSETS) != HPROF_OK)
		status = hp_no_memory(error);
	else
		status = hp_indexers_run(&all, error);
	hp_indexers_free(&all);
	return status;
}

const uint64_t *hp_heap_offsets(const struct hprof_heap *heap,
				struct hprof_error *error)
{
	struct hprof_heap *same = (struct hprof_heap *)heap;
	uint64_t *offsets;

	if (get(heap))
		return get(heap);
	pthread_mutex_lock(&same->offsets_lock);
	if (!same->offsets) {
		offsets = make(heap);
		if (!offsets) {
			hp_no_memory(error);
		} else if (note(heap, offsets, error) < 0) {
			hp_free(offsets);
		} else {
			__atomic_store_n(&same->offsets, offsets,
					 __ATOMIC_RELEASE);
		}
	}
	offsets = same->offsets;
	pthread_mutex_unlock(&same->offsets_lock);
	return offsets;
}
