/* SPDX-License-Identifier: MIT */
/*
 * plain_value.h - objects that stand for a value: boxes, numbers of any length,
 * dates, enum constants and the like.
 *
 * Classes are known by their names and fields. Strings are not among them:
 * hprof_cursor_text has their text.
 */
#ifndef TOOLS_PLAIN_VALUE_H
#define TOOLS_PLAIN_VALUE_H

#include <stdbool.h>

#include <hprof.h>

struct plain_value {
	/*
	 * HPROF_TYPE_INT ...: the number BITS. HPROF_TYPE_OBJECT: what BITS
	 * refers to, in the container that TEXT names. 0: TEXT alone.
	 */
	unsigned type;
	uint64_t bits;
	char *text; /* as toString() has it, not escaped; or NULL. Free it */
};

/*
 * False: instances of the class of OBJECT stand for no value that is known
 * here, or the dump lacks it. Moves the cursor.
 */
bool plain_value_take(struct hprof_cursor *cursor,
		      const struct hprof_heap *heap, uint64_t object,
		      struct plain_value *ret);

#endif
