/* SPDX-License-Identifier: MIT */
/*
 * object_fetch.h - single objects of a dump, fetched by id after the census.
 *
 * There is no index of objects: the census only knows which ids lie in which
 * stretch of the file (struct hp_mark). So ids are collected first, then the
 * stretches that can hold one of them are read, once for all: following
 * references costs a pass a level, not a pass an object.
 */
#ifndef HP_OBJECT_FETCH_H
#define HP_OBJECT_FETCH_H

#include "base/arena.h"
#include "census/summary.h"

enum hp_object_kind {
	HP_OBJECT_WANTED,  /* not looked for yet */
	HP_OBJECT_MISSING, /* not in the dump */
	HP_OBJECT_INSTANCE,
	HP_OBJECT_OBJ_ARRAY,
	HP_OBJECT_PRIM_ARRAY
};

enum {
	/* Of a larger object only the start is kept, ... */
	HP_OBJECT_MAX = 1 << 20,
	/* and of all together no more than this. */
	HP_OBJECTS_MAX = 1 << 29
};

struct hp_object {
	uint64_t id;
	uint64_t class_id; /* instances and object arrays */
	uint64_t size;	   /* bytes of values in the dump */
	size_t kept;	   /* of these, from the start */
	const uint8_t *bytes;
	uint8_t kind; /* enum hp_object_kind */
	uint8_t type; /* of the elements of a primitive array */
};

/* One thread at a time; several at once may look into one summary. */
struct hp_object_fetch {
	const struct hprof_summary_impl *impl;
	unsigned id_size;
	const struct hprof_reader *parent; /* of the stretches' readers */
	struct hprof_reader *copy;	   /* the same if it is ours, or NULL */
	struct hp_u64_map by_id;	   /* id -> struct hp_object */
	struct hp_arena arena;
	struct hp_object **wanted; /* since the last fetch */
	size_t wanted_count, wanted_room;
	size_t wanted_left; /* not found yet */
	bool no_memory;
};

/*
 * HPROF_E_UNSUPPORTED: the dump was a stream of which no copy was kept. Done
 * with hp_object_fetch_done, also after a failure.
 */
enum hprof_status hp_object_fetch_open(struct hp_object_fetch *o,
				       const struct hprof_summary *summary,
				       struct hprof_error *error);
void hp_object_fetch_done(struct hp_object_fetch *o);

/* Notes that object ID is to be fetched; 0 and known ids are fine. */
void hp_object_fetch_want(struct hp_object_fetch *o, uint64_t id);

/* Reads everything that is wanted. */
enum hprof_status hp_object_fetch_fetch(struct hp_object_fetch *o,
					struct hprof_error *error);

/* NULL if ID was not fetched or is not in the dump. */
const struct hp_object *hp_object_fetch_get(const struct hp_object_fetch *o,
					    uint64_t id);

/* The reference at INDEX of a fetched object array; 0 beyond its end. */
uint64_t hp_object_element(const struct hp_object_fetch *o,
			   const struct hp_object *array, size_t index);

#endif
