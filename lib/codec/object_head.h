/* SPDX-License-Identifier: MIT */
/*
 * object_head.h - the fixed fields of ordinary objects (instances, arrays of
 * objects, primitive arrays with their values), for loops over all objects:
 * hprof_sub_decode would be too slow there.
 *
 * The bytes are read by the decoders that records.def generates; with a
 * constant id size they fold to a few loads. Members that a caller does not use
 * cost nothing, as long as its struct hp_object_head is a local variable whose
 * address does not escape.
 */
#ifndef HP_OBJECT_HEAD_H
#define HP_OBJECT_HEAD_H

#include "codec/decode.h"

struct hp_object_head {
	uint64_t id, class_id; /* primitive arrays: no class id */
	uint64_t size;	       /* bytes of values */
	uint32_t count;	       /* elements of arrays, bytes of instances */
	uint32_t trace_serial;
	uint32_t size_of_head; /* bytes before the values, with the tag */
	uint16_t tag;	       /* HPROF_INSTANCE_DUMP, ... */
	uint8_t type;	       /* of the elements of a primitive array */
};

/* Bytes before the values of an object of tag S, tag byte included. */
#define HP_HEAD_SIZE(S, z) (1 + hp_ids_##S * (z) + hp_fix_##S)

/*
 * Instances have the longest heads, primitive arrays the shortest, since an id
 * has at least one byte.
 */
#define HP_HEAD_LONGEST(z) ((size_t)HP_HEAD_SIZE(INSTANCE_DUMP, z))
#define HP_HEAD_SHORTEST(z) ((size_t)HP_HEAD_SIZE(PRIM_ARRAY_DUMP, z))
_Static_assert(hp_ids_INSTANCE_DUMP == hp_ids_OBJ_ARRAY_DUMP &&
		       hp_fix_INSTANCE_DUMP == hp_fix_OBJ_ARRAY_DUMP &&
		       HP_HEAD_SIZE(PRIM_ARRAY_DUMP, 1) <=
			       HP_HEAD_SIZE(INSTANCE_DUMP, 1),
	       "an instance has the longest head");

/* Bytes of one element of a primitive array; 0: not a primitive type. */
static inline unsigned hp_primitive_size(unsigned type)
{
	static const uint8_t sizes[16] = {
		[HPROF_TYPE_BOOLEAN] = 1, [HPROF_TYPE_CHAR] = 2,
		[HPROF_TYPE_FLOAT] = 4,	  [HPROF_TYPE_DOUBLE] = 8,
		[HPROF_TYPE_BYTE] = 1,	  [HPROF_TYPE_SHORT] = 2,
		[HPROF_TYPE_INT] = 4,	  [HPROF_TYPE_LONG] = 8,
	};

	return type < 16 ? sizes[type] : 0;
}

/*
 * Decode the head of the sub-record at P, one function for each tag. True if
 * the sub-record is an ordinary object of at most ROOM bytes. The caller knows
 * the tag, and that HP_HEAD_LONGEST bytes are at P; the values need not be
 * there.
 */
static inline __attribute__((always_inline)) bool
hp_instance_head_read(const uint8_t *p, uint64_t room, const unsigned z,
		      struct hp_object_head *ret)
{
	struct hprof_instance_dump dump;

	hp_fields_INSTANCE_DUMP(p + 1, z, &dump);
	*ret = (struct hp_object_head){
		.tag = HPROF_INSTANCE_DUMP,
		.id = dump.object_id,
		.trace_serial = dump.trace_serial,
		.class_id = dump.class_id,
		.count = dump.data_size,
		.size = dump.data_size,
		.size_of_head = HP_HEAD_SIZE(INSTANCE_DUMP, z),
	};
	return ret->size_of_head + ret->size <= room;
}

static inline __attribute__((always_inline)) bool
hp_obj_array_head_read(const uint8_t *p, uint64_t room, const unsigned z,
		       struct hp_object_head *ret)
{
	struct hprof_obj_array_dump dump;

	hp_fields_OBJ_ARRAY_DUMP(p + 1, z, &dump);
	*ret = (struct hp_object_head){
		.tag = HPROF_OBJ_ARRAY_DUMP,
		.id = dump.object_id,
		.trace_serial = dump.trace_serial,
		.class_id = dump.class_id,
		.count = dump.count,
		.size = (uint64_t)dump.count * z,
		.size_of_head = HP_HEAD_SIZE(OBJ_ARRAY_DUMP, z),
	};
	return ret->size_of_head + ret->size <= room;
}

static inline __attribute__((always_inline)) bool
hp_prim_array_head_read(const uint8_t *p, uint64_t room, const unsigned z,
			struct hp_object_head *ret)
{
	struct hprof_prim_array_dump dump;
	unsigned width;

	hp_fields_PRIM_ARRAY_DUMP(p + 1, z, &dump);
	width = hp_primitive_size(dump.type);
	*ret = (struct hp_object_head){
		.tag = HPROF_PRIM_ARRAY_DUMP,
		.id = dump.object_id,
		.trace_serial = dump.trace_serial,
		.count = dump.count,
		.type = dump.type,
		.size = (uint64_t)dump.count * width,
		.size_of_head = HP_HEAD_SIZE(PRIM_ARRAY_DUMP, z),
	};
	return width != 0 && ret->size_of_head + ret->size <= room;
}

/*
 * Decodes the head of any sub-record at P. False also for other tags, and if
 * ROOM is less than HP_HEAD_LONGEST. Loops in which a second test of the tag
 * costs noticeable time use the functions above.
 */
static inline __attribute__((always_inline)) bool
hp_object_head_read(const uint8_t *p, uint64_t room, const unsigned z,
		    struct hp_object_head *ret)
{
	if (room < HP_HEAD_LONGEST(z))
		return false;
	switch (HPROF_SUB + p[0]) {
	case HPROF_INSTANCE_DUMP:
		return hp_instance_head_read(p, room, z, ret);
	case HPROF_OBJ_ARRAY_DUMP:
		return hp_obj_array_head_read(p, room, z, ret);
	case HPROF_PRIM_ARRAY_DUMP:
		return hp_prim_array_head_read(p, room, z, ret);
	default:
		return false;
	}
}

#endif
