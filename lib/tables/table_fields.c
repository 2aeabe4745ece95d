/* SPDX-License-Identifier: MIT */
/*
 * table_fields.c - numbers the fields to which references and values
 * belong.
 *
 * Classes with many instances come first, so that their fields have small
 * numbers, which take the least room in a database. Instance fields, statics
 * and the references of the constant pool are numbered class by class. An
 * instance also has the fields of its superclasses.
 */
#include <math.h>
#include <string.h>

#include "tables/table_rows.h"
#include "base/error.h"
#include "base/mem.h"

struct numbering {
	const struct hprof_tables_walk *walk;
	struct hprof_cursor *cursor;
	int64_t next;
};

/* ---- rows ---------------------------------------------------------------- */

static bool put_field(const struct numbering *n, int64_t id, size_t row,
		      const char *name, unsigned type, bool is_static)
{
	const char *type_name = hprof_type_name(type);
	const struct hprof_cell cells[] = {
		hprof_cell_number(id),	      hprof_cell_class(row),
		hprof_cell_text(name),	      hprof_cell_text(type_name),
		hprof_cell_number(is_static),
	};

	if (!n->walk->wanted[HPROF_TABLE_FIELD])
		return true;
	return n->walk->row(n->walk->user, HPROF_TABLE_FIELD, cells);
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
				    struct hp_class_places *places)
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
					struct hp_class_places *places)
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
					  struct hp_class_places *places)
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
				      struct hp_class_places *places)
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

enum hprof_status hprof_places_new(const struct hprof_tables_walk *walk,
				   struct hprof_cursor *cursor,
				   struct hprof_places **ret_places)
{
	struct hprof_places *places;
	size_t count;
	struct numbering n = { .walk = walk,
			       .cursor = cursor,
			       .next = PLACE_FIRST };
	enum hprof_status status = HPROF_OK;

	HP_NEED(NULL, walk);
	HP_NEED(NULL, cursor);
	HP_NEED(NULL, ret_places);
	count = hprof_heap_summary(walk->heap)->class_count;
	places = hp_calloc(1,
			   sizeof(*places) + count * sizeof(*places->classes));
	if (!places)
		return HPROF_E_NOMEM;
	places->count = count;
	if (!put_heads(&n))
		status = HPROF_END;
	for (size_t i = 0; i < count && status == HPROF_OK; i++)
		status = number_class(&n, i, &places->classes[i]);
	if (status == HPROF_OK)
		*ret_places = places;
	else
		hp_free(places);
	return status;
}

void hprof_places_free(struct hprof_places *places)
{
	hp_free(places);
}

/* ---- values -------------------------------------------------------------- */

struct hprof_cell hprof_cell_value(unsigned type, uint64_t bits)
{
	struct hprof_cell cell = { .kind = HPROF_CELL_NUMBER };
	uint32_t low = (uint32_t)bits;
	float single;

	switch (type) {
	case HPROF_TYPE_FLOAT:
		cell.kind = HPROF_CELL_REAL;
		memcpy(&single, &low, sizeof(single));
		cell.real = (double)single;
		break;
	case HPROF_TYPE_DOUBLE:
		cell.kind = HPROF_CELL_REAL;
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
