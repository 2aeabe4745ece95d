/* SPDX-License-Identifier: MIT */
/*
 * quick_edges.c - see quick_edges.h.
 *
 * The targets of an instance are those of its references that are not null, in
 * the order of its fields, and then its class, unless that is a root. So which
 * field a target belongs to is known if the class has a single reference, or if
 * a mask says which are null. Masks cost a pass over the dump, if the cache does
 * not have them: they are worth it only after many questions.
 */
#include "report/quick_edges.h"

#include "base/error.h"
#include "base/mem.h"

enum { UNKNOWN_MOST = 1 << 14 };

/* The objects of a class, as the first one that was looked at is. */
struct hp_quick_form {
	bool known, mixed;
	enum hprof_object_kind kind;
	uint32_t count;	    /* references of an instance; UINT32_MAX: no idea */
	const char **names; /* of the fields that these are */
};

enum hprof_status hp_quick_edges_init(struct hp_quick_edges *q,
				      const struct hp_look *look)
{
	size_t rows = hprof_heap_summary(look->heap)->class_count;

	*q = (struct hp_quick_edges){ .look = look };
	q->forms = hp_calloc(rows + 1, sizeof *q->forms);
	return q->forms ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_quick_edges_done(struct hp_quick_edges *q)
{
	hp_field_masks_done(&q->masks);
	hp_arena_done(&q->arena);
	hp_free(q->forms);
	*q = (struct hp_quick_edges){ .look = NULL };
}

/* ---- classes ------------------------------------------------------------- */

/* The name of the field at OFFSET of an instance of OF; NULL: there is none. */
static const char *name_at(const struct hprof_heap *heap,
			   const struct hp_heap_class *of, uint64_t offset)
{
	uint64_t base = 0;

	while (of && of->own) {
		const struct hp_dumped_class *own = of->own;

		for (uint32_t i = 0; i < own->field_count; i++)
			if (base + own->fields[i].offset == offset)
				return own->fields[i].name;
		base += own->size;
		of = of->super != HP_NO_CLASS ? &heap->classes[of->super]
					      : NULL;
	}
	return NULL;
}

/* References of Reference objects may hold or not; many need a larger mask. */
static enum hprof_status name_fields(struct hp_quick_edges *q,
				     const struct hp_heap_class *of,
				     struct hp_quick_form *form)
{
	form->count = UINT32_MAX;
	if (!of || of->referent != UINT32_MAX ||
	    of->ref_count > HP_FIELD_MASK_BITS)
		return HPROF_OK;
	form->names = hp_arena_take(&q->arena,
				    (of->ref_count + 1) * sizeof *form->names);
	if (!form->names)
		return HPROF_E_NOMEM;
	for (uint32_t k = 0; k < of->ref_count; k++) {
		form->names[k] = name_at(q->look->heap, of, of->refs[k]);
		if (!form->names[k])
			return HPROF_OK;
	}
	form->count = of->ref_count;
	return HPROF_OK;
}

/*
 * Whether objects of the class at ROW may be of different kinds, as odd dumps
 * have them: arrays that name the class of their elements, or instances of an
 * array class.
 */
static bool is_mixed(const struct hprof_heap *heap, size_t row)
{
	const struct hp_heap_class *of = hp_heap_row(heap, row);
	const struct hp_class *info = of ? of->info : NULL;

	return !info || (info->instances &&
			 (info->arrays || info->kind != HPROF_CLASS_PLAIN));
}

static enum hprof_status make_form(struct hp_quick_edges *q, uint32_t object,
				   size_t row, struct hp_quick_form *form,
				   struct hprof_error *error)
{
	struct hprof_object like;

	form->known = form->mixed = is_mixed(q->look->heap, row);
	if (form->mixed)
		return HPROF_OK;
	if (hprof_cursor_seek(q->look->cursor, object, &like) < 0)
		return hp_look_failure(q->look, error);
	form->kind = like.kind;
	if (like.kind == HPROF_OBJECT_INSTANCE &&
	    name_fields(q, hp_heap_row(q->look->heap, row), form) != HPROF_OK)
		return hp_no_memory(error);
	form->known = true;
	return HPROF_OK;
}

/* NULL: OBJECT is a class object, or its class tells nothing. */
static enum hprof_status form_of(struct hp_quick_edges *q, uint32_t object,
				 const struct hp_quick_form **ret,
				 struct hprof_error *error)
{
	uint32_t kind = hp_graph_kind(q->look->graph, object);
	size_t row = hp_kind_row(kind);

	*ret = NULL;
	if (hp_kind_is_class(kind) ||
	    row >= hprof_heap_summary(q->look->heap)->class_count)
		return HPROF_OK;
	if (!q->forms[row].known)
		HP_TRY(make_form(q, object, row, &q->forms[row], error));
	if (!q->forms[row].mixed)
		*ret = &q->forms[row];
	return HPROF_OK;
}

enum hprof_status hp_quick_kind(struct hp_quick_edges *q, uint32_t to,
				enum hprof_object_kind *ret, bool *ret_known,
				struct hprof_error *error)
{
	uint32_t kind = hp_graph_kind(q->look->graph, to);
	const struct hp_quick_form *form;

	*ret = HPROF_OBJECT_CLASS;
	*ret_known = hp_kind_is_class(kind) &&
		     hp_kind_row(kind) <
			     hprof_heap_summary(q->look->heap)->class_count;
	if (hp_kind_is_class(kind))
		return HPROF_OK;
	HP_TRY(form_of(q, to, &form, error));
	if (form)
		*ret = form->kind;
	*ret_known = form != NULL;
	return HPROF_OK;
}

/* ---- references ---------------------------------------------------------- */

/* Looks for masks where they are kept; else, after many questions, makes them. */
static enum hprof_status take_masks(struct hp_quick_edges *q,
				    struct hprof_error *error)
{
	const struct hprof_graph *graph = q->look->graph;

	q->unknown++;
	if (q->unknown == 1)
		hp_field_masks_restore(graph, &q->masks);
	else if (q->unknown == UNKNOWN_MOST)
		return hp_field_masks_read(graph, &q->masks, error);
	return HPROF_OK;
}

/* By the targets of FROM and the MASK of its references; false: not clear. */
static bool find_field(const struct hp_quick_edges *q, uint32_t from,
		       uint32_t to, const struct hp_quick_form *form,
		       unsigned mask, struct hprof_edge *ret)
{
	const uint32_t *targets = NULL;
	uint64_t count = hp_graph_targets(q->look->graph, from, &targets);
	uint64_t fields = hp_bit_count(mask);

	if (mask >> form->count || count < fields || count > fields + 1)
		return false;
	for (uint64_t i = 0; i < fields; i++, mask &= mask - 1)
		if (targets[i] == to) {
			ret->kind = HPROF_EDGE_FIELD;
			ret->name = form->names[hp_bit_lowest(mask)];
			return true;
		}
	ret->kind = HPROF_EDGE_CLASS;
	return count > fields && targets[fields] == to;
}

static enum hprof_status from_instance(struct hp_quick_edges *q, uint32_t from,
				       uint32_t to,
				       const struct hp_quick_form *form,
				       bool own_class, struct hprof_edge *ret,
				       bool *ret_known,
				       struct hprof_error *error)
{
	*ret_known = false;
	if (form->count == UINT32_MAX)
		return HPROF_OK;
	if (form->count == 1 && !own_class) {
		ret->kind = HPROF_EDGE_FIELD;
		ret->name = form->names[0];
		*ret_known = true;
		return HPROF_OK;
	}
	if (!q->masks.at)
		HP_TRY(take_masks(q, error));
	if (q->masks.at)
		*ret_known =
			find_field(q, from, to, form, q->masks.at[from], ret);
	return HPROF_OK;
}

enum hprof_status hp_quick_edge(struct hp_quick_edges *q, uint32_t from,
				uint32_t to, struct hprof_edge *ret,
				bool *ret_known, struct hprof_error *error)
{
	const struct hprof_graph *graph = q->look->graph;
	const struct hp_quick_form *form;
	bool own_class =
		hp_graph_kind(graph, to) ==
		hp_kind_of_class(hp_kind_row(hp_graph_kind(graph, from)));

	*ret = (struct hprof_edge){ .kind = HPROF_EDGE_FIELD };
	*ret_known = false;
	HP_TRY(form_of(q, from, &form, error));
	if (!form || form->kind == HPROF_OBJECT_PRIM_ARRAY)
		return HPROF_OK;
	if (form->kind == HPROF_OBJECT_INSTANCE)
		return from_instance(q, from, to, form, own_class, ret,
				     ret_known, error);
	ret->kind = own_class ? HPROF_EDGE_CLASS : HPROF_EDGE_ELEMENT;
	*ret_known = true;
	return HPROF_OK;
}
