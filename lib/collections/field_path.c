/* SPDX-License-Identifier: MIT */
/* field_path.c - see field_path.h. */
#include "collections/field_path.h"

#include <string.h>

#include "base/error.h"
#include "heap/cursor.h"

/*
 * The fields that are looked through, of a class and those above it: many more than
 * any that hp_recognise knows has, with subclasses. This is done for each object, and
 * a hostile dump may have 65,535 in a class, and any number of classes above it.
 */
enum { FIELDS_MOST = 1024 };

static bool is_declared(const struct hprof_heap *heap,
			const struct hprof_field *field, size_t known)
{
	return known == SIZE_MAX ||
	       hprof_heap_class_is(heap, known, field->class_row);
}

/*
 * Sets *RET to the field of the class at ROW whose name is the SIZE bytes at NAME, and
 * returns its index; SIZE_MAX: there is none.
 */
static size_t find_named(const struct hprof_heap *heap, size_t row,
			 size_t known, const char *name, size_t size,
			 struct hprof_field *ret)
{
	struct hp_field_walk walk =
		hp_field_walk_begin(heap, hp_heap_row(heap, row));

	for (size_t i = 0; i < FIELDS_MOST && hp_field_walk_next(&walk, ret);
	     i++)
		if (strncmp(ret->name, name, size) == 0 &&
		    ret->name[size] == '\0' && is_declared(heap, ret, known))
			return i;
	return SIZE_MAX;
}

/* ALONE: behind a question mark, where there is no other name. */
static size_t first_of(const struct hprof_heap *heap, size_t row, size_t known,
		       const char *path, bool alone,
		       struct hprof_field *ret_field, const char **ret_rest)
{
	for (;;) {
		size_t whole = strcspn(path, "|"), size = strcspn(path, "|.?");
		size_t i = find_named(heap, row, known, path, size, ret_field);

		if (i != SIZE_MAX) {
			*ret_rest = size < whole ? path + size + 1 : NULL;
			return i;
		}
		if (alone || path[whole] == '\0')
			return SIZE_MAX;
		path += whole + 1;
	}
}

size_t hp_field_path_first(const struct hprof_heap *heap, size_t row,
			   size_t known, const char *path,
			   struct hprof_field *ret_field, const char **ret_rest)
{
	return first_of(heap, row, known, path, false, ret_field, ret_rest);
}

static bool is_of_java(const struct hprof_heap *heap, size_t row)
{
	static const char package[] = "java.";
	const struct hprof_summary *summary = heap->summary;

	return row < summary->class_count &&
	       strncmp(summary->class_rows[row].name, package,
		       sizeof package - 1) == 0;
}

enum hprof_status hp_field_path_read(struct hprof_cursor *cursor,
				     uint64_t object, size_t known,
				     const char *path,
				     struct hprof_field *ret_field)
{
	const struct hprof_heap *heap = cursor->heap;
	struct hprof_field field;
	struct hprof_object at;
	const char *rest = path;
	bool optional = false; /* *RET_FIELD is it, unless it leads on */

	while (rest) {
		size_t i = SIZE_MAX;

		HP_TRY(hprof_cursor_seek(cursor, object, &at));
		if (at.kind == HPROF_OBJECT_INSTANCE &&
		    !(optional && is_of_java(heap, at.class_row)))
			i = first_of(heap, at.class_row, known, rest, optional,
				     &field, &rest);
		if (i == SIZE_MAX)
			return optional ? HPROF_OK : HPROF_END;
		optional = rest && rest[-1] == '?';
		enum hprof_status status =
			hprof_cursor_field(cursor, i, ret_field);
		/* A number may have become an object with one: count.value. */
		if (status != HPROF_OK || !rest ||
		    ret_field->type != HPROF_TYPE_OBJECT)
			return status;
		object = hprof_heap_find(heap, ret_field->value);
		if (object == HPROF_NO_OBJECT)
			return optional ? HPROF_OK : HPROF_END;
		known = SIZE_MAX;
	}
	return HPROF_END;
}
