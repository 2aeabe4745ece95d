/* SPDX-License-Identifier: MIT */
/* cursor.h - the internals of struct hprof_cursor. */
#ifndef HP_CURSOR_H
#define HP_CURSOR_H

#include "heap/heap.h"

/* A sub-record that is an object, and its place. */
struct hp_spot {
	struct hprof_object object;
	const struct hp_heap_class *of; /* its class; of a class object itself.
					   NULL: not known */
	uint64_t class_id; /* of an instance or array, as dumped; or 0 */
	uint64_t values;   /* file offset of the values; not for classes */
	unsigned width;	   /* bytes of an element of an array */
	uint64_t position; /* in the order of the file; not for classes */
	uint64_t end;	   /* end of the sub-record */
	size_t extent;	   /* the one that it is in */
};

/* A position in the fields of an instance, one class at a time. */
struct hp_level {
	const struct hp_heap_class *of; /* NULL: after the last class */
	uint64_t base;			/* its offset in the data */
	uint64_t first;			/* number of its first field */
};

/* What a cursor needs in order to continue where it was. */
struct hp_cursor_position {
	struct hp_spot spot;
	struct hp_level level; /* where the last field was found */
	/* The number of the last edge, and its source. */
	uint64_t edge, edge_at;
};

/* So many places of a file are kept: paths lead to and fro between some. */
enum { HP_CURSOR_BLOCKS = 16 };

struct hprof_cursor {
	const struct hprof_heap *heap;
	struct hprof_error error;
	/* Bytes of the file: those read last, and others of before. */
	struct hp_cursor_block {
		uint8_t *bytes;
		size_t room, have;
		uint64_t at;
	} blocks[HP_CURSOR_BLOCKS];
	unsigned block; /* the last one that was used */

	size_t classes_before; /* class objects below one that was looked for */
	bool on;	       /* the cursor is on an object */
	struct hp_cursor_position here;
	/* Positions for hprof_cursor_back, the next one last. */
	struct hp_cursor_position *stack;
	size_t depth, stack_room;

	char *text;
	size_t text_room;
};

/* Where the fields of the instance at SPOT begin. */
static inline struct hp_level hp_cursor_first_level(const struct hp_spot *spot)
{
	bool known = spot->of && spot->of->own &&
		     spot->object.kind == HPROF_OBJECT_INSTANCE;

	return (struct hp_level){ .of = known ? spot->of : NULL };
}

/*
 * The N bytes at OFFSET, valid until the next call. NULL if they are missing or
 * cannot be read; the cursor's error says why.
 */
const uint8_t *hp_cursor_bytes(struct hprof_cursor *c, uint64_t offset,
			       size_t n);

/* The maximal N of hp_cursor_bytes. */
enum { HP_CURSOR_MOST = 4 << 20 };

/* Finds object INDEX without moving the cursor. *RET is set in any case. */
enum hprof_status hp_cursor_find(struct hprof_cursor *c, uint64_t index,
				 struct hp_spot *ret);

/*
 * Finds field number I of the instance at SPOT. LEVEL is where to begin, and is
 * set to where it was found. HPROF_END as with hprof_cursor_field.
 */
enum hprof_status hp_cursor_field(struct hprof_cursor *c,
				  const struct hp_spot *spot,
				  struct hp_level *level, uint64_t i,
				  struct hprof_field *ret);

/*
 * The characters of the string or char[] at SPOT, as hprof_cursor_text gives
 * them; the cursor need not be on it.
 */
enum hprof_status hp_cursor_text(struct hprof_cursor *c,
				 const struct hp_spot *spot, size_t most,
				 const char **ret_text, uint64_t *ret_length);

/* The elements of the array at SPOT. */
enum hprof_status hp_cursor_elements(struct hprof_cursor *c,
				     const struct hp_spot *spot, uint64_t first,
				     size_t count, uint64_t *ret_values,
				     size_t *ret_count);

#endif
