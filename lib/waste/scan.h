/* SPDX-License-Identifier: MIT */
/*
 * scan.h - what the files of the pass over all objects share.
 */
#ifndef HP_WASTE_SCAN_H
#define HP_WASTE_SCAN_H

#include "heap/heap.h"
#include "waste/waste.h"

enum { HP_SCAN_BATCH = 64, HP_SCAN_BUFFER = 512, HP_SCAN_CLASSES = 64 };

/* A reference of an object to ID, or to the array of a collection. */
struct hp_scan_reference {
	uint64_t id;
	const struct hp_id_block *block; /* from hp_heap_prefetch */
	uint64_t referrer; /* see referrers.h; 0: only the number matters */
	uint32_t *number;  /* NULL, or where the number of ID belongs */
};

/* What a thread notes for the lists, which all threads share. */
enum hp_scan_list {
	HP_SCAN_ROWS,
	HP_SCAN_SEEN,
	HP_SCAN_TAILS,
	HP_SCAN_THIN,
	HP_SCAN_HALVES,
	HP_SCAN_SHARERS,
	HP_SCAN_WIDE,
	HP_SCAN_EMPTIES,
	HP_SCAN_CONTENTS,
	HP_SCAN_LISTS
};

/* An array of references, of which pieces are read. */
struct hp_scan_row {
	struct hp_row_array array;
	uint64_t first; /* the id of the first element that is not null */
};

struct hp_scan_class {
	uint64_t id;
	struct hp_waste_class *of; /* NULL: not looked up yet */
	uint64_t *instances;	   /* of the thread */
};

/* One thread of the pass. */
struct hp_waste_scan {
	struct hp_waste *w;
	bool alone; /* there are no other threads */
	uint64_t object_count;
	const uint64_t *reachable; /* bits */
	struct hp_numbering numbering;
	struct hp_scan_class classes[HP_SCAN_CLASSES]; /* that came last */
	uint64_t *instances;			       /* by class */
	struct hp_scan_reference batch[HP_SCAN_BATCH];
	unsigned count;
	void *buffers[HP_SCAN_LISTS];
	size_t buffered[HP_SCAN_LISTS];
	enum hprof_status status;
	struct hprof_error error; /* if a list could not grow */
};

static inline void hp_scan_fail(struct hp_waste_scan *s,
				enum hprof_status status)
{
	if (s->status >= 0)
		s->status = status;
}

/* ---- scan_lists.c -------------------------------------------------------- */

enum hprof_status hp_scan_open(struct hp_waste_scan *s, struct hp_waste *w,
			       bool alone);
void hp_scan_close(struct hp_waste_scan *s);

/* Notes ITEM for a list of such items. Returns where it is until it moves. */
void *hp_scan_note(struct hp_waste_scan *s, enum hp_scan_list list,
		   const void *item);
/* Moves what was noted, and is looked up, to the lists of the search. */
void hp_scan_move(struct hp_waste_scan *s);

/* ---- scan_objects.c ------------------------------------------------------ */

/* Looks up the references that were collected. */
void hp_scan_flush(struct hp_waste_scan *s);

void hp_scan_instance(struct hp_waste_scan *s, uint32_t i, uint64_t class_id,
		      const uint8_t *data, uint64_t size);

/* Of each array of references: its elements, in pieces, then the array. */
void hp_scan_elements(struct hp_waste_scan *s, struct hp_scan_row *row,
		      const uint8_t *data, uint64_t count);
void hp_scan_row(struct hp_waste_scan *s, const struct hp_scan_row *row);

/* Statics hold what nothing else refers to. */
void hp_scan_statics(struct hp_waste_scan *s);

/* ---- scan_prims.c -------------------------------------------------------- */

/* A primitive array, of which pieces are read. */
struct hp_scan_prims {
	uint32_t object;
	unsigned type, width;
	struct hp_content_hash hash;
	uint64_t used; /* up to the last byte that is not 0 */
};

void hp_scan_prims_begin(const struct hp_waste_scan *s, struct hp_scan_prims *a,
			 uint32_t i, unsigned type);
/* Pieces are multiples of 8, except for the last one. */
void hp_scan_prims_add(struct hp_scan_prims *a, const uint8_t *data,
		       size_t size);
void hp_scan_prims_end(struct hp_waste_scan *s, struct hp_scan_prims *a);

#endif
