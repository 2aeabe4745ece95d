/* SPDX-License-Identifier: MIT */
/*
 * edge_object.h - what is taken from each object, whether many are read at once
 * (edge_scan.c) or one in pieces (edge_long.c). It is called for each, and inline.
 */
#ifndef HP_EDGE_OBJECT_H
#define HP_EDGE_OBJECT_H

#include "graph/edge_worker.h"

/*
 * Notes that the reference which enters next is that of a FIELD. BEFORE had
 * entered before the first one of its object.
 */
static inline void hp_edge_set_field(struct hp_edge_worker *h, uint64_t before,
				     uint32_t field)
{
	h->field[h->last_row + (h->entered - before)] = (uint8_t)field;
}

static inline uint32_t hp_edge_known_field(uint64_t k)
{
	return k < HP_FIELD_LAST ? (uint32_t)k : HP_FIELD_LAST;
}

/* Offers the class with ID, whose plan is PLAN, as a reference of I. */
static inline uint64_t hp_edge_enter_class(struct hp_edge_worker *h, uint32_t i,
					   uint64_t id,
					   const struct hp_class_refs *plan)
{
	if (plan->class_index == HP_NONE &&
	    (plan->has_class || !hp_edge_worker_is_other(h, id))) {
		h->left_out += plan->has_class;
		h->no_class += !plan->has_class && id != 0;
		return 0;
	}
	hp_edge_worker_offer(h, i, id);
	return 1;
}

static inline const struct hp_class_refs *
hp_edge_plan_of(const struct hp_edge_worker *h, uint64_t id)
{
	const struct hp_class_refs *plan =
		hp_u64_map_get(&h->read->plans.by_id, id);

	return plan ? plan : &h->read->plans.items[h->read->plans.count];
}

static inline uint32_t hp_edge_next_index(struct hp_edge_worker *h, uint64_t id)
{
	uint64_t i = hp_number(&h->numbering, id);

	return i < h->read->e->count ? (uint32_t)i : hp_edge_worker_too_many(h);
}

static inline void hp_edge_take_array_size(struct hp_edge_worker *h, uint32_t i,
					   bool prims, unsigned type,
					   uint64_t length)
{
	uint64_t size = hp_heap_array_size(h->heap, prims, type, length);

	hp_edge_worker_set_size(h, i, size, hp_edges_code(h->read->e, size));
}

/* Returns the number of the array. */
static inline uint32_t hp_edge_take_prims(struct hp_edge_worker *h, uint64_t id,
					  unsigned type, uint64_t length)
{
	const struct hp_class_refs *plan = h->read->plans.prims[type % 16];
	uint64_t class_id = plan->of ? plan->of->info->class_id : 0;
	uint32_t i = hp_edge_next_index(h, id);

	if (h->notes)
		hp_edge_set_field(h, h->entered, HP_FIELD_CLASS);
	hp_edge_worker_set_kind(h, i, plan->kind);
	hp_edge_worker_set_degree(h, i,
				  hp_edge_enter_class(h, i, class_id, plan));
	hp_edge_worker_look(h);
	hp_edge_take_array_size(h, i, true, type, length);
	return i;
}

static inline void hp_edge_trim_memory(const struct hp_edge_worker *h)
{
	hp_build_trim_memory(h->read->build, 0);
}

/* Notes that the next object is at OFFSET in the file. */
static inline void hp_edge_note_place(struct hp_edge_worker *h, uint64_t offset)
{
	uint64_t position = h->numbering.position;

	if (position % HP_OFFSET_STEP == 0 && h->read->offsets)
		h->read->offsets[position / HP_OFFSET_STEP] = offset;
}

#endif
