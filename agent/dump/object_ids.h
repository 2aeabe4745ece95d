/* SPDX-License-Identifier: MIT */
/*
 * object_ids.h - identifiers that carry the sizes of objects, and the JVMTI
 * tags that hold them.
 *
 * In HotSpot's dumps identifiers are addresses, and readers derive the size of
 * an object, which no record has, from the distance to the next one. JVMTI
 * reports sizes, but no addresses. So each object gets a place, as if all
 * objects lay side by side in a heap of their own, in the order in which the
 * walk meets them.
 *
 * JVMTI reports the length of an array only along with a reference to it, so
 * the tag must hold the length, too. The lower half of the 64 bits is the
 * place, in units. The upper half is 0, or the length of an array plus 1, or
 * AG_TAG_CLASS and the serial of a class in the table.
 */
#ifndef AG_OBJECT_IDS_H
#define AG_OBJECT_IDS_H

#include <assert.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/profile/marks.h"

/* The tag of an object that was found in the heap but not reached yet. */
#define AG_TAG_LEFT ((jlong)1 << 32)

/*
 * Both bits are set for classes only: an array's length plus 1 is 2^31 at most.
 */
#define AG_TAG_CLASS ((uint64_t)1 << 63 | (uint64_t)1 << 62)

struct ag_ids {
	struct ag_marks *marks; /* NULL: objects have no marks */
	uint64_t next;		/* the next free place */
	unsigned unit;		/* bytes */
	uint64_t unsized;	/* objects that were given a single unit */
};

/*
 * Sets all but the marks. For identifiers of ID_SIZE bytes, and sizes that are multiples of ALIGNMENT,
 * a power of two. A unit is one byte for 4-byte identifiers; for 8-byte ones it
 * is the alignment, so that 32 bits reach further.
 */
void ag_ids_init(struct ag_ids *ids, unsigned id_size, unsigned alignment);

/* The alignment of objects in a JVM; BITS is the bitwise OR of their sizes. */
unsigned ag_ids_alignment(uint64_t bits);

/*
 * Returns the place of one more object, of SIZE bytes, whose tag is TAG so far; 0
 * if none is left. In
 * the last quarter of the 32-bit range each object gets a single unit and is
 * counted as unsized, so that there is room for a billion more of them.
 */
uint32_t ag_ids_take(struct ag_ids *ids, jlong size, uint64_t tag);

/* Has the dump not given this tag? */
static inline bool ag_tag_is_fresh(uint64_t tag)
{
	return tag == 0 || tag == (uint64_t)AG_TAG_LEFT || ag_is_mark(tag);
}

static inline uint64_t ag_id_of_place(const struct ag_ids *ids, uint32_t place)
{
	return (uint64_t)place * ids->unit;
}

/* The identifier in a tag. */
static inline uint64_t ag_id_of_tag(const struct ag_ids *ids, uint64_t tag)
{
	return ag_id_of_place(ids, (uint32_t)tag);
}

/* LENGTH is -1 for an object that is not an array. */
static inline uint64_t ag_object_tag(uint32_t place, jint length)
{
	assert(length >= -1);
	return place | ((uint64_t)((int64_t)length + 1) << 32);
}

static inline uint64_t ag_class_tag(uint32_t place, uint32_t serial)
{
	assert(serial < (uint32_t)1 << 30);
	return AG_TAG_CLASS | (uint64_t)serial << 32 | place;
}

/* The serial of a class in the table; 0 for any other tag. */
static inline uint32_t ag_serial_of_tag(uint64_t tag)
{
	return (tag & AG_TAG_CLASS) == AG_TAG_CLASS
		       ? (uint32_t)((tag & ~AG_TAG_CLASS) >> 32)
		       : 0;
}

#endif
