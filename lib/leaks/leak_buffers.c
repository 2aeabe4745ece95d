/* SPDX-License-Identifier: MIT */
/*
 * leak_buffers.c - see leak_buffers.h. Who writes a log into a StringBuilder knows that,
 * and not its array, whose length is more than what is in use.
 */
#include "leaks/leak_buffers.h"

#include "hprof/heap.h"

static const struct buffer {
	const char *class_name;
	const char
		*count; /* a field; NULL: it is a text that the cursor knows */
	const char *element;
} buffers[] = {
	{ "java.lang.AbstractStringBuilder", NULL, "char" },
	{ "java.lang.String", NULL, "char" },
	{ "java.io.ByteArrayOutputStream", "count", "byte" },
	{ "java.io.CharArrayWriter", "count", "char" },
};

static const struct buffer *find(const struct hp_look *look,
				 const struct hprof_object_info *info)
{
	if (info->kind != HPROF_OBJECT_INSTANCE)
		return NULL;
	for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
		size_t row = hprof_heap_class_named(look->heap,
						    buffers[i].class_name, 0);

		if (row != SIZE_MAX &&
		    hprof_heap_class_is(look->heap, info->class_row, row))
			return &buffers[i];
	}
	return NULL;
}

bool hp_leak_is_buffer(const struct hp_look *look,
		       const struct hprof_object_info *info)
{
	return find(look, info) != NULL;
}

/* The number in field NAME of BUFFER's class; -1: there is none. */
static int64_t number_in(const struct hp_look *look,
			 const struct buffer *buffer, const char *name)
{
	struct hprof_field field;

	if (hprof_cursor_field_named(look->cursor, buffer->class_name, name,
				     &field) != HPROF_OK ||
	    field.type == HPROF_TYPE_OBJECT)
		return -1;
	return hprof_value_int64(field.type, field.value);
}

enum hprof_status hp_leak_buffer_read(const struct hp_look *look,
				      const struct hprof_object_info *info,
				      const struct hprof_object_info *array,
				      uint64_t *ret_count,
				      const char **ret_element,
				      struct hprof_error *error)
{
	const struct buffer *buffer = find(look, info);
	struct hprof_object object;
	enum hprof_status status;
	const char *text;
	int64_t count;

	if (!buffer)
		return HPROF_OK;
	if (hprof_cursor_seek(look->cursor, info->object, &object) < 0)
		return hp_look_failure(look, error);
	*ret_element = buffer->element;
	*ret_count = array->length;
	if (buffer->count) {
		count = number_in(look, buffer, buffer->count);
		if (count >= 0 && (uint64_t)count <= array->length)
			*ret_count = (uint64_t)count;
		return HPROF_OK;
	}
	status = hprof_cursor_text(look->cursor, 1, &text, ret_count);
	return status < 0 ? hp_look_failure(look, error) : HPROF_OK;
}
