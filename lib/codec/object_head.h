/* SPDX-License-Identifier: MIT */
/*
 * object_head.h - the fixed fields of an ordinary object's sub-record, by the
 * bytes: for loops over all objects, where hprof_sub_decode would be too slow.
 */
#ifndef HP_OBJECT_HEAD_H
#define HP_OBJECT_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "hprof/record.h"
#include "base/wire.h"

struct hp_object_head {
	uint64_t id, class_id; /* no class id of primitive arrays */
	uint64_t size;	       /* bytes of values */
	uint32_t count;	       /* elements of arrays, bytes of instances */
	uint32_t size_of_head; /* bytes before the values */
	uint8_t tag;	       /* the byte in the file */
	uint8_t type;	       /* of the elements of a primitive array */
};

/* At least this many bytes must be at P. */
#define HP_HEAD_ROOM(id_size) (10 + 2 * (size_t)(id_size))

/* False: no instance, array of objects or ordinary primitive array. */
static inline __attribute__((always_inline)) bool
hp_object_head_read(const uint8_t *p, const unsigned z,
		    struct hp_object_head *ret)
{
	static const uint8_t widths[16] = {
		[4] = 1, [5] = 2, [6] = 4,  [7] = 8,
		[8] = 1, [9] = 2, [10] = 4, [11] = 8
	};

	ret->tag = p[0];
	ret->id = hp_get_id(p + 1, z);
	ret->size_of_head = 9 + 2 * z;
	if (p[0] == 0x21) {
		ret->class_id = hp_get_id(p + 5 + z, z);
		ret->count = hp_get32(p + 5 + 2 * z);
		ret->size = ret->count;
		return true;
	}
	ret->count = hp_get32(p + 5 + z);
	if (p[0] == 0x22) {
		ret->class_id = hp_get_id(p + 9 + z, z);
		ret->size = (uint64_t)ret->count * z;
		return true;
	}
	ret->type = p[9 + z];
	ret->class_id = 0;
	ret->size_of_head = 10 + z;
	unsigned width = ret->type < 16 ? widths[ret->type] : 0;
	ret->size = (uint64_t)ret->count * width;
	return p[0] == 0x23 && width != 0;
}

#endif
