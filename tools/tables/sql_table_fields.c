/* SPDX-License-Identifier: MIT */
/*
 * sql_table_fields.c - numbers the fields to which references and values
 * belong.
 *
 * Classes with many instances come first, so that their fields have small
 * numbers, which take the least room in a database. Instance fields, statics
 * and the references of the constant pool are numbered class by class. An
 * instance also has the fields of its superclasses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tables/sql_table_rows.h"

struct numbering {
	const struct sql_tables_walk *walk;
	struct hprof_cursor *cursor;
	int64_t next;
};

/* ---- rows ---------------------------------------------------------------- */

static bool put_field(const struct numbering *n, int64_t id, size_t row,
		      const char *name, unsigned type, bool is_static)
{
	const char *type_name = hprof_type_name(type);
	const struct sql_cell cells[] = {
		cell_number(id),      cell_class(row),	      cell_text(name),
		cell_text(type_name), cell_number(is_static),
	};

	if (!n->walk->wanted[SQL_TABLE_FIELD])
		return true;
	return n->walk->row(n->walk->user, SQL_TABLE_FIELD, cells);
}

/* The fields that every class object has. */
static bool put_heads(const struct numbering *n)
{
	return put_field(n, PLACE_SUPER, SIZE_MAX, "<super>", HPROF_TYPE_OBJECT,
			 true) &&
	       put_field(n, PLACE_LOADER, SIZE_MAX, "<loader>",
			 HPROF_TYPE_OBJECT, true) &&
	       put_field(n, PLACE_SIGNERS, SIZE_MAX, "<signers>",
			 HPROF_TYPE_OBJECT, true) &&
	       put_field(n, PLACE_DOMAIN, SIZE_MAX, "<domain>",
			 HPROF_TYPE_OBJECT, true);
}

/* ---- numbers ------------------------------------------------------------- */

static enum hprof_status number_own(struct numbering *n, size_t row,
				    struct class_places *places)
{
	const struct hprof_field *fields;
	size_t count = hprof_heap_own_fields(n->walk->heap, row, &fields);

	places->own = n->next;
	for (size_t i = 0; i < count; i++)
		if (!put_field(n, n->next--, row, fields[i].name,
			       fields[i].type, false))
			return HPROF_END;
	return HPROF_OK;
}

static enum hprof_status number_statics(struct numbering *n, size_t row,
					struct class_places *places)
{
	struct hprof_field field;
	enum hprof_status status = HPROF_OK;

	places->statics = n->next;
	for (size_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_field(n->cursor, i, &field);
		if (status == HPROF_OK &&
		    !put_field(n, n->next--, row, field.name, field.type, true))
			return HPROF_END;
	}
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status number_constants(struct numbering *n, size_t row,
					  struct class_places *places)
{
	struct hprof_edge edge;
	enum hprof_status status = HPROF_OK;

	places->constants = n->next;
	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(n->cursor, i, &edge);
		if (status == HPROF_OK && edge.kind == HPROF_EDGE_CONSTANT &&
		    !put_field(n, n->next--, row, "<constant>",
			       HPROF_TYPE_OBJECT, true))
			return HPROF_END;
	}
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status number_class(struct numbering *n, size_t row,
				      struct class_places *places)
{
	const struct hprof_summary *s = hprof_heap_summary(n->walk->heap);
	uint64_t id = s->class_rows[row].class_id;
	uint64_t object =
		id ? hprof_heap_find(n->walk->heap, id) : HPROF_NO_OBJECT;
	struct hprof_object found;
	enum hprof_status status = number_own(n, row, places);

	if (status != HPROF_OK || object == HPROF_NO_OBJECT)
		return status;
	status = hprof_cursor_seek(n->cursor, object, &found);
	if (status != HPROF_OK || found.kind != HPROF_OBJECT_CLASS)
		return status;
	status = number_statics(n, row, places);
	if (status == HPROF_OK)
		status = number_constants(n, row, places);
	return status;
}

enum hprof_status places_make(const struct sql_tables_walk *walk,
			      struct hprof_cursor *cursor,
			      struct places *ret_places)
{
	size_t count = hprof_heap_summary(walk->heap)->class_count;
	struct numbering n = { .walk = walk,
			       .cursor = cursor,
			       .next = PLACE_FIRST };
	enum hprof_status status = HPROF_OK;

	ret_places->count = count;
	ret_places->classes = calloc(count + 1, sizeof(*ret_places->classes));
	if (!ret_places->classes)
		return HPROF_E_NOMEM;
	if (!put_heads(&n))
		status = HPROF_END;
	for (size_t i = 0; i < count && status == HPROF_OK; i++)
		status = number_class(&n, i, &ret_places->classes[i]);
	return status;
}

void places_done(struct places *places)
{
	free(places->classes);
}

/* ---- values -------------------------------------------------------------- */

struct sql_cell cell_value(unsigned type, uint64_t bits)
{
	struct sql_cell cell = { .kind = CELL_NUMBER };
	uint32_t low = (uint32_t)bits;
	float single;

	switch (type) {
	case HPROF_TYPE_FLOAT:
		cell.kind = CELL_REAL;
		memcpy(&single, &low, sizeof(single));
		cell.real = (double)single;
		break;
	case HPROF_TYPE_DOUBLE:
		cell.kind = CELL_REAL;
		memcpy(&cell.real, &bits, sizeof(cell.real));
		break;
	case HPROF_TYPE_BYTE:
		cell.number = (int8_t)bits;
		break;
	case HPROF_TYPE_SHORT:
		cell.number = (int16_t)bits;
		break;
	case HPROF_TYPE_INT:
		cell.number = (int32_t)bits;
		break;
	default:
		cell.number = (int64_t)bits;
	}
	return cell;
}
