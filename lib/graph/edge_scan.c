/* SPDX-License-Identifier: MIT */
/*
 * edge_scan.c - takes degrees, references and sizes from instances and arrays: from
 * many at once, which are completely in memory.
 */
#include "graph/edge_object.h"

#include "codec/object_head.h"
#include "stream/reader.h"

/* ---- one object ---------------------------------------------------------- */

/*
 * Offers COUNT references of I, the Kth of which is at OFFSETS[k] in DATA. What is
 * counted stays in registers: a field is a byte, which could be a part of anything.
 */
static inline __attribute__((always_inline)) void
offer_fields(struct hp_edge_worker *h, uint32_t i, const uint8_t *data,
	     const uint32_t *offsets, uint32_t count, const unsigned z,
	     const bool notes)
{
	uint8_t *field = notes ? h->field + h->last_row : NULL;

	for (uint32_t k = 0; k < count;) {
		uint32_t end = count - k < HP_EDGE_WORKER_AT_ONCE
				       ? count
				       : k + HP_EDGE_WORKER_AT_ONCE;
		uint64_t entered = h->entered;

		for (; k < end; k++) {
			const uint64_t id = hp_get_id(data + offsets[k], z);

			hp_edge_worker_put(h, entered, i, id);
			entered += id != 0;
			if (!notes)
				continue;
			*field = (uint8_t)hp_edge_known_field(k);
			field += id != 0;
		}
		h->entered = entered;
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
	      const uint8_t *data, const unsigned z, const bool notes)
{
	const struct hp_class_refs *plan = hp_edge_plan_of(h, head->class_id);
	uint32_t i = hp_edge_next_index(h, head->id), refs = plan->ref_count;
	const uint64_t before = h->entered;
	uint64_t size = plan->size;
	uint8_t code = plan->shallow;

	hp_edge_worker_set_kind(h, i, plan->kind);
	if (plan->reach > head->size)
		while (refs && plan->refs[refs - 1] + z > head->size)
			refs--;
	offer_fields(h, i, data, plan->refs, refs, z, notes);
	if (plan->weak != UINT32_MAX && plan->weak + z <= head->size)
		take_weak(h, i, hp_get_id(data + plan->weak, z));
	if (notes)
		hp_edge_set_field(h, before, HP_FIELD_CLASS);
	hp_edge_enter_class(h, i, head->class_id, plan);
	hp_edge_worker_set_degree(h, i, h->entered - before);
	hp_edge_worker_look(h);
	if (notes && plan->noted &&
	    (plan->noted_byte >= head->size || data[plan->noted_byte]))
		h->notes->instance(h->note, i, plan->of->row, data, head->size);
	if (size == 0) {
		size = hp_heap_instance_size(h->heap, plan->of, data,
					     (size_t)head->size, head->size);
		code = hp_edges_code(h->read->e, size);
	}
	hp_edge_worker_set_size(h, i, size, code);
}

static inline __attribute__((always_inline)) void
take_objects(struct hp_edge_worker *h, const struct hp_object_head *head,
	     const uint8_t *data, const unsigned z, const bool notes)
{
	const uint64_t before = h->entered;
	const struct hp_class_refs *plan = hp_edge_plan_of(h, head->class_id);
	uint32_t i = hp_edge_next_index(h, head->id);

	offer_elements(h, i, data, head->count, z);
	if (notes)
		h->notes->references(h->note, i, head->count,
				     h->entered - before);
	hp_edge_enter_class(h, i, head->class_id, plan);
	hp_edge_worker_set_kind(h, i, plan->array_kind);
	hp_edge_worker_set_degree(h, i, h->entered - before);
	hp_edge_worker_look(h);
	hp_edge_take_array_size(h, i, false, HPROF_TYPE_OBJECT, head->count);
}

/* ---- many objects -------------------------------------------------------- */

static inline __attribute__((always_inline)) size_t
scan_objects(struct hp_edge_worker *h, uint64_t offset, const uint8_t *start,
	     size_t size, const unsigned z, const bool notes)
{
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head = { 0 };

	while (hp_object_head_read(p, hp_room(p, end), z, &head)) {
		const uint8_t *data = p + head.size_of_head;
		if (h->run_begins)
			hp_edge_worker_begin_run(h, head.id);
		hp_edge_note_place(h, offset + (uint64_t)(p - start));
		if (head.tag == HPROF_INSTANCE_DUMP) {
			take_instance(h, &head, data, z, notes);
		} else if (head.tag == HPROF_OBJ_ARRAY_DUMP) {
			take_objects(h, &head, data, z, notes);
		} else {
			uint32_t i = hp_edge_take_prims(h, head.id, head.type,
							head.count);
			if (notes)
				h->notes->prims(h->note, i, head.type, data,
						(size_t)head.size);
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
	hp_edge_trim_memory(h);
	if (h->notes)
		return h->heap->id_size == 8
			       ? scan_objects(h, offset, p, size, 8, true)
			       : scan_objects(h, offset, p, size, 4, true);
	return h->heap->id_size == 8
		       ? scan_objects(h, offset, p, size, 8, false)
		       : scan_objects(h, offset, p, size, 4, false);
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
	if (h->notes)
		h->notes->jump(h->note);
}

static bool failed(const void *state)
{
	return ((const struct hp_edge_worker *)state)->failed;
}

const struct hp_object_scan_ops hp_edges_ops = {
	.scan = scan,
	.record = hp_edges_record,
	.begin = begin,
	.failed = failed,
};
