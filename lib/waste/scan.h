/* SPDX-License-Identifier: MIT */
/*
 * scan.h - what the files of the pass over all objects share.
 */
#ifndef HP_WASTE_SCAN_H
#define HP_WASTE_SCAN_H

#include "heap/heap.h"
#include "waste/waste.h"

enum { HP_SCAN_BATCH = 64 };

/* A reference; FIELD is its number among those of the object. */
struct hp_scan_reference {
	uint64_t id;
	uint32_t from;
	uint8_t field;
	bool of_string;
};

struct hp_waste_scan {
	struct hp_waste *w;
	uint32_t *referrer; /* the tables */
	uint8_t *field;
	struct hp_numbering numbering;
	uint64_t last_id;
	struct hp_waste_class *last_class;
	struct hp_scan_reference batch[HP_SCAN_BATCH];
	unsigned count;
	enum hprof_status status;
	struct hprof_error error; /* if a list could not grow */
};

static inline void hp_scan_fail(struct hp_waste_scan *s,
				enum hprof_status status)
{
	if (s->status >= 0)
		s->status = status;
}

/* Keeps the failure of a list to grow. */
static inline bool hp_scan_went_well(struct hp_waste_scan *s,
				     enum hprof_status status)
{
	if (status < 0 && s->status >= 0) {
		s->status = status;
		s->error = *s->w->error;
	}
	return status >= 0;
}

/* ---- scan_objects.c ------------------------------------------------------ */

/* Looks up the references that were collected. */
void hp_scan_flush(struct hp_waste_scan *s);

void hp_scan_instance(struct hp_waste_scan *s, uint32_t i, uint64_t class_id,
		      const uint8_t *data, uint64_t size);

/* Of each array of references: its elements, in pieces, then the array. */
void hp_scan_elements(struct hp_waste_scan *s, struct hp_row_array *array,
		      const uint8_t *data, uint64_t count);
void hp_scan_row(struct hp_waste_scan *s, const struct hp_row_array *array);

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
