/* SPDX-License-Identifier: MIT */
/*
 * class_refs.c - what is known before the pass over objects: where the
 * references of each class lie and which of them count as holding, the roots,
 * and the references of class objects.
 */
#include "graph/edge_build.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* ---- plans --------------------------------------------------------------- */

bool hp_class_holds(const struct hp_heap_class *c, unsigned hold)
{
	switch (c->weakness) {
	case HP_SOFT:
		return hold & HPROF_HOLD_SOFT;
	case HP_WEAK:
		return hold & HPROF_HOLD_WEAK;
	case HP_PHANTOM:
		return hold & HPROF_HOLD_PHANTOM;
	case HP_FINAL:
		return hold & HPROF_HOLD_FINAL;
	default:
		return true;
	}
}

/* All references of C but a referent that is too weak to hold. */
static uint32_t *leave_out(struct hp_class_refs *plan,
			   const struct hp_heap_class *c, uint32_t *refs)
{
	plan->refs = refs;
	plan->ref_count = 0;
	for (uint32_t i = 0; i < c->ref_count; i++) {
		if (c->refs[i] == c->referent)
			plan->weak = c->referent;
		else
			refs[plan->ref_count++] = c->refs[i];
	}
	return refs + plan->ref_count;
}

static void make_plan(struct hp_class_refs *plan, const struct hprof_heap *heap,
		      const struct hp_edges *edges,
		      const struct hp_heap_class *c, unsigned hold,
		      uint32_t **refs)
{
	*plan = (struct hp_class_refs){ .of = c,
					.refs = c->refs,
					.ref_count = c->ref_count,
					.weak = UINT32_MAX,
					.class_index = HP_NONE };
	if (c->referent != UINT32_MAX && !hp_class_holds(c, hold))
		*refs = leave_out(plan, c, *refs);
	if (plan->ref_count)
		plan->reach = plan->refs[plan->ref_count - 1] + heap->id_size;
	plan->has_class = c->index != HPROF_NO_OBJECT;
	if (plan->has_class && !hp_bit(edges->roots, c->index))
		plan->class_index = (uint32_t)c->index;
	if (c->chunk_at == UINT32_MAX)
		plan->size = c->shallow;
	plan->shallow = hp_edges_code(edges, plan->size);
	plan->kind = plan->array_kind = hp_kind_of_instances(c->row);
	if (c->elements != HP_NO_CLASS)
		plan->array_kind =
			hp_kind_of_instances(heap->classes[c->elements].row);
}

static size_t refs_left_out(const struct hprof_heap *heap)
{
	size_t count = 0;

	for (size_t i = 0; i < heap->infos->count; i++)
		if (heap->classes[i].referent != UINT32_MAX)
			count += heap->classes[i].ref_count;
	return count;
}

enum hprof_status hp_class_refs_make(struct hp_class_refs_table *plans,
				     const struct hprof_heap *heap,
				     const struct hp_edges *edges,
				     unsigned hold)
{
	const struct hp_class_table *infos = heap->infos;
	uint32_t *refs;

	*plans = (struct hp_class_refs_table){ .count = infos->count };
	HP_TRY(hp_u64_map_init(&plans->by_id, 1));
	plans->items = hp_calloc(infos->count + 1, sizeof *plans->items);
	refs = plans->refs =
		hp_calloc(refs_left_out(heap) + 1, sizeof *plans->refs);
	if (!plans->items || !plans->refs)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < infos->count; i++) {
		make_plan(&plans->items[i], heap, edges, &heap->classes[i],
			  hold, &refs);
		if (infos->rows[i].class_id)
			HP_TRY(hp_u64_map_put(&plans->by_id,
					      infos->rows[i].class_id,
					      &plans->items[i]));
	}
	plans->items[infos->count] = (struct hp_class_refs){
		.weak = UINT32_MAX,
		.class_index = HP_NONE,
		.kind = hp_kind_of_instances(infos->count),
		.array_kind = hp_kind_of_instances(infos->count)
	};
	for (unsigned i = 0; i < 16; i++)
		plans->prims[i] = &plans->items[heap->prims[i] == HP_NO_CLASS
							? infos->count
							: heap->prims[i]];
	return HPROF_OK;
}

void hp_class_refs_done(struct hp_class_refs_table *plans)
{
	hp_free(plans->items);
	hp_free(plans->refs);
	hp_u64_map_done(&plans->by_id);
}

/* Counts the references by the census, plus one to the class of each object. */
uint64_t hp_edges_most(const struct hprof_heap *heap)
{
	uint64_t count = 0;

	for (size_t i = 0; i < heap->infos->count; i++) {
		const struct hp_class *info = &heap->infos->rows[i];
		if (info->instances)
			count += info->instances->count *
				 ((uint64_t)heap->classes[i].ref_count + 1);
		if (info->arrays && info->kind == HPROF_CLASS_OBJ_ARRAY)
			count += info->arrays->data + info->arrays->count;
	}
	return count;
}

/* ---- roots --------------------------------------------------------------- */

/*
 * In a dump by HotSpot nothing refers to array classes: they have no loader
 * there and are not among the system classes. All of them become roots: those
 * of the boot loader are never unloaded, and the others retain nothing but
 * themselves. Otherwise each array would have an edge to a class with many
 * referrers.
 *
 * Some writers, such as the serviceability agent, list no system classes at
 * all; then all classes of the boot loader are roots.
 */
static void add_classes(struct hp_edges *e, const struct hprof_heap *heap,
			bool system_classes)
{
	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		const struct hp_heap_class *of = &heap->classes[object->row];
		bool array = of->info->name && strchr(of->info->name, '[');
		if (of->own && of->own->loader_id == 0 &&
		    (array || !system_classes))
			hp_bit_set(e->roots, object->index);
	}
}

void hp_edges_roots(struct hp_edges *e, const struct hprof_heap *heap)
{
	bool system_classes = false;

	for (size_t i = 0; i < heap->root_count; i++) {
		const struct hprof_heap_root *root = &heap->roots[i];
		if (root->tag == HPROF_ROOT_STICKY_CLASS)
			system_classes = true;
		if (root->tag != HPROF_ROOT_UNREACHABLE &&
		    root->object != HPROF_NO_OBJECT)
			hp_bit_set(e->roots, root->object);
	}
	add_classes(e, heap, system_classes);
}

/* ---- class objects ------------------------------------------------------- */

struct classes {
	struct hp_edges *e;
	const struct hprof_heap *heap;
	size_t room, list_room;
	bool no_memory;
};

static void refer(struct classes *c, uint64_t id)
{
	struct hp_edges *e = c->e;
	uint64_t to;

	if (id == 0)
		return;
	to = hp_heap_find(c->heap, id);
	if (to == HPROF_NO_OBJECT) {
		e->dangling++;
		return;
	}
	e->holding++;
	size_t used = (size_t)e->apart_count;
	if (hp_grow((void **)&e->apart, &c->room, used, sizeof *e->apart) !=
	    HPROF_OK) {
		c->no_memory = true;
		return;
	}
	e->apart[e->apart_count++] = (uint32_t)to;
}

static void refer_all(struct classes *c, const struct hp_dumped_class *own)
{
	refer(c, own->super_id);
	refer(c, own->loader_id);
	refer(c, own->signers_id);
	refer(c, own->domain_id);
	for (uint32_t i = 0; i < own->constant_count; i++)
		if (own->constants[i].type == HPROF_TYPE_OBJECT)
			refer(c, own->constants[i].value);
	for (uint32_t i = 0; i < own->static_count; i++)
		if (own->statics[i].type == HPROF_TYPE_OBJECT)
			refer(c, own->statics[i].value);
}

static void add_list(struct classes *c, uint32_t from, uint64_t at)
{
	struct hp_edges *e = c->e;

	if (e->apart_count == at)
		return;
	if (hp_grow((void **)&e->lists, &c->list_room, e->list_count,
		    sizeof *e->lists) != HPROF_OK) {
		c->no_memory = true;
		return;
	}
	e->lists[e->list_count++] = (struct hp_edge_list){
		.from = from,
		.apart = true,
		.at = at,
		.count = e->apart_count - at,
	};
	((uint8_t *)e->degree.at)[from] = HP_DEGREE_LIST;
	for (; at < e->apart_count; at++)
		hp_edges_refer(e->referrer.at, from, e->apart[at]);
}

enum hprof_status hp_edges_classes(struct hp_edges *e,
				   const struct hprof_heap *heap)
{
	struct classes c = { .e = e, .heap = heap };

	for (size_t i = 0; i < heap->class_object_count && !c.no_memory; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		const struct hp_heap_class *of = &heap->classes[object->row];
		uint64_t at = e->apart_count;
		if (of->own)
			refer_all(&c, of->own);
		add_list(&c, (uint32_t)object->index, at);
	}
	return c.no_memory ? HPROF_E_NOMEM : HPROF_OK;
}
