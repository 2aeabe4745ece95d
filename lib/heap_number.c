/*
 * heap_number.c - where ids do not ascend in the file, the number of an
 * object is not the rank of its id: one more pass notes which it is.
 */
#include "error.h"
#include "head.h"
#include "heap_index.h"
#include "mem.h"
#include "reader.h"

struct numberer {
	struct hprof_heap *heap;
	uint64_t position;
	bool failed;
};

static inline bool number_object(struct numberer *n, uint64_t id)
{
	uint64_t rank = hp_idrank_find(&n->heap->rank, id);

	if (rank == HP_NO_RANK)
		n->failed = true;
	else
		n->heap->perm[rank] =
			(uint32_t)(n->heap->class_object_count + n->position);
	n->position++;
	return !n->failed;
}

static size_t number_scan(void *state, uint64_t offset, const uint8_t *start,
			  size_t size)
{
	struct numberer *n = state;
	const unsigned z = n->heap->id_size;
	const uint8_t *p = start, *end = start + size;
	struct hp_head head;

	(void)offset;
	while ((size_t)(end - p) >= HP_HEAD_ROOM(z) &&
	       hp_read_head(p, z, &head) &&
	       head.size <= (size_t)(end - p) - head.size_of_head &&
	       number_object(n, head.id))
		p += head.size_of_head + head.size;
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
	return hp_reader_pass_body(reader) && !n->failed;
}

static void number_begin(void *state, const struct hp_extent *extent)
{
	struct numberer *n = state;

	n->position = extent->first;
}

static bool number_failed(const void *state)
{
	(void)state;
	return false;
}

enum hprof_status hp_number_objects(struct hprof_heap *heap,
				    const struct hp_say *say,
				    struct hprof_error *error)
{
	static const struct hp_pass_ops ops = { .scan = number_scan,
						.record = number_record,
						.begin = number_begin,
						.failed = number_failed };
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
	hp_free(numberers);
	hp_free(states);
	return status;
}
