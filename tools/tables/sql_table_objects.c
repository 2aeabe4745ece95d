/* SPDX-License-Identifier: MIT */
/*
 * sql_table_objects.c - the rows of objects: the objects themselves, their
 * references, values, and the text of strings.
 *
 * One walk in the order of the file fills all of these tables. So each object
 * is read once, and each table grows at its end. Queries ask for the rows of
 * one object instead.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/tables/sql_table_rows.h"

enum {
	LOOK = 16384,
	ELEMENTS = 4096,
	TEXT_MOST = 1 << 28 /* characters; SQLite takes 10^9 bytes */
};

struct object_rows {
	const struct sql_tables_walk *walk;
	struct hprof_cursor *cursor;
	const struct places *places;
	const bool *wanted; /* the walk's */
	bool looks_inside;  /* references or values are wanted */
	bool *is_string;    /* by row of classes */
	size_t mirror;	    /* row of java.lang.Class, or SIZE_MAX */
	uint64_t elements[ELEMENTS];
};

static bool put(const struct object_rows *w, enum sql_table table,
		const struct sql_cell *cells)
{
	return w->walk->row(w->walk->user, table, cells);
}

/* ---- references and values ----------------------------------------------- */

static bool put_reference(const struct object_rows *w, uint64_t source,
			  int64_t place, uint64_t id)
{
	uint64_t target = hprof_heap_find(w->walk->heap, id);
	bool found = target != HPROF_NO_OBJECT;
	enum sql_table table = found ? SQL_TABLE_REFERENCE : SQL_TABLE_DANGLING;
	const struct sql_cell cells[] = {
		cell_number((int64_t)source),
		cell_number(place),
		found ? cell_number((int64_t)target) : cell_address(id),
	};

	return !w->wanted[table] || put(w, table, cells);
}

static bool put_value(const struct object_rows *w, uint64_t object,
		      int64_t place, const struct hprof_field *field)
{
	const struct sql_cell cells[] = {
		cell_number((int64_t)object),
		cell_number(place),
		cell_value(field->type, field->value),
	};

	return !w->wanted[SQL_TABLE_VALUE] || put(w, SQL_TABLE_VALUE, cells);
}

static bool put_field(const struct object_rows *w, uint64_t object,
		      int64_t place, const struct hprof_field *field)
{
	if (field->type != HPROF_TYPE_OBJECT)
		return put_value(w, object, place, field);
	return field->value == 0 ||
	       put_reference(w, object, place, field->value);
}

static enum hprof_status put_fields(struct object_rows *w,
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
static enum hprof_status put_elements(struct object_rows *w,
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
static enum hprof_status put_class_edges(struct object_rows *w,
					 const struct hprof_object *object,
					 const struct class_places *places)
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

static enum hprof_status put_class(struct object_rows *w,
				   const struct hprof_object *object)
{
	const struct class_places *places;
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

static bool put_object(const struct object_rows *w,
		       const struct hprof_object *object)
{
	bool is_array = object->kind == HPROF_OBJECT_OBJ_ARRAY ||
			object->kind == HPROF_OBJECT_PRIM_ARRAY;
	const struct sql_cell cells[] = {
		cell_number((int64_t)object->index),
		cell_address(object->id),
		cell_class(object->kind == HPROF_OBJECT_CLASS
				   ? w->mirror
				   : object->class_row),
		cell_number((int64_t)object->shallow),
		is_array ? cell_number((int64_t)object->length) : cell_null(),
	};

	return !w->wanted[SQL_TABLE_OBJECT] || put(w, SQL_TABLE_OBJECT, cells);
}

static enum hprof_status put_string(const struct object_rows *w,
				    const struct hprof_object *object)
{
	const char *text;
	uint64_t length;
	enum hprof_status status =
		hprof_cursor_text(w->cursor, TEXT_MOST, &text, &length);

	if (status != HPROF_OK)
		return status < 0 ? status : HPROF_OK;
	const struct sql_cell cells[] = {
		cell_number((int64_t)object->index),
		cell_number((int64_t)length),
		cell_text(text),
	};
	return put(w, SQL_TABLE_STRING, cells) ? HPROF_OK : HPROF_END;
}

static enum hprof_status put_inside(struct object_rows *w,
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

static bool is_string(const struct object_rows *w,
		      const struct hprof_object *object)
{
	return object->kind == HPROF_OBJECT_INSTANCE &&
	       object->class_row < w->places->count &&
	       w->is_string[object->class_row];
}

enum hprof_status object_rows_put(struct object_rows *w, uint64_t index,
				  uint64_t *at)
{
	struct hprof_object object;
	enum hprof_status status = hprof_cursor_seek(w->cursor, index, &object);

	if (status != HPROF_OK)
		return status;
	if (*at == 0 && !put_object(w, &object))
		return HPROF_END;
	if (w->looks_inside)
		status = put_inside(w, &object, at);
	if (status == HPROF_OK && w->wanted[SQL_TABLE_STRING] &&
	    is_string(w, &object))
		status = put_string(w, &object);
	return status;
}

/* ---- all of them --------------------------------------------------------- */

static bool *find_strings(const struct hprof_heap *heap)
{
	size_t count = hprof_heap_summary(heap)->class_count;
	bool *strings = calloc(count + 1, sizeof(*strings));

	for (size_t row = 0; strings && row < count; row++) {
		row = hprof_heap_class_named(heap, "java.lang.String", row);
		if (row < count)
			strings[row] = true;
		else
			break;
	}
	return strings;
}

enum hprof_status object_rows_new(const struct sql_tables_walk *walk,
				  struct hprof_cursor *cursor,
				  const struct places *places,
				  struct object_rows **ret_rows)
{
	struct object_rows *w = calloc(1, sizeof(*w));
	bool *strings = w ? find_strings(walk->heap) : NULL;

	if (!strings) {
		free(w);
		return HPROF_E_NOMEM;
	}
	w->walk = walk;
	w->cursor = cursor;
	w->places = places;
	w->wanted = walk->wanted;
	w->looks_inside = walk->wanted[SQL_TABLE_REFERENCE] ||
			  walk->wanted[SQL_TABLE_DANGLING] ||
			  walk->wanted[SQL_TABLE_VALUE];
	w->is_string = strings;
	w->mirror = hprof_heap_class_named(walk->heap, "java.lang.Class", 0);
	*ret_rows = w;
	return HPROF_OK;
}

void object_rows_free(struct object_rows *w)
{
	if (w)
		free(w->is_string);
	free(w);
}

static enum hprof_status put_whole(struct object_rows *w, uint64_t index)
{
	enum hprof_status status;
	uint64_t at = 0;

	do
		status = object_rows_put(w, index, &at);
	while (status == HPROF_OK && at > 0);
	return status;
}

enum hprof_status sql_table_objects(const struct sql_tables_walk *walk,
				    struct hprof_cursor *cursor,
				    const struct places *places)
{
	uint64_t count = hprof_heap_count(walk->heap);
	struct object_rows *w;
	enum hprof_status status = object_rows_new(walk, cursor, places, &w);

	if (status != HPROF_OK)
		return status;
	for (uint64_t i = 0; i < count && status == HPROF_OK; i++) {
		if (i % LOOK == 0)
			walk->progress(walk->progress_user, "objects", i,
				       count);
		status = put_whole(w, i);
	}
	object_rows_free(w);
	return status;
}
