/* SPDX-License-Identifier: MIT */
/* heap.c - opens a heap, and answers what needs no cursor. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/heap.h"
#include "layout/shallow_sizes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "io/input.h"
#include "stream/reader.h"

/* ---- sizes --------------------------------------------------------------- */

/* The size of a stack chunk: head, stack, and a bitmap of its references. */
static uint64_t chunk_size(const struct hprof_heap *heap,
			   const struct hp_heap_class *of, const uint8_t *data,
			   size_t kept)
{
	const struct hprof_size_convention *v = &heap->summary->convention;

	if (!data || kept < (uint64_t)of->chunk_at + 4)
		return of->shallow;
	return of->info->chunk_head +
	       hp_hotspot_stack(hp_get32(data + of->chunk_at), v->ref_width,
				v->alignment);
}

uint64_t hp_heap_instance_size(const struct hprof_heap *heap,
			       const struct hp_heap_class *of,
			       const uint8_t *data, size_t kept, uint64_t size)
{
	const struct hprof_size_convention *v = &heap->summary->convention;
	uint64_t bytes = v->header + size;

	if (v->sizes == HPROF_SIZES_DATA)
		return size;
	if (of && of->chunk_at != UINT32_MAX)
		return chunk_size(heap, of, data, kept);
	if (of)
		return of->shallow;
	return (bytes + v->alignment - 1) / v->alignment * v->alignment;
}

uint64_t hp_heap_array_size(const struct hprof_heap *heap, bool prims,
			    unsigned type, uint64_t length)
{
	return hp_sizes_array(&heap->summary->convention, heap->id_size, prims,
			      type, length);
}

uint64_t hp_heap_class_size(const struct hprof_heap *heap,
			    const struct hp_heap_class *of)
{
	return hp_sizes_mirror(heap->infos, of->info->info,
			       &heap->summary->convention);
}

/* ---- opening ------------------------------------------------------------- */

static enum hprof_status read_summary(struct hprof_heap *heap,
				      const struct hprof_input *input,
				      const struct hprof_heap_options *o,
				      struct hprof_error *error)
{
	struct hprof_summary_options options = {
		.size = sizeof options,
		.strict = o->strict,
		.sizes = o->sizes,
		.ref_width = o->ref_width,
		.header = o->header,
		.alignment = o->alignment,
		.objects = true,
		.copying = o->copying,
		.copying_user = o->copying_user,
	};

	HP_TRY(hp_summary_read(input, &options, true,
			       heap->restored ? &heap->cache.map : NULL,
			       &heap->summary, error));
	if (heap->restored && !heap->summary->impl->census.restored)
		return hp_file_changed(error);
	heap->infos = &heap->summary->impl->classes;
	heap->id_size = heap->summary->header.id_size;
	return HPROF_OK;
}

static enum hprof_status build(struct hprof_heap *heap,
			       const struct hprof_input *input,
			       const struct hprof_heap_options *options,
			       struct hprof_error *error)
{
	struct hp_extents *extents;

	HP_TRY(read_summary(heap, input, options, error));
	HP_TRY(hp_summary_bytes(heap->summary, &heap->copy, &heap->parent,
				error));
	extents = &heap->summary->impl->census.extents;
	heap->extents = *extents;
	*extents = (struct hp_extents){ 0 };
	if (hp_heap_classes_begin(heap) != HPROF_OK)
		return hp_no_memory(error);
	HP_TRY(hp_heap_index(heap, input, error));
	if (hp_heap_classes_end(heap) != HPROF_OK)
		return hp_no_memory(error);
	return HPROF_OK;
}

static void drop(struct hprof_heap *heap)
{
	for (size_t i = 0; heap->classes && i < heap->infos->count; i++)
		hp_free(heap->classes[i].layout);
	for (unsigned i = 0; i < heap->arena_count; i++)
		hp_arena_done(&heap->arenas[i]);
	hp_free(heap->arenas);
	hp_arena_done(&heap->arena);
	hp_decoded_names_done(&heap->names);
	hp_extents_done(&heap->extents);
	hp_id_index_done(&heap->rank);
	if (!heap->restored)
		hp_free(heap->perm);
	hp_free(heap->offsets);
	hp_free(heap->class_objects);
	hp_free(heap->classes);
	hp_free(heap->roots);
	hprof_reader_close(heap->copy);
	hprof_summary_free(heap->summary);
	hp_heap_cache_done(&heap->cache);
	pthread_mutex_destroy(&heap->lock);
	pthread_mutex_destroy(&heap->offsets_lock);
	hp_free(heap);
}

/* RESTORE: from the cache, if it has the dump. */
static enum hprof_status open_heap(const struct hprof_input *input,
				   const struct hprof_heap_options *options,
				   bool restore, struct hprof_heap **ret,
				   struct hprof_error *error)
{
	struct hprof_heap *heap = hp_calloc(1, sizeof *heap);
	enum hprof_status status;

	if (!heap)
		return hp_no_memory(error);
	pthread_mutex_init(&heap->lock, NULL);
	pthread_mutex_init(&heap->offsets_lock, NULL);
	heap->threads = input->threads;
	/* In strict mode other bytes are damage. */
	status = hp_heap_cache_begin(&heap->cache, input,
				     options->strict ? NULL : options->cache);
	if (status < 0)
		status = hp_no_memory(error);
	if (status >= 0 && restore)
		hp_heap_restore(heap);
	if (status >= 0)
		status = build(heap, input, options, error);
	*ret = heap;
	return status;
}

enum hprof_status hprof_heap_open(const struct hprof_input *given_input,
				  const struct hprof_heap_options *given,
				  struct hprof_heap **ret_heap,
				  struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_heap_options options;
	struct hprof_input input;
	struct hprof_heap *heap = NULL;
	enum hprof_status status;

	HP_NEED(error, ret_heap);
	HP_TRY(hp_input_take(given_input, &input, error));
	if (!HP_OPTIONS_TAKE(given, &options))
		return hp_bad_options(error);
	status = open_heap(&input, &options, true, &heap, error);
	/* What was in the cache may not fit the dump after all. */
	if (status == HPROF_E_CORRUPT && heap->restored) {
		drop(heap);
		status = open_heap(&input, &options, false, &heap, error);
	}
	if (status < 0) {
		hprof_heap_close(heap);
		return status;
	}
	if (!heap->restored)
		hp_heap_save(heap);
	*ret_heap = heap;
	return HPROF_OK;
}

void hprof_heap_close(struct hprof_heap *heap)
{
	if (heap)
		drop(heap);
}

/* ---- questions ----------------------------------------------------------- */

const struct hprof_summary *hprof_heap_summary(const struct hprof_heap *heap)
{
	return heap ? heap->summary : NULL;
}

enum hprof_status hprof_heap_resize(struct hprof_heap *heap,
				    const struct hprof_size_convention *like,
				    struct hprof_error *ret_error)
{
	HP_NEED(ret_error, heap);
	HP_NEED(ret_error, like);
	HP_TRY(hprof_summary_resize(heap->summary, like, ret_error));
	hp_heap_classes_resize(heap);
	return HPROF_OK;
}

uint64_t hprof_heap_count(const struct hprof_heap *heap)
{
	return heap ? heap->count : 0;
}

uint64_t hprof_heap_find(const struct hprof_heap *heap, uint64_t id)
{
	return heap ? hp_heap_find(heap, id) : HPROF_NO_OBJECT;
}

size_t hprof_heap_root_count(const struct hprof_heap *heap)
{
	return heap ? heap->root_count : 0;
}

const struct hprof_heap_root *hprof_heap_roots(const struct hprof_heap *heap)
{
	return heap ? heap->roots : NULL;
}
