/* SPDX-License-Identifier: MIT */
/*
 * edge_scan.c - takes degrees, references and sizes from instances and arrays:
 * from many at once if they are completely in memory, from long ones separately
 * and in pieces.
 */
#include "graph/edge_worker.h"

#include <string.h>

#include "codec/object_head.h"
#include "stream/reader.h"

/* ---- one object ---------------------------------------------------------- */

/* Something else has the id of a class that is not in the dump. */
static __attribute__((noinline)) bool is_other(const struct hp_edge_worker *h,
					       uint64_t id)
{
	return id && hp_heap_find(h->heap, id) != HPROF_NO_OBJECT;
}

/* Offers the class with ID, whose plan is PLAN, as a reference of I. */
static inline uint64_t enter_class(struct hp_edge_worker *h, uint32_t i,
				   uint64_t id,
				   const struct hp_class_refs *plan)
{
	if (plan->class_index == HP_NONE &&
	    (plan->has_class || !is_other(h, id))) {
		h->left_out += plan->has_class;
		h->no_class += !plan->has_class && id != 0;
		return 0;
	}
	hp_edge_worker_offer(h, i, id);
	return 1;
}

/* Offers COUNT references of I, the Kth of which is at OFFSETS[k] in DATA. */
static inline __attribute__((always_inline)) void
offer_fields(struct hp_edge_worker *h, uint32_t i, const uint8_t *data,
	     const uint32_t *offsets, uint32_t count, const unsigned z)
{
	for (uint32_t k = 0; k < count;) {
		uint32_t end = count - k < HP_EDGE_WORKER_AT_ONCE
				       ? count
				       : k + HP_EDGE_WORKER_AT_ONCE;
		for (; k < end; k++)
			hp_edge_worker_offer(h, i,
					     hp_get_id(data + offsets[k], z));
		hp_edge_worker_look(h);
	}
}

/* Offers COUNT references of I, which are contiguous at DATA. */
static inline __attribute__((always_inline)) void
offer_elements(struct hp_edge_worker *h, uint32_t i, const uint8_t *data,
	       uint32_t count, const unsigned z)
{
	for (uint32_t k = 0; k < count;) {
		uint32_t end = count - k < HP_EDGE_WORKER_AT_ONCE
				       ? count
				       : k + HP_EDGE_WORKER_AT_ONCE;
		for (; k < end; k++, data += z)
			hp_edge_worker_offer(h, i, hp_get_id(data, z));
		hp_edge_worker_look(h);
	}
}

static inline const struct hp_class_refs *
plan_of(const struct hp_edge_worker *h, uint64_t id)
{
	const struct hp_class_refs *plan =
		hp_u64_map_get(&h->read->plans.by_id, id);

	return plan ? plan : &h->read->plans.items[h->read->plans.count];
}

/* A file that has changed meanwhile may have more objects than before. */
static __attribute__((noinline)) uint32_t too_many(struct hp_edge_worker *h)
{
	if (!h->failed)
		hp_edge_worker_fail(h, HPROF_E_CORRUPT);
	return h->read->e->count;
}

static inline uint32_t next_index(struct hp_edge_worker *h, uint64_t id)
{
	uint64_t i = hp_number(&h->numbering, id);

	return i < h->read->e->count ? (uint32_t)i : too_many(h);
}

/* Takes the referent of I, which I does not hold. */
static inline void take_weak(struct hp_edge_worker *h, uint32_t i, uint64_t id)
{
	h->weak += id != 0;
	if (h->read->weaks && id != 0)
		hp_edge_worker_add_weak(h, i, id);
}

/* Takes an instance whose body, of the size in HEAD, is at DATA. */
static inline __attribute__((always_inline)) void
take_instance(struct hp_edge_worker *h, const struct hp_object_head *head,
	      const uint8_t *data, const unsigned z)
{
	const struct hp_class_refs *plan = plan_of(h, head->class_id);
	uint32_t i = next_index(h, head->id), refs = plan->ref_count;
	const uint64_t before = h->entered;
	uint64_t size = plan->size;
	uint8_t code = plan->shallow;

	hp_edge_worker_set_kind(h, i, plan->kind);
	if (plan->reach > head->size)
		while (refs && plan->refs[refs - 1] + z > head->size)
			refs--;
	offer_fields(h, i, data, plan->refs, refs, z);
	if (plan->weak != UINT32_MAX && plan->weak + z <= head->size)
		take_weak(h, i, hp_get_id(data + plan->weak, z));
	enter_class(h, i, head->class_id, plan);
	hp_edge_worker_set_degree(h, i, h->entered - before);
	hp_edge_worker_look(h);
	if (size == 0) {
		size = hp_heap_instance_size(h->heap, plan->of, data,
					     (size_t)head->size, head->size);
		code = hp_edges_code(h->read->e, size);
	}
	hp_edge_worker_set_size(h, i, size, code);
}

static inline void take_array_size(struct hp_edge_worker *h, uint32_t i,
				   bool prims, unsigned type, uint64_t length)
{
	uint64_t size = hp_heap_array_size(h->heap, prims, type, length);

	hp_edge_worker_set_size(h, i, size, hp_edges_code(h->read->e, size));
}

static inline __attribute__((always_inline)) void
take_objects(struct hp_edge_worker *h, const struct hp_object_head *head,
	     const uint8_t *data, const unsigned z)
{
	const uint64_t before = h->entered;
	const struct hp_class_refs *plan = plan_of(h, head->class_id);
	uint32_t i = next_index(h, head->id);

	offer_elements(h, i, data, head->count, z);
	enter_class(h, i, head->class_id, plan);
	hp_edge_worker_set_kind(h, i, plan->array_kind);
	hp_edge_worker_set_degree(h, i, h->entered - before);
	hp_edge_worker_look(h);
	take_array_size(h, i, false, HPROF_TYPE_OBJECT, head->count);
}

static inline void take_prims(struct hp_edge_worker *h, uint64_t id,
			      unsigned type, uint64_t length)
{
	const struct hp_class_refs *plan = h->read->plans.prims[type % 16];
	uint64_t class_id = plan->of ? plan->of->info->class_id : 0;
	uint32_t i = next_index(h, id);

	hp_edge_worker_set_kind(h, i, plan->kind);
	hp_edge_worker_set_degree(h, i, enter_class(h, i, class_id, plan));
	hp_edge_worker_look(h);
	take_array_size(h, i, true, type, length);
}

static inline void trim_memory(const struct hp_edge_worker *h)
{
	hp_build_trim_memory(h->read->build, 0);
}

/* Notes that the next object is at OFFSET in the file. */
static inline void note_place(struct hp_edge_worker *h, uint64_t offset)
{
	uint64_t position = h->numbering.position;

	if (position % HP_OFFSET_STEP == 0 && h->read->offsets)
		h->read->offsets[position / HP_OFFSET_STEP] = offset;
}

/* ---- many objects -------------------------------------------------------- */

static inline __attribute__((always_inline)) size_t
scan_objects(struct hp_edge_worker *h, uint64_t offset, const uint8_t *start,
	     size_t size, const unsigned z)
{
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head = { 0 };

	while (hp_object_head_read(p, hp_room(p, end), z, &head)) {
		const uint8_t *data = p + head.size_of_head;
		if (h->run_begins)
			hp_edge_worker_begin_run(h, head.id);
		note_place(h, offset + (uint64_t)(p - start));
		if (head.tag == HPROF_INSTANCE_DUMP) {
			take_instance(h, &head, data, z);
		} else if (head.tag == HPROF_OBJ_ARRAY_DUMP) {
			take_objects(h, &head, data, z);
		} else {
			take_prims(h, head.id, head.type, head.count);
		}
		p = data + head.size;
	}
	return (size_t)(p - start);
}

static size_t scan(void *state, uint64_t offset, const uint8_t *p, size_t size)
{
	struct hp_edge_worker *h = state;

	if (h->failed || !hp_edge_worker_room(h, size))
		return 0;
	trim_memory(h);
	return h->heap->id_size == 8 ? scan_objects(h, offset, p, size, 8)
				     : scan_objects(h, offset, p, size, 4);
}

static void begin(void *state, const struct hp_extent *extent)
{
	struct hp_edge_worker *h = state;
	bool goes_on = h->run_count && h->expected == extent->first;

	h->missed = h->missed || h->numbering.position != h->numbering.limit;
	hp_number_extent(&h->numbering, h->heap, extent);
	h->expected = extent->first + extent->count;
	h->end = extent->end;
	if (goes_on)
		return;
	hp_edge_worker_drain(h);
	h->run_begins = true;
}

/* ---- objects that are read apart ----------------------------------------- */

/* The long body of an object, read in pieces. */
struct body {
	uint8_t bytes[(64 << 10) + 8];
	uint64_t from; /* offset of bytes[0] in the body */
	size_t have;
	const uint32_t *refs; /* NULL: it consists of references */
	uint64_t next, count; /* references */
};

static uint64_t place(const struct hp_edge_worker *h, const struct body *b)
{
	return b->refs ? b->refs[b->next] : b->next * h->heap->id_size;
}

/*
 * Offers the complete references in the piece; returns how many are not null.
 */
static uint64_t take_piece(struct hp_edge_worker *h, struct body *b, uint32_t i)
{
	const unsigned z = h->heap->id_size;
	const uint64_t before = h->entered;

	trim_memory(h);
	for (; b->next < b->count && place(h, b) + z <= b->from + b->have;
	     b->next++) {
		hp_edge_worker_offer(
			h, i, hp_get_id(b->bytes + (place(h, b) - b->from), z));
		hp_edge_worker_look(h);
	}
	return h->entered - before;
}

/* False if memory runs out or the input cannot be read. */
static bool take_body(struct hp_edge_worker *h, struct hprof_reader *reader,
		      struct body *b, uint32_t i, uint64_t *count)
{
	size_t n, keep;
	enum hprof_status status;

	do {
		keep = b->have < 8 ? b->have : 8;
		memmove(b->bytes, b->bytes + b->have - keep, keep);
		b->from += b->have - keep;
		b->have = keep;
		status = hprof_reader_body(reader, b->bytes + keep,
					   sizeof b->bytes - keep, &n);
		if (status == HPROF_E_TRUNCATED)
			return true;
		if (status < 0)
			return false;
		b->have += n;
		*count += take_piece(h, b, i);
	} while (n > 0);
	return true;
}

/*
 * Offers the references at REFS, or all elements if REFS is NULL. Returns how
 * many are not null, or UINT64_MAX.
 */
static uint64_t take_refs(struct hp_edge_worker *h, struct hprof_reader *reader,
			  const struct hprof_bytes *bytes, uint32_t i,
			  const uint32_t *refs, uint64_t ref_count)
{
	struct body b;
	uint64_t count = 0;

	b.from = b.next = 0;
	b.have = 0;
	b.refs = refs;
	b.count = ref_count;
	if (!bytes->data)
		return take_body(h, reader, &b, i, &count) ? count : UINT64_MAX;
	for (uint64_t at = 0; at < bytes->size;) {
		size_t n = bytes->size - at < (64 << 10)
				   ? (size_t)(bytes->size - at)
				   : 64 << 10;
		size_t keep = b.have < 8 ? b.have : 8;
		memmove(b.bytes, b.bytes + b.have - keep, keep);
		memcpy(b.bytes + keep, bytes->data + at, n);
		b.from += b.have - keep;
		b.have = keep + n;
		at += n;
		count += take_piece(h, &b, i);
	}
	return count;
}

static bool take_long_instance(struct hp_edge_worker *h,
			       struct hprof_reader *reader,
			       const struct hprof_instance_dump *r)
{
	const struct hp_class_refs *plan = plan_of(h, r->class_id);
	uint32_t i = next_index(h, r->object_id), refs = plan->ref_count;
	uint64_t count, size = plan->size;

	while (refs &&
	       (uint64_t)plan->refs[refs - 1] + h->heap->id_size > r->data_size)
		refs--;
	count = take_refs(h, reader, &r->data, i, plan->refs, refs);
	if (count == UINT64_MAX)
		return false;
	if (plan->weak != UINT32_MAX && h->read->weaks)
		hp_edge_worker_add_weak(h, i, 0);
	count += enter_class(h, i, r->class_id, plan);
	hp_edge_worker_set_kind(h, i, plan->kind);
	hp_edge_worker_set_degree(h, i, count);
	hp_edge_worker_look(h);
	if (size == 0)
		size = hp_heap_instance_size(h->heap, plan->of, r->data.data,
					     r->data.data ? r->data_size : 0,
					     r->data_size);
	hp_edge_worker_set_size(h, i, size, hp_edges_code(h->read->e, size));
	return true;
}

static bool take_long_array(struct hp_edge_worker *h,
			    struct hprof_reader *reader,
			    const struct hprof_obj_array_dump *r)
{
	uint32_t i = next_index(h, r->object_id);
	static const uint32_t *const all = NULL;
	uint64_t count = take_refs(h, reader, &r->elements, i, all, r->count);

	if (count == UINT64_MAX)
		return false;
	const struct hp_class_refs *plan = plan_of(h, r->class_id);
	count += enter_class(h, i, r->class_id, plan);
	hp_edge_worker_set_kind(h, i, plan->array_kind);
	hp_edge_worker_set_degree(h, i, count);
	hp_edge_worker_look(h);
	take_array_size(h, i, false, HPROF_TYPE_OBJECT, r->count);
	return true;
}

/* How much of the file the body of a record takes, whatever it claims. */
static uint64_t size_of_body(const struct hp_edge_worker *h,
			     const struct hprof_record *record)
{
	const uint64_t left =
		h->end > record->offset ? h->end - record->offset : 0;
	uint64_t size = 0;

	if (record->tag == HPROF_INSTANCE_DUMP)
		size = record->u.instance_dump.data_size;
	else if (record->tag == HPROF_OBJ_ARRAY_DUMP)
		size = (uint64_t)record->u.obj_array_dump.count *
		       h->heap->id_size;
	return size < left ? size : left;
}

static bool record(void *state, struct hprof_reader *reader,
		   const struct hprof_record *record)
{
	struct hp_edge_worker *h = state;
	const struct hprof_prim_array_dump *prims = &record->u.prim_array_dump;
	uint64_t id = 0;

	if (h->failed)
		return true;
	if (!hp_edge_worker_room(h, size_of_body(h, record)))
		return false;
	if (hp_is_object_record(record, &id) && id != 0) {
		if (h->run_begins)
			hp_edge_worker_begin_run(h, id);
		note_place(h, record->offset);
	}
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		return take_long_instance(h, reader, &record->u.instance_dump);
	case HPROF_OBJ_ARRAY_DUMP:
		return take_long_array(h, reader, &record->u.obj_array_dump);
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		take_prims(h, prims->object_id, prims->type, prims->count);
		return hp_reader_pass_body(reader);
	default:
		return hp_reader_pass_body(reader);
	}
}

static bool failed(const void *state)
{
	return ((const struct hp_edge_worker *)state)->failed;
}

const struct hp_object_scan_ops hp_edges_ops = {
	.scan = scan,
	.record = record,
	.begin = begin,
	.failed = failed,
};
