/* SPDX-License-Identifier: MIT */
/*
 * object_notes.h - what else is noted of objects while their references are read
 * (edge_scan.c, edge_long.c), so that the file need not be read once more for it.
 *
 * Which objects are reachable is not known yet: all of them are noted. In each
 * thread they come in ascending order, but for jumps.
 */
#ifndef HP_OBJECT_NOTES_H
#define HP_OBJECT_NOTES_H

#include "base/mapped_table.h"
#include "hprof/graph.h"

enum {
	HP_FIELD_LAST = 254, /* as a field: this one, or one after it */
	HP_FIELD_CLASS = 255 /* it is no field, but the class */
};

/* Somebody's notes, of which this is the beginning. */
struct hprof_notes {
	const struct hp_note_ops *ops;
	const struct hprof_heap *heap;
	/*
	 * u8 for each row of hp_edges.target: of instances the number of the field
	 * among those that hold, at most HP_FIELD_LAST; or HP_FIELD_CLASS.
	 */
	struct hp_mapped_table field;
};

/* How much there will be to note. */
struct hp_notes_plan {
	unsigned threads;
	uint64_t rows; /* of hp_edges.target, of which EXPECTED may be used */
	uint64_t expected;
	struct hp_spare_lender *lender; /* of memory; or NULL */
};

struct hp_build;
struct hp_edges;

struct hp_note_ops {
	/* Called before anything is noted. Makes the table of fields. */
	enum hprof_status (*begin)(struct hprof_notes *notes,
				   const struct hp_notes_plan *plan,
				   struct hprof_error *error);
	/* What the functions below are called with in thread NUMBER. */
	void *(*thread)(struct hprof_notes *notes, unsigned number);
	/*
	 * Are instances of the class at ROW noted? *RET_BYTE is UINT32_MAX before; if it
	 * becomes the offset of a byte, those where that is 0 may be left out.
	 */
	bool (*wants)(const struct hprof_notes *notes, size_t row,
		      uint32_t *ret_byte);
	/* What follows is not what comes after the last object. */
	void (*jump)(void *thread);
	/* DATA is NULL if it is too long to be in memory. */
	void (*instance)(void *thread, uint32_t object, size_t row,
			 const uint8_t *data, uint64_t size);
	/* An array of LENGTH references; PRESENT are not null. */
	void (*references)(void *thread, uint32_t object, uint32_t length,
			   uint64_t present);
	/* A primitive array. */
	void (*prims)(void *thread, uint32_t object, unsigned type,
		      const uint8_t *bytes, size_t size);
	/* One that is not in memory as a whole; pieces are multiples of 8 bytes but
	   for the last. */
	void (*prims_begin)(void *thread, uint32_t object, unsigned type);
	void (*prims_add)(void *thread, const uint8_t *bytes, size_t size);
	void (*prims_end)(void *thread);
	/* Called when all is noted, of USED rows; tells why some could not be. */
	enum hprof_status (*end)(struct hprof_notes *notes, uint64_t used,
				 struct hprof_error *error);
	/*
	 * Called after END, with all references, some of which will be lost, and with what
	 * they HOLD (enum hprof_hold). Frees the table of fields.
	 */
	enum hprof_status (*follow)(struct hprof_notes *notes,
				    const struct hp_build *build,
				    const struct hp_edges *edges,
				    unsigned hold);
	/*
	 * Called after FOLLOW, if at all: the graph goes on in one thread, and what
	 * there is to do can be done in another.
	 */
	void (*beside)(struct hprof_notes *notes);
	/*
	 * The same, when it is known of GRAPH what is reachable. Of its retained sizes
	 * there is nothing but that, and of its dominators only those of objects with one
	 * referrer, until it is built.
	 */
	void (*reached)(struct hprof_notes *notes,
			const struct hprof_graph *graph);
	void (*free)(struct hprof_notes *notes);
};

#endif
