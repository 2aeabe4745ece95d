/* SPDX-License-Identifier: MIT */
/*
 * recognise.c - which line of the table fits a class: that of the class itself
 * or of the nearest superclass, if all the fields of the line exist.
 */
#include "collections/recognise.h"

#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "collections/collection.h"
#include "collections/field_path.h"

enum { SUPERS_MOST = 64, NO_FORM = UINT16_MAX };

/* What a field has to be. */
enum wanted { A_REFERENCE, A_NUMBER };

static bool has_field(const struct hprof_heap *heap, size_t row,
		      const char *path, enum wanted wanted)
{
	struct hprof_field field;
	const char *rest;

	if (!path || !*path)
		return true;
	if (hp_field_path_first(heap, row, row, path, &field, &rest) ==
	    SIZE_MAX)
		return false;
	if (field.type == HPROF_TYPE_OBJECT)
		return wanted == A_REFERENCE || rest;
	return wanted == A_NUMBER &&
	       (field.type == HPROF_TYPE_INT || field.type == HPROF_TYPE_LONG ||
		field.type == HPROF_TYPE_SHORT);
}

/* Each of the names in LIST, which are separated by commas. */
static bool has_fields(const struct hprof_heap *heap, size_t row,
		       const char *list)
{
	char name[256];

	for (size_t size; list && *list; list += size + (list[size] == ',')) {
		size = strcspn(list, ",");
		if (size >= sizeof name)
			return false;
		memcpy(name, list, size);
		name[size] = '\0';
		if (!has_field(heap, row, name, A_REFERENCE))
			return false;
	}
	return true;
}

static bool has_flag(const struct hprof_heap *heap, size_t row,
		     const char *path)
{
	struct hprof_field field;
	const char *rest;

	return !path || (hp_field_path_first(heap, row, row, path, &field,
					     &rest) != SIZE_MAX &&
			 field.type == HPROF_TYPE_BOOLEAN);
}

static bool fits(const struct hprof_heap *heap, size_t row,
		 const struct hp_form *form)
{
	enum wanted column =
		form->walk == HP_WALK_RING ? A_NUMBER : A_REFERENCE;

	if (!has_field(heap, row, form->size, A_NUMBER) ||
	    !has_field(heap, row, form->store, A_REFERENCE) ||
	    !has_field(heap, row, form->first, A_REFERENCE) ||
	    !has_field(heap, row, form->cells, A_REFERENCE) ||
	    !has_flag(heap, row, form->zero))
		return false;
	switch (form->walk) {
	case HP_WALK_BITS:
		return has_field(heap, row, form->key, A_NUMBER) ||
		       has_field(heap, row, form->key, A_REFERENCE);
	case HP_WALK_DISPLAY:
		return has_field(heap, row, form->key, A_NUMBER);
	case HP_WALK_RING:
	case HP_WALK_COLUMNS:
		return has_field(heap, row, form->key, column) &&
		       has_field(heap, row, form->value, column);
	case HP_WALK_FIELDS:
		return has_fields(heap, row, form->key) &&
		       has_fields(heap, row, form->value);
	case HP_WALK_CHAIN:
		/* If it is a node itself, its fields are known, too. */
		return *form->store ||
		       (has_field(heap, row, form->value, A_REFERENCE) &&
			has_field(heap, row, form->next, A_REFERENCE));
	default:
		return true;
	}
}

/* 1 and the number of the form that the class at ROW has by its own name; or NO_FORM. */
static uint16_t form_named(const struct hprof_heap *heap, size_t row)
{
	const char *name = hprof_heap_summary(heap)->class_rows[row].name;
	const struct hp_form *form;

	for (uint16_t k = 0; (form = hp_form_get(k)); k++)
		if (hp_pattern_match(form->class_name, name) &&
		    fits(heap, row, form))
			return (uint16_t)(k + 1);
	return NO_FORM;
}

/* NULL: it has none. */
static const struct hp_form *form_known(const struct hprof_heap *heap,
					size_t row, uint16_t *known)
{
	uint16_t form = known ? known[row] : 0;

	if (!form)
		form = form_named(heap, row);
	if (known)
		known[row] = form;
	return form == NO_FORM ? NULL : hp_form_get(form - 1U);
}

bool hp_recognise_known(const struct hprof_heap *heap, size_t row,
			uint16_t *known, struct hp_recognised *ret)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	for (unsigned i = 0; i < SUPERS_MOST && row < summary->class_count;
	     i++) {
		const struct hp_form *form = form_known(heap, row, known);

		if (form) {
			*ret = (struct hp_recognised){ form, row };
			return true;
		}
		row = hprof_heap_class(heap, summary->class_rows[row].super_id);
	}
	return false;
}

bool hp_recognise(const struct hprof_heap *heap, size_t row,
		  struct hp_recognised *ret)
{
	return hp_recognise_known(heap, row, NULL, ret);
}

bool hp_collection_has_gaps(const struct hprof_heap *heap, size_t row)
{
	struct hp_recognised known;

	return hp_recognise(heap, row, &known) && known.form->no_waste &&
	       known.form->walk == HP_WALK_ARRAY;
}

bool hprof_collection_class(const struct hprof_heap *heap, size_t row,
			    enum hprof_collection_kind *ret_kind)
{
	struct hp_recognised known;

	if (!heap || !hp_recognise(heap, row, &known))
		return false;
	if (ret_kind)
		*ret_kind = (enum hprof_collection_kind)known.form->kind;
	return true;
}
