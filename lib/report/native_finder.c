/* SPDX-License-Identifier: MIT */
/*
 * native_finder.c - see native_finder.h.
 */
#include "report/native_finder.h"

#include "base/error.h"

enum hprof_status hp_native_get(struct hp_native_finder *f, const char *name,
				const char *other, uint64_t *ret_value)
{
	struct hprof_field field;
	enum hprof_status status =
		hprof_cursor_field_named(f->cursor, NULL, name, &field);

	if (status == HPROF_END && other)
		status = hprof_cursor_field_named(f->cursor, NULL, other,
						  &field);
	if (status == HPROF_OK)
		*ret_value =
			(uint64_t)hprof_value_int64(field.type, field.value);
	return status;
}

enum hprof_status hp_native_get_or_0(struct hp_native_finder *f,
				     const char *name, const char *other,
				     uint64_t *ret_value)
{
	enum hprof_status status = hp_native_get(f, name, other, ret_value);

	if (status == HPROF_END)
		*ret_value = 0;
	return status == HPROF_END ? HPROF_OK : status;
}

enum hprof_status hp_native_seek(struct hp_native_finder *f, uint64_t object)
{
	struct hprof_object unused;

	return hprof_cursor_seek(f->cursor, object, &unused);
}

enum hprof_status hp_native_follow(struct hp_native_finder *f, const char *name,
				   const char *other, struct hprof_object *ret)
{
	uint64_t id;

	HP_TRY(hp_native_get_or_0(f, name, other, &id));
	return hprof_cursor_follow(f->cursor, id, ret);
}
