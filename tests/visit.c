/* SPDX-License-Identifier: MIT */
/*
 * visit.c - see visit.h.
 */
#include "visit.h"

#include <string.h>

struct visit {
	const struct hprof_heap *heap;
	struct hprof_cursor *cursor;
	struct hprof_object object;
	uint64_t hash;
	uint64_t last_id, last_offset;
	bool ids_ascend, offsets_ascend;
};

static void mix(struct visit *v, uint64_t value)
{
	v->hash = (v->hash ^ value) * 0x9e3779b97f4a7c15;
	v->hash ^= v->hash >> 29;
}

static void mix_text(struct visit *v, const char *text)
{
	for (; *text; text++)
		mix(v, (unsigned char)*text);
}

static const char *visit_fields(struct visit *v)
{
	const struct hprof_field *layout = NULL;
	size_t count = 0;
	struct hprof_field field, again;
	enum hprof_status status;
	uint64_t end = 0;

	if (v->object.kind == HPROF_OBJECT_INSTANCE && v->object.class_row < 64)
		hprof_heap_layout(v->heap, v->object.class_row, &layout,
				  &count);
	for (size_t i = 0;
	     (status = hprof_cursor_field(v->cursor, i, &field)) == HPROF_OK;
	     i++) {
		mix(v, field.value);
		mix(v, field.type);
		mix_text(v, field.name);
		if (layout && (i >= count || layout[i].name != field.name ||
			       layout[i].offset != field.offset ||
			       layout[i].type != field.type))
			return "a field is not as in the layout";
		if (v->object.kind == HPROF_OBJECT_INSTANCE &&
		    field.offset != end)
			return "fields do not follow each other";
		end = field.offset +
		      (uint64_t)hprof_type_size(
			      field.type,
			      hprof_heap_summary(v->heap)->header.id_size);
		if (hprof_cursor_field_named(v->cursor, NULL, field.name,
					     &again) != HPROF_OK)
			return "a field is not found by its name";
	}
	if (status != HPROF_END)
		return "fields do not end";
	if (v->object.kind == HPROF_OBJECT_INSTANCE && end > v->object.data)
		return "fields behind the data";
	return NULL;
}

static const char *visit_edges(struct visit *v)
{
	struct hprof_edge edge;
	enum hprof_status status;
	uint64_t i;

	for (i = 0;
	     (status = hprof_cursor_edge(v->cursor, i, &edge)) == HPROF_OK;
	     i++) {
		if (edge.from != v->object.index || edge.to_id == 0)
			return "a reference from somewhere else";
		if (edge.to != hprof_heap_find(v->heap, edge.to_id))
			return "a reference to somewhere else";
		mix(v, edge.kind);
		mix(v, edge.to_id);
		mix(v, edge.to);
		mix(v, edge.number);
		mix_text(v, edge.name ? edge.name : "");
	}
	if (status != HPROF_END)
		return "references do not end";
	/* Back to the first one, and to the last. */
	if (i > 1 && (hprof_cursor_edge(v->cursor, 0, &edge) != HPROF_OK ||
		      hprof_cursor_edge(v->cursor, i - 1, &edge) != HPROF_OK))
		return "a reference is not found again";
	return NULL;
}

static const char *visit_elements(struct visit *v)
{
	uint64_t values[100], done = 0;
	size_t n = 1;

	if (v->object.kind != HPROF_OBJECT_OBJ_ARRAY &&
	    v->object.kind != HPROF_OBJECT_PRIM_ARRAY)
		return NULL;
	while (n > 0) {
		if (hprof_cursor_elements(v->cursor, done, 100, values, &n) !=
		    HPROF_OK)
			return "elements cannot be read";
		for (size_t i = 0; i < n; i++)
			mix(v, values[i]);
		done += n;
	}
	/* Some arrays are in the dump without their elements. */
	if (done != v->object.length && done != 0)
		return "another number of elements";
	return NULL;
}

static const char *visit_text(struct visit *v)
{
	const char *text;
	uint64_t length;
	enum hprof_status status =
		hprof_cursor_text(v->cursor, 0, &text, &length);

	if (status == HPROF_END)
		return NULL;
	if (status != HPROF_OK)
		return "a text cannot be read";
	mix(v, length);
	mix_text(v, text);
	if (strlen(text) < length || strlen(text) > 3 * length)
		return "a text of another length";
	return NULL;
}

static const char *visit_object(struct visit *v, uint64_t index)
{
	const char *wrong;

	if (hprof_cursor_seek(v->cursor, index, &v->object) != HPROF_OK)
		return "an object cannot be reached";
	if (v->object.index != index || v->object.id == 0 ||
	    hprof_heap_find(v->heap, v->object.id) != index)
		return "an object is not found by its id";
	v->ids_ascend = v->ids_ascend && v->object.id > v->last_id;
	v->last_id = v->object.id;
	if (v->object.kind != HPROF_OBJECT_CLASS) {
		v->offsets_ascend =
			v->offsets_ascend && v->object.offset > v->last_offset;
		v->last_offset = v->object.offset;
	}
	mix(v, v->object.id);
	mix(v, v->object.kind);
	mix(v, v->object.type);
	mix(v, v->object.class_row);
	mix(v, v->object.length);
	mix(v, v->object.data);
	mix(v, v->object.shallow);
	mix(v, v->object.offset);
	wrong = visit_fields(v);
	wrong = wrong ? wrong : visit_edges(v);
	wrong = wrong ? wrong : visit_elements(v);
	return wrong ? wrong : visit_text(v);
}

static const char *visit_roots(struct visit *v)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(v->heap);

	for (size_t i = 0; i < hprof_heap_root_count(v->heap); i++) {
		mix(v, roots[i].tag);
		mix(v, roots[i].object);
		mix(v, roots[i].object_id);
		mix(v, roots[i].thread_serial);
		mix(v, (uint64_t)roots[i].frame);
		if (!hprof_tag_is_root(roots[i].tag) ||
		    roots[i].object !=
			    hprof_heap_find(v->heap, roots[i].object_id))
			return "a root is wrong";
	}
	return NULL;
}

/* Goes to objects at random, and to indices where there is none. */
static const char *visit_by_chance(struct visit *v)
{
	uint64_t count = hprof_heap_count(v->heap), chance = 1;

	if (hprof_cursor_seek(v->cursor, count, &v->object) != HPROF_E_USAGE ||
	    hprof_heap_find(v->heap, 0) != HPROF_NO_OBJECT)
		return "an object where none is";
	for (unsigned i = 0; i < 100 && count; i++) {
		chance = chance * 6364136223846793005 + 1442695040888963407;
		uint64_t index = (chance >> 20) % count;
		if (hprof_cursor_seek(v->cursor, index, &v->object) !=
			    HPROF_OK ||
		    hprof_heap_find(v->heap, v->object.id) != index)
			return "an object is not found by chance";
	}
	return NULL;
}

const char *heap_visit(const struct hprof_heap *heap, uint64_t *ret_hash)
{
	struct visit v = { .heap = heap,
			   .hash = 1,
			   .ids_ascend = true,
			   .offsets_ascend = true };
	const char *wrong = NULL;

	if (hprof_cursor_new(heap, &v.cursor, NULL) != HPROF_OK)
		return "no cursor";
	for (uint64_t i = 0; !wrong && i < hprof_heap_count(heap); i++)
		wrong = visit_object(&v, i);
	if (!wrong && !v.offsets_ascend)
		wrong = "objects not in the order of the file";
	if (!wrong && !v.ids_ascend && hprof_heap_summary(heap)->descents == 0)
		wrong = "objects not in the order of their ids";
	wrong = wrong ? wrong : visit_by_chance(&v);
	wrong = wrong ? wrong : visit_roots(&v);
	mix(&v, hprof_heap_count(heap));
	hprof_cursor_free(v.cursor);
	*ret_hash = v.hash;
	return wrong;
}
