/* SPDX-License-Identifier: MIT */
/*
 * edge_long.c - takes the same from objects that are too long to be in memory, and
 * from what else is read apart: in pieces.
 */
#include <string.h>

#include "codec/object_head.h"
#include "graph/edge_object.h"
#include "stream/reader.h"

/* The long body of an object, read in pieces. */
struct body {
	uint8_t bytes[(64 << 10) + 8];
	uint64_t from; /* offset of bytes[0] in the body */
	size_t have;
	const uint32_t *refs; /* NULL: it consists of references */
	uint64_t next, count; /* references */
	uint64_t entered;     /* of the worker, before the first one */
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

	hp_edge_trim_memory(h);
	for (; b->next < b->count && place(h, b) + z <= b->from + b->have;
	     b->next++) {
		if (h->notes && b->refs)
			hp_edge_set_field(h, b->entered,
					  hp_edge_known_field(b->next));
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
	b.entered = h->entered;
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
	const struct hp_class_refs *plan = hp_edge_plan_of(h, r->class_id);
	uint32_t i = hp_edge_next_index(h, r->object_id),
		 refs = plan->ref_count;
	uint64_t count, size = plan->size;
	const uint64_t before = h->entered;

	while (refs &&
	       (uint64_t)plan->refs[refs - 1] + h->heap->id_size > r->data_size)
		refs--;
	count = take_refs(h, reader, &r->data, i, plan->refs, refs);
	if (count == UINT64_MAX)
		return false;
	if (plan->weak != UINT32_MAX && h->read->weaks)
		hp_edge_worker_add_weak(h, i, 0);
	if (h->notes)
		hp_edge_set_field(h, before, HP_FIELD_CLASS);
	count += hp_edge_enter_class(h, i, r->class_id, plan);
	hp_edge_worker_set_kind(h, i, plan->kind);
	hp_edge_worker_set_degree(h, i, count);
	hp_edge_worker_look(h);
	if (h->notes && plan->noted)
		h->notes->instance(h->note, i, plan->of->row, r->data.data,
				   r->data.size);
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
	uint32_t i = hp_edge_next_index(h, r->object_id);
	static const uint32_t *const all = NULL;
	uint64_t count = take_refs(h, reader, &r->elements, i, all, r->count);

	if (count == UINT64_MAX)
		return false;
	if (h->notes)
		h->notes->references(h->note, i, r->count, count);
	const struct hp_class_refs *plan = hp_edge_plan_of(h, r->class_id);
	count += hp_edge_enter_class(h, i, r->class_id, plan);
	hp_edge_worker_set_kind(h, i, plan->array_kind);
	hp_edge_worker_set_degree(h, i, count);
	hp_edge_worker_look(h);
	hp_edge_take_array_size(h, i, false, HPROF_TYPE_OBJECT, r->count);
	return true;
}

/* Notes pieces of a body that are multiples of 8 bytes, but for the last one. */
static bool note_body(const struct hp_edge_worker *h,
		      struct hprof_reader *reader)
{
	uint8_t piece[64 << 10];
	size_t n, have = 0;
	enum hprof_status status;

	do {
		status = hprof_reader_body(reader, piece + have,
					   sizeof piece - have, &n);
		if (status < 0)
			n = 0;
		have += n;
		if (have == sizeof piece || (n == 0 && have)) {
			h->notes->prims_add(h->note, piece, have);
			have = 0;
		}
	} while (n > 0);
	return status >= 0 || status == HPROF_E_TRUNCATED;
}

static bool take_long_prims(struct hp_edge_worker *h,
			    struct hprof_reader *reader,
			    const struct hprof_record *record)
{
	const struct hprof_prim_array_dump *r = &record->u.prim_array_dump;
	uint32_t i = hp_edge_take_prims(h, r->object_id, r->type, r->count);
	bool good;

	if (!h->notes || record->tag != HPROF_PRIM_ARRAY_DUMP ||
	    !hp_primitive_size(r->type))
		return hp_reader_pass_body(reader);
	if (r->elements.data) {
		h->notes->prims(h->note, i, r->type, r->elements.data,
				(size_t)r->elements.size);
		return true;
	}
	h->notes->prims_begin(h->note, i, r->type);
	good = note_body(h, reader);
	h->notes->prims_end(h->note);
	return good;
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

bool hp_edges_record(void *state, struct hprof_reader *reader,
		     const struct hprof_record *record)
{
	struct hp_edge_worker *h = state;
	uint64_t id = 0;

	if (h->failed)
		return true;
	if (!hp_edge_worker_room(h, size_of_body(h, record)))
		return false;
	if (hp_is_object_record(record, &id) && id != 0) {
		if (h->run_begins)
			hp_edge_worker_begin_run(h, id);
		hp_edge_note_place(h, record->offset);
	}
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		return take_long_instance(h, reader, &record->u.instance_dump);
	case HPROF_OBJ_ARRAY_DUMP:
		return take_long_array(h, reader, &record->u.obj_array_dump);
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		return take_long_prims(h, reader, record);
	default:
		return hp_reader_pass_body(reader);
	}
}
