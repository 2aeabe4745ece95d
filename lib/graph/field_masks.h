/* SPDX-License-Identifier: MIT */
/*
 * field_masks.h - which references of each instance are not null. With the
 * targets of a graph, these tell the field that holds another object, without
 * a look into the dump.
 */
#ifndef HP_FIELD_MASKS_H
#define HP_FIELD_MASKS_H

#include "graph/graph.h"

enum { HP_FIELD_MASK_BITS = 8 };

struct hp_field_masks {
	/*
	 * u8[count]: bit K is set if reference K of hp_heap_class.refs is not
	 * null. 0 for what is no instance, and for instances that are not read
	 * as a whole. NULL: not known.
	 */
	const uint8_t *at;
	uint8_t *own;		 /* which that is, unless it is kept */
	struct hp_cache_map map; /* which that may be borrowed from */
};

/*
 * Takes the masks of the heap of GRAPH from the cache. False: there are none.
 * MASKS must be zeroed; free it with hp_field_masks_done.
 */
bool hp_field_masks_restore(const struct hprof_graph *graph,
			    struct hp_field_masks *masks);

/* Reads them from the dump, and keeps them if the graph can be kept. */
enum hprof_status hp_field_masks_read(const struct hprof_graph *graph,
				      struct hp_field_masks *masks,
				      struct hprof_error *error);

/*
 * Reads and keeps them, for later questions. Does nothing if that fails, or the
 * graph cannot be kept.
 */
void hp_field_masks_save(const struct hprof_graph *graph);

void hp_field_masks_done(struct hp_field_masks *masks);

#endif
