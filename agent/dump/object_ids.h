/* SPDX-License-Identifier: MIT */
/*
 * object_ids.h - identifiers that carry the sizes of objects, and the JVMTI
 * tags that hold them.
 *
 * In a dump by HotSpot identifiers are addresses, and the distance to the next
 * one is how readers learn the size of an object, which no record has. JVMTI
 * tells no addresses, but sizes. So each object gets a place: as if all lay
 * side by side in a heap of their own, in the order in which they are met.
 *
 * A tag has 64 bits, and JVMTI tells the length of an array only where it is
 * referred to, so the length must be in the tag, too: the place, in units, is
 * the lower half; the upper half is 0, or the length of an array plus 1, or
 * CLASS_BIT and the serial of a class that is in the table.
 */
#ifndef AG_OBJECT_IDS_H
#define AG_OBJECT_IDS_H

#include <assert.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* The tag of an object that was found, but not reached so far. */
#define AG_TAG_LEFT ((jlong)1 << 32)

/* No array is that long: a length plus 1 is 2^31 at most. */
#define AG_TAG_CLASS ((uint64_t)1 << 63 | (uint64_t)1 << 62)

struct ag_ids {
	uint64_t next;	  /* the place that is free */
	unsigned unit;	  /* bytes */
	uint64_t unsized; /* objects that were given a single unit */
};

/*
 * For identifiers of ID_SIZE bytes, and sizes that are multiples of ALIGNMENT,
 * a power of two. The units of 4-byte identifiers are bytes, those of 8-byte
 * ones as large as the alignment: 32 bits of them reach further.
 */
void ag_ids_init(struct ag_ids *ids, unsigned id_size, unsigned alignment);

/* The alignment of objects in a JVM with sizes whose bits are in BITS. */
unsigned ag_ids_alignment(uint64_t bits);

/*
 * The place of one more object, of SIZE bytes; 0: there is none left. Beyond
 * three quarters of what 32 bits reach, each object gets a single unit, and
 * is counted, so that there is room for a thousand million more of them.
 */
uint32_t ag_ids_take(struct ag_ids *ids, jlong size);

static inline uint64_t ag_id_of_place(const struct ag_ids *ids, uint32_t place)
{
	return (uint64_t)place * ids->unit;
}

/* The identifier in a tag. */
static inline uint64_t ag_id_of_tag(const struct ag_ids *ids, uint64_t tag)
{
	return ag_id_of_place(ids, (uint32_t)tag);
}

/* LENGTH is -1 for an object that is no array. */
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

/* The serial of a class in the table; 0 if the tag is none of such. */
static inline uint32_t ag_serial_of_tag(uint64_t tag)
{
	return (tag & AG_TAG_CLASS) == AG_TAG_CLASS
		       ? (uint32_t)((tag & ~AG_TAG_CLASS) >> 32)
		       : 0;
}

#endif
