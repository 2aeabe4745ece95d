/* SPDX-License-Identifier: MIT */
/*
 * native_objects.h - the objects of a heap that own memory outside of it.
 */
#ifndef HP_NATIVE_OBJECTS_H
#define HP_NATIVE_OBJECTS_H

#include "report/object_info.h"

struct hp_native {
	enum hprof_native_kind kind;
	uint64_t object, bytes;
	uint64_t address; /* of segments; else 0 */
};

/* A chunk of a pool of netty; HPROF_NO_OBJECT for what it does not tell. */
struct hp_native_chunk {
	uint64_t memory; /* the buffer */
	uint64_t arena, allocator;
	uint64_t bytes, free;
};

struct hp_natives {
	struct hp_native *items; /* each piece of memory once */
	size_t count, room;
	struct hp_native_chunk *chunks;
	size_t chunk_count, chunk_room;
};

/* In the order of the objects. Free with hp_natives_done in any case. */
enum hprof_status hp_natives_find(struct hp_natives *natives,
				  const struct hp_look *look,
				  struct hprof_error *error);
void hp_natives_done(struct hp_natives *natives);

#endif
