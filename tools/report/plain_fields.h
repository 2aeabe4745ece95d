/* SPDX-License-Identifier: MIT */
/*
 * plain_fields.h - fields of the objects that plain_value.h knows, by name.
 *
 * Each returns false if the object has no such field, or one of another kind.
 * The cursor moves.
 */
#ifndef TOOLS_PLAIN_FIELDS_H
#define TOOLS_PLAIN_FIELDS_H

#include <stdbool.h>

#include <hprof.h>

/* A field that is a number, as java.util.UUID.mostSigBits. */
bool plain_number(struct hprof_cursor *cursor, uint64_t object,
		  const char *name, int64_t *ret_number);

/* The number of the object in a field; false also if it is null. */
bool plain_object(struct hprof_cursor *cursor, uint64_t object,
		  const char *name, const struct hprof_heap *heap,
		  uint64_t *ret_object);

/* The text of the object in a field, not escaped; NULL: none. Free it. */
char *plain_text(struct hprof_cursor *cursor, uint64_t object, const char *name,
		 const struct hprof_heap *heap, size_t most);

#endif
