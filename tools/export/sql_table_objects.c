/* SPDX-License-Identifier: MIT */
/*
 * sql_table_objects.c - the rows of all objects: the objects themselves, their
 * references, values, the text of strings, and retained sizes.
 *
 * One walk in the order of the file fills all of these tables. So each object
 * is read once, and each table grows at its end.
 */
#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/export/sql_table_rows.h"

enum {
	LOOK = 16384,
	ELEMENTS = 4096,
	TEXT_MOST = 1 << 28 /* characters; SQLite takes 10^9 bytes */
};

struct walker {
	const struct sql_tables_walk *walk;
	struct hprof_cursor *cursor;
	const struct places *places;
	const bool *wanted;
	bool looks_inside; /* references or values are wanted */
	bool *is_string;   /* by row of classes */
	size_t mirror;	   /* row of java.lang.Class, or SIZE_MAX */
	uint64_t elements[ELEMENTS];
};

static bool put(const struct walker *w, enum sql_table table,
		const struct sql_cell *cells)
{
	return w->walk->row(w->walk->user, table, cells);
}

/* ---- references and values ----------------------------------------------- */

static bool put_reference(const struct walker *w, uint64_t source,
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

static bool put_value(const struct walker *w, uint64_t object, int64_t place,
		      const struct hprof_field *field)
{
	const struct sql_cell cells[] = {
		cell_number((int64_t)object),
		cell_number(place),
		cell_value(field->type, field->value),
	};

	return !w->wanted[SQL_TABLE_VALUE] || put(w, SQL_TABLE_VALUE, cells);
}

static bool put_field(const struct walker *w, uint64_t object, int64_t place,
		      const struct hprof_field *field)
{
	if (field->type != HPROF_TYPE_OBJECT)
		return put_value(w, object, place, field);
	return field->value == 0 ||
	       put_reference(w, object, place, field->value);
}

static enum hprof_status put_fields(struct walker *w,
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

static enum hprof_status put_elements(struct walker *w,
				      const struct hprof_object *object)
{
	size_t count;

	for (uint64_t at = 0;; at += count) {
		enum hprof_status status = hprof_cursor_elements(
			w->cursor, at, ELEMENTS, w->elements, &count);
		if (status < 0 || count == 0)
			return status;
		for (size_t i = 0; i < count; i++)
			if (w->elements[i] &&
			    !put_reference(w, object->index, (int64_t)(at + i),
					   w->elements[i]))
				return HPROF_END;
	}
}

/* References of a class other than its statics, which also have values. */
static enum hprof_status put_class_edges(struct walker *w,
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

static enum hprof_status put_class(struct walker *w,
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

static bool put_object(const struct walker *w,
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

static enum hprof_status put_string(const struct walker *w,
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

static enum hprof_status put_inside(struct walker *w,
				    const struct hprof_object *object)
{
	switch (object->kind) {
	case HPROF_OBJECT_INSTANCE:
		return put_fields(w, object);
	case HPROF_OBJECT_OBJ_ARRAY:
		return put_elements(w, object);
	case HPROF_OBJECT_CLASS:
		return put_class(w, object);
	default:
		return HPROF_OK;
	}
}

static enum hprof_status put_all(struct walker *w, uint64_t index)
{
	struct hprof_object object;
	enum hprof_status status = hprof_cursor_seek(w->cursor, index, &object);

	if (status != HPROF_OK)
		return status;
	if (!put_object(w, &object))
		return HPROF_END;
	if (w->looks_inside)
		status = put_inside(w, &object);
	if (status == HPROF_OK && w->wanted[SQL_TABLE_STRING] &&
	    object.kind == HPROF_OBJECT_INSTANCE &&
	    object.class_row < w->places->count &&
	    w->is_string[object.class_row])
		status = put_string(w, &object);
	return status;
}

static bool *find_strings(const struct hprof_heap *heap)
{
	size_t count = hprof_heap_summary(heap)->class_count;
	bool *is_string = cli_calloc(count + 1, sizeof(*is_string));

	for (size_t row = 0; row < count; row++) {
		row = hprof_heap_class_named(heap, "java.lang.String", row);
		if (row < count)
			is_string[row] = true;
		else
			break;
	}
	return is_string;
}

static bool wants_objects(const bool *wanted)
{
	return wanted[SQL_TABLE_OBJECT] || wanted[SQL_TABLE_REFERENCE] ||
	       wanted[SQL_TABLE_DANGLING] || wanted[SQL_TABLE_VALUE] ||
	       wanted[SQL_TABLE_STRING];
}

enum hprof_status sql_table_objects(const struct sql_tables_walk *walk,
				    struct hprof_cursor *cursor,
				    const struct places *places)
{
	uint64_t count = hprof_heap_count(walk->heap);
	struct walker *w;
	enum hprof_status status = HPROF_OK;

	if (!wants_objects(walk->wanted))
		return HPROF_OK;
	w = cli_calloc(1, sizeof(*w));
	w->walk = walk;
	w->cursor = cursor;
	w->places = places;
	w->wanted = walk->wanted;
	w->looks_inside = walk->wanted[SQL_TABLE_REFERENCE] ||
			  walk->wanted[SQL_TABLE_DANGLING] ||
			  walk->wanted[SQL_TABLE_VALUE];
	w->is_string = find_strings(walk->heap);
	w->mirror = hprof_heap_class_named(walk->heap, "java.lang.Class", 0);
	for (uint64_t i = 0; i < count && status == HPROF_OK; i++) {
		if (i % LOOK == 0)
			walk->progress(walk->progress_user, "objects", i,
				       count);
		status = put_all(w, i);
	}
	free(w->is_string);
	free(w);
	return status;
}

/* ---- retained sizes ------------------------------------------------------ */

/*
 * The depth of each object in the dominator tree; 1 for objects that only the
 * virtual root dominates. For each object, parents are followed up to the first
 * one whose depth is known.
 */
static uint32_t *find_depths(const struct sql_tables_walk *walk, uint64_t count)
{
	uint32_t *depths = cli_calloc((size_t)count + 1, sizeof(*depths));

	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = i;
		uint32_t steps = 0;

		if (!hprof_graph_is_reachable(walk->graph, i))
			continue;
		while (at != HPROF_NO_OBJECT && depths[at] == 0) {
			at = hprof_graph_dominator(walk->graph, at);
			steps++;
		}
		if (at != HPROF_NO_OBJECT)
			steps += depths[at];
		for (at = i; at != HPROF_NO_OBJECT && depths[at] == 0;
		     at = hprof_graph_dominator(walk->graph, at))
			depths[at] = steps--;
	}
	return depths;
}

static bool retained_row(const struct sql_tables_walk *walk, uint64_t i,
			 uint32_t depth)
{
	const struct sql_cell cells[] = {
		cell_number((int64_t)i),
		cell_object(hprof_graph_dominator(walk->graph, i)),
		cell_number(depth),
		cell_number((int64_t)hprof_graph_retained(walk->graph, i)),
	};

	return walk->row(walk->user, SQL_TABLE_RETAINED, cells);
}

enum hprof_status sql_table_retained(const struct sql_tables_walk *walk)
{
	uint64_t count = hprof_heap_count(walk->heap);
	enum hprof_status status = HPROF_OK;
	uint32_t *depths;

	if (!walk->graph || !walk->wanted[SQL_TABLE_RETAINED])
		return HPROF_OK;
	depths = find_depths(walk, count);
	for (uint64_t i = 0; i < count && status == HPROF_OK; i++) {
		if (i % LOOK == 0)
			walk->progress(walk->progress_user, "retained sizes", i,
				       count);
		if (depths[i] && !retained_row(walk, i, depths[i]))
			status = HPROF_END;
	}
	free(depths);
	return status;
}

/* ---- strengths ----------------------------------------------------------- */

/* Of the objects that are not in the table of retained sizes. */
enum hprof_status sql_table_strength(const struct sql_tables_walk *walk)
{
	uint64_t count = hprof_heap_count(walk->heap);

	if (!walk->graph || !walk->wanted[SQL_TABLE_STRENGTH])
		return HPROF_OK;
	for (uint64_t i = 0; i < count; i++) {
		enum hprof_strength strength =
			hprof_graph_strength(walk->graph, i);
		const struct sql_cell cells[] = {
			cell_number((int64_t)i),
			cell_text(describe_strength_word(strength)),
		};

		if (i % LOOK == 0)
			walk->progress(walk->progress_user, "strengths", i,
				       count);
		if (strength != HPROF_STRENGTH_STRONG &&
		    !walk->row(walk->user, SQL_TABLE_STRENGTH, cells))
			return HPROF_END;
	}
	return HPROF_OK;
}
