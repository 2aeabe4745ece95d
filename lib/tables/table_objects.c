/* SPDX-License-Identifier: MIT */
/*
 * table_objects.c - the rows of objects: the objects themselves, their
 * references, values, and the text of strings.
 *
 * One walk in the order of the file fills all of these tables. So each object
 * is read once, and each table grows at its end. Queries ask for the rows of
 * one object instead.
 */
#include <string.h>

#include "tables/table_rows.h"
#include "base/error.h"
#include "base/mem.h"

enum { LOOK = 16384, ELEMENTS = 4096 };

struct hprof_object_rows {
	const struct hprof_tables_walk *walk;
	struct hprof_cursor *cursor;
	const struct hprof_places *places;
	const bool *wanted; /* the walk's */
	bool looks_inside;  /* references or values are wanted */
	bool *is_string;    /* by row of classes */
	size_t mirror;	    /* row of java.lang.Class, or SIZE_MAX */
	struct hprof_text_limit texts;
	uint64_t elements[ELEMENTS];
};

static bool put(const struct hprof_object_rows *w, enum hprof_table table,
		const struct hprof_cell *cells)
{
	return w->walk->row(w->walk->user, table, cells);
}

/* ---- references and values ----------------------------------------------- */

static bool put_reference(const struct hprof_object_rows *w, uint64_t source,
			  int64_t place, uint64_t id)
{
	uint64_t target = hprof_heap_find(w->walk->heap, id);
	bool found = target != HPROF_NO_OBJECT;
	enum hprof_table table =
		found ? HPROF_TABLE_REFERENCE : HPROF_TABLE_DANGLING;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)source),
		hprof_cell_number(place),
		found ? hprof_cell_number((int64_t)target)
		      : hprof_cell_address(id),
	};

	return !w->wanted[table] || put(w, table, cells);
}

static bool put_value(const struct hprof_object_rows *w, uint64_t object,
		      int64_t place, const struct hprof_field *field)
{
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)object),
		hprof_cell_number(place),
		hprof_cell_value(field->type, field->value),
	};

	return !w->wanted[HPROF_TABLE_VALUE] ||
	       put(w, HPROF_TABLE_VALUE, cells);
}

static bool put_field(const struct hprof_object_rows *w, uint64_t object,
		      int64_t place, const struct hprof_field *field)
{
	if (field->type != HPROF_TYPE_OBJECT)
		return put_value(w, object, place, field);
	return field->value == 0 ||
	       put_reference(w, object, place, field->value);
}

static enum hprof_status put_fields(struct hprof_object_rows *w,
				    const struct hprof_object *object)
{
	size_t row = SIZE_MAX; /* of the class that declares the field */
	int64_t place = 0;
	struct hprof_field field;

	for (size_t i = 0;; i++, place--) {
		enum hprof_status status =
			hprof_cursor_field(w->cursor, i, &field);
		if (status != HPROF_OK)
			return status < 0 ? status : HPROF_OK;
		if (row != field.class_row) {
			row = field.class_row;
			place = w->places->classes[row].own;
		}
		if (!put_field(w, object->index, place, &field))
			return HPROF_END;
	}
}

/* Those of some elements from *AT on; *AT is 0 behind the last one. */
static enum hprof_status put_elements(struct hprof_object_rows *w,
				      const struct hprof_object *object,
				      uint64_t *at)
{
	uint64_t first = *at;
	size_t count;
	enum hprof_status status = hprof_cursor_elements(
		w->cursor, first, ELEMENTS, w->elements, &count);

	if (status < 0)
		return status;
	*at = count < ELEMENTS ? 0 : first + count;
	for (size_t i = 0; i < count; i++)
		if (w->elements[i] &&
		    !put_reference(w, object->index, (int64_t)(first + i),
				   w->elements[i]))
			return HPROF_END;
	return HPROF_OK;
}

/* References of a class other than its statics, which also have values. */
static enum hprof_status put_class_edges(struct hprof_object_rows *w,
					 const struct hprof_object *object,
					 const struct hp_class_places *places)
{
	int64_t constant = places->constants;
	struct hprof_edge edge;
	enum hprof_status status = HPROF_OK;

	for (uint64_t i = 0; status == HPROF_OK; i++) {
		int64_t place = 0;

		status = hprof_cursor_edge(w->cursor, i, &edge);
		if (status != HPROF_OK || edge.kind == HPROF_EDGE_STATIC)
			break;
		if (edge.kind == HPROF_EDGE_SUPER)
			place = PLACE_SUPER;
		else if (edge.kind == HPROF_EDGE_LOADER)
			place = PLACE_LOADER;
		else if (edge.kind == HPROF_EDGE_SIGNERS)
			place = PLACE_SIGNERS;
		else if (edge.kind == HPROF_EDGE_DOMAIN)
			place = PLACE_DOMAIN;
		else if (edge.kind == HPROF_EDGE_CONSTANT)
			place = constant--;
		else
			continue;
		if (!put_reference(w, object->index, place, edge.to_id))
			return HPROF_END;
	}
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status put_class(struct hprof_object_rows *w,
				   const struct hprof_object *object)
{
	const struct hp_class_places *places;
	struct hprof_field field;
	enum hprof_status status;

	if (object->class_row >= w->places->count)
		return HPROF_OK;
	places = &w->places->classes[object->class_row];
	status = put_class_edges(w, object, places);
	for (size_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_field(w->cursor, i, &field);
		if (status == HPROF_OK &&
		    !put_field(w, object->index, places->statics - (int64_t)i,
			       &field))
			return HPROF_END;
		if (status == HPROF_END)
			return HPROF_OK;
	}
	return status;
}

/* ---- objects ------------------------------------------------------------- */

static bool put_object(const struct hprof_object_rows *w,
		       const struct hprof_object *object)
{
	bool is_array = object->kind == HPROF_OBJECT_OBJ_ARRAY ||
			object->kind == HPROF_OBJECT_PRIM_ARRAY;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)object->index),
		hprof_cell_address(object->id),
		hprof_cell_class(object->kind == HPROF_OBJECT_CLASS
					 ? w->mirror
					 : object->class_row),
		hprof_cell_number((int64_t)object->shallow),
		is_array ? hprof_cell_number((int64_t)object->length)
			 : hprof_cell_null(),
	};

	return !w->wanted[HPROF_TABLE_OBJECT] ||
	       put(w, HPROF_TABLE_OBJECT, cells);
}

static enum hprof_status put_string(struct hprof_object_rows *w,
				    const struct hprof_object *object)
{
	const char *text;
	uint64_t length;
	enum hprof_status status = hprof_cursor_text(
		w->cursor, hprof_text_limit_next(&w->texts), &text, &length);

	if (status != HPROF_OK)
		return status < 0 ? status : HPROF_OK;
	hprof_text_limit_take(&w->texts, length);
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)object->index),
		hprof_cell_number((int64_t)length),
		hprof_cell_text(text),
	};
	return put(w, HPROF_TABLE_STRING, cells) ? HPROF_OK : HPROF_END;
}

static enum hprof_status put_inside(struct hprof_object_rows *w,
				    const struct hprof_object *object,
				    uint64_t *at)
{
	switch (object->kind) {
	case HPROF_OBJECT_INSTANCE:
		return put_fields(w, object);
	case HPROF_OBJECT_OBJ_ARRAY:
		return put_elements(w, object, at);
	case HPROF_OBJECT_CLASS:
		return put_class(w, object);
	default:
		return HPROF_OK;
	}
}

static bool is_string(const struct hprof_object_rows *w,
		      const struct hprof_object *object)
{
	return object->kind == HPROF_OBJECT_INSTANCE &&
	       object->class_row < w->places->count &&
	       w->is_string[object->class_row];
}

enum hprof_status hprof_object_rows_put(struct hprof_object_rows *w,
					uint64_t index, uint64_t *at)
{
	struct hprof_object object;
	enum hprof_status status;

	HP_NEED(NULL, w);
	HP_NEED(NULL, at);
	status = hprof_cursor_seek(w->cursor, index, &object);

	if (status != HPROF_OK)
		return status;
	if (*at == 0 && !put_object(w, &object))
		return HPROF_END;
	if (w->looks_inside)
		status = put_inside(w, &object, at);
	if (status == HPROF_OK && w->wanted[HPROF_TABLE_STRING] &&
	    is_string(w, &object))
		status = put_string(w, &object);
	return status;
}

/* ---- all of them --------------------------------------------------------- */

static bool *find_strings(const struct hprof_heap *heap)
{
	size_t count = hprof_heap_summary(heap)->class_count;
	bool *strings = hp_calloc(count + 1, sizeof(*strings));

	for (size_t row = 0; strings && row < count; row++) {
		row = hprof_heap_class_named(heap, "java.lang.String", row);
		if (row < count)
			strings[row] = true;
		else
			break;
	}
	return strings;
}

enum hprof_status hprof_object_rows_new(const struct hprof_tables_walk *walk,
					struct hprof_cursor *cursor,
					const struct hprof_places *places,
					struct hprof_object_rows **ret_rows)
{
	struct hprof_object_rows *w;
	bool *strings;

	HP_NEED(NULL, walk);
	HP_NEED(NULL, cursor);
	HP_NEED(NULL, places);
	HP_NEED(NULL, ret_rows);
	w = hp_calloc(1, sizeof(*w));
	strings = w ? find_strings(walk->heap) : NULL;
	if (!strings) {
		hp_free(w);
		return HPROF_E_NOMEM;
	}
	w->walk = walk;
	w->cursor = cursor;
	w->places = places;
	w->wanted = walk->wanted;
	w->looks_inside = walk->wanted[HPROF_TABLE_REFERENCE] ||
			  walk->wanted[HPROF_TABLE_DANGLING] ||
			  walk->wanted[HPROF_TABLE_VALUE];
	w->is_string = strings;
	hprof_object_rows_restart(w);
	w->mirror = hprof_heap_class_named(walk->heap, "java.lang.Class", 0);
	*ret_rows = w;
	return HPROF_OK;
}

void hprof_object_rows_restart(struct hprof_object_rows *w)
{
	if (w)
		w->texts = hprof_text_limit_of(w->walk->heap);
}

void hprof_object_rows_free(struct hprof_object_rows *w)
{
	if (w)
		hp_free(w->is_string);
	hp_free(w);
}

static enum hprof_status put_whole(struct hprof_object_rows *w, uint64_t index)
{
	enum hprof_status status;
	uint64_t at = 0;

	do
		status = hprof_object_rows_put(w, index, &at);
	while (status == HPROF_OK && at > 0);
	return status;
}

enum hprof_status hp_table_objects(const struct hprof_tables_walk *walk,
				   struct hprof_cursor *cursor,
				   const struct hprof_places *places)
{
	uint64_t count = hprof_heap_count(walk->heap);
	struct hprof_object_rows *w;
	enum hprof_status status =
		hprof_object_rows_new(walk, cursor, places, &w);

	if (status != HPROF_OK)
		return status;
	for (uint64_t i = 0; i < count && status == HPROF_OK; i++) {
		status = i % LOOK == 0 && !hp_tables_say(walk, "objects", i,
							 count)
				 ? HPROF_E_CANCELLED
				 : put_whole(w, i);
	}
	hprof_object_rows_free(w);
	return status;
}
