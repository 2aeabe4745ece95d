/* SPDX-License-Identifier: MIT */
/*
 * object_fetch.h - fetches single objects of a dump by id, after the census.
 *
 * There is no index of objects; the census only records the range of ids in
 * each stretch of the file (struct hp_mark). So callers first request ids,
 * and then one fetch reads each stretch that may hold one of them. Following
 * references costs one pass per level, not one per object: the Thread objects,
 * then their names, then the arrays of characters.
 */
#ifndef HP_OBJECT_FETCH_H
#define HP_OBJECT_FETCH_H

#include "base/arena.h"
#include "layout/summary.h"

enum hp_object_kind {
	HP_OBJECT_WANTED,  /* requested, not searched for yet */
	HP_OBJECT_MISSING, /* not in the dump */
	HP_OBJECT_INSTANCE,
	HP_OBJECT_OBJ_ARRAY,
	HP_OBJECT_PRIM_ARRAY
};

enum {
	/* Only this many bytes of values are kept of one object ... */
	HP_OBJECT_MAX = 1 << 20,
	/* ... and about this many of all objects together. */
	HP_OBJECTS_MAX = 1 << 29
};

struct hp_object {
	uint64_t id;
	uint64_t class_id; /* instances and object arrays */
	uint64_t size;	   /* bytes of values in the dump */
	size_t kept;	   /* how many of them BYTES has, from the start */
	const uint8_t *bytes;
	uint8_t kind; /* enum hp_object_kind */
	uint8_t type; /* of the elements of a primitive array */
};

/*
 * To be used by one thread at a time. Several threads may each have their own
 * for the same summary.
 */
struct hp_object_fetch {
	const struct hprof_summary_impl *impl;
	unsigned id_size;
	const struct hprof_reader *parent; /* the stretches' readers share it */
	struct hprof_reader *copy;	   /* parent if owned, otherwise NULL */
	struct hp_u64_map by_id;	   /* id -> struct hp_object */
	struct hp_arena arena;
	struct hp_object **wanted; /* requested since the last fetch */
	size_t wanted_count, wanted_room;
	size_t wanted_left; /* how many of them are not found yet */
	bool no_memory;
};

/*
 * HPROF_E_UNSUPPORTED if the dump was a stream of which no copy was kept. Call
 * hp_object_fetch_done also after a failure.
 */
enum hprof_status hp_object_fetch_open(struct hp_object_fetch *o,
				       const struct hprof_summary *summary,
				       struct hprof_error *error);
void hp_object_fetch_done(struct hp_object_fetch *o);

/*
 * Requests object ID for the next fetch. Id 0 and ids that were requested
 * before are ignored. Lack of memory is reported by hp_object_fetch_fetch.
 */
void hp_object_fetch_want(struct hp_object_fetch *o, uint64_t id);

/* How many bytes of the dump the next fetch may read, at most. */
uint64_t hp_object_fetch_cost(struct hp_object_fetch *o);

/* Reads all objects requested since the last fetch. */
enum hprof_status hp_object_fetch_fetch(struct hp_object_fetch *o,
					struct hprof_error *error);

/*
 * Object ID, owned by O; NULL if it was not fetched or is not in the dump. Ids
 * of class objects have none.
 */
const struct hp_object *hp_object_fetch_get(const struct hp_object_fetch *o,
					    uint64_t id);

/* Element INDEX of a fetched object array; 0 beyond what was kept of it. */
uint64_t hp_object_element(const struct hp_object_fetch *o,
			   const struct hp_object *array, size_t index);

#endif
