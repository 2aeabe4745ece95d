/* SPDX-License-Identifier: MIT */
/*
 * heap_order.c - if ids do not ascend in the file, the number of an object is
 * not the rank of its id. One more pass finds the numbers.
 */
#include "base/error.h"
#include "codec/object_head.h"
#include "heap/heap_index.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "stream/reader.h"

enum { BATCH = 64 };

struct numberer {
	struct hprof_heap *heap;
	uint64_t position; /* of the first id of the batch */
	uint64_t limit;	   /* of the extent */
	uint64_t ids[BATCH];
	unsigned count;
	bool failed;
};

/*
 * Each id costs two cache misses, its rank and the place for its number, so ids
 * are processed in batches.
 */
static void finish_batch(struct numberer *n)
{
	struct hprof_heap *heap = n->heap;
	uint64_t ranks[BATCH];

	n->failed = n->failed || n->count > n->limit - n->position;
	if (n->failed)
		n->count = 0;
	for (unsigned i = 0; i < n->count; i++) {
		ranks[i] = hp_id_index_find(&heap->rank, n->ids[i]);
		n->failed = n->failed || ranks[i] == HP_NO_RANK;
		if (ranks[i] != HP_NO_RANK)
			hp_prefetch_write(&heap->perm[ranks[i]]);
	}
	for (unsigned i = 0; i < n->count && !n->failed; i++)
		heap->perm[ranks[i]] =
			(uint32_t)(heap->class_object_count + n->position + i);
	n->position += n->count;
	n->count = 0;
}

static inline void number_object(struct numberer *n, uint64_t id)
{
	hp_id_index_prefetch(&n->heap->rank, id);
	n->ids[n->count++] = id;
	if (n->count == BATCH)
		finish_batch(n);
}

static size_t number_scan(void *state, uint64_t offset, const uint8_t *start,
			  size_t size)
{
	struct numberer *n = state;
	const unsigned z = n->heap->id_size;
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head;

	(void)offset;
	while (hp_object_head_read(p, hp_room(p, end), z, &head)) {
		number_object(n, head.id);
		p += head.size_of_head + head.size;
	}
	finish_batch(n);
	return (size_t)(p - start);
}

static bool number_record(void *state, struct hprof_reader *reader,
			  const struct hprof_record *record)
{
	struct numberer *n = state;

	if (record->tag == HPROF_INSTANCE_DUMP)
		number_object(n, record->u.instance_dump.object_id);
	else if (record->tag == HPROF_OBJ_ARRAY_DUMP)
		number_object(n, record->u.obj_array_dump.object_id);
	else if (record->tag == HPROF_PRIM_ARRAY_DUMP ||
		 record->tag == HPROF_PRIM_ARRAY_NODATA_DUMP)
		number_object(n, record->u.prim_array_dump.object_id);
	finish_batch(n);
	return hp_reader_pass_body(reader) && !n->failed;
}

static void number_begin(void *state, const struct hp_extent *extent)
{
	struct numberer *n = state;

	n->position = extent->first;
	n->limit = extent->first + extent->count;
}

static bool number_failed(const void *state)
{
	(void)state;
	return false;
}

enum hprof_status hp_heap_order_find(struct hprof_heap *heap,
				     const struct hp_say *say,
				     struct hprof_error *error)
{
	static const struct hp_object_scan_ops ops = { .scan = number_scan,
						       .record = number_record,
						       .begin = number_begin,
						       .failed =
							       number_failed };
	struct numberer *numberers =
		hp_calloc(heap->threads, sizeof *numberers);
	void **states = hp_calloc(heap->threads, sizeof *states);
	enum hprof_status status = HPROF_OK;

	heap->perm = hp_calloc((size_t)heap->count + 1, sizeof *heap->perm);
	if (!numberers || !states || !heap->perm)
		status = hp_no_memory(error);
	for (unsigned i = 0; status >= 0 && i < heap->threads; i++) {
		numberers[i].heap = heap;
		states[i] = &numberers[i];
	}
	if (status >= 0)
		status = hp_heap_pass(heap, &ops, states, heap->threads, say,
				      error);
	for (unsigned i = 0; status >= 0 && i < heap->threads; i++)
		if (numberers[i].failed)
			status = hp_file_changed(error);
	hp_free(numberers);
	hp_free(states);
	return status;
}
