/* SPDX-License-Identifier: MIT */
/*
 * heap_index.h - what the parts of indexing a heap have in common.
 *
 *   heap_index.c   in which order it is done
 *   heap_scan.c     the pass that sees every sub-record
 *   heap_duplicates.c  what is no object is cut out of the extents
 *   heap_order.c  numbers where ids do not ascend
 *   heap_offsets.c  where objects are, for those who ask
 */
#ifndef HP_HEAP_INDEX_H
#define HP_HEAP_INDEX_H

#include "heap/heap.h"

/* A sub-record that does not, or may not, count as an object. */
struct hp_duplicate {
	uint64_t id;
	uint64_t offset, end;
	uint64_t position; /* number of objects before it */
	bool is_class;
};

struct hp_duplicates {
	struct hp_duplicate *items;
	size_t count, room;
};

struct hp_raw_root {
	uint64_t offset;
	struct hprof_heap_root root;
};

struct hp_indexer {
	struct hprof_heap *heap;
	struct hp_indexing *all;
	unsigned z;
	uint64_t position;
	uint64_t limit; /* of the extent */
	struct hp_id_index_writer writer;
	struct hp_arena *arena;
	struct hp_raw_root *roots;
	size_t root_count, root_room;
	/* Replaced CLASS_DUMPs; with HP_AIM_DUPLICATES, see there. */
	struct hp_duplicates duplicates;
	bool zero;    /* met an object with the id 0 */
	bool changed; /* the file has changed */
	bool failed;
};

/* The passes, in their order. */
enum hp_aim {
	HP_AIM_BITS,	  /* set bits, note offsets, classes, roots */
	HP_AIM_IDS,	  /* the same, but store ids in an array */
	HP_AIM_OTHERS,	  /* only extents with classes and roots */
	HP_AIM_OFFSETS,	  /* note only offsets */
	HP_AIM_DUPLICATES /* find the objects whose ids are in all->odd */
};

struct hp_indexing {
	struct hprof_heap *heap;
	struct hp_say say;
	enum hp_aim aim;
	struct hp_id_index_build build;
	uint64_t *ids;	   /* HP_AIM_IDS */
	uint64_t *offsets; /* NULL: not noted */
	struct hp_ids odd; /* ids that are 0 or occur twice */
	struct hp_indexer *indexers;
	void **states;
};

/*
 * heap_scan.c: threads get ready for an aim, which fails only with
 * HPROF_E_NOMEM; then they all run.
 */
enum hprof_status hp_indexers_make(struct hp_indexing *all, enum hp_aim aim);
enum hprof_status hp_indexers_run(struct hp_indexing *all,
				  struct hprof_error *error);
void hp_indexers_free(struct hp_indexing *all);

/*
 * heap_duplicates.c: called after a pass that met odd ids or replaced classes:
 * cuts all of these out and frees the indexers.
 */
enum hprof_status hp_duplicates_remove(struct hp_indexing *all,
				       struct hprof_error *error);

/* heap_order.c: fills perm, except for class objects. */
enum hprof_status hp_heap_order_find(struct hprof_heap *heap,
				     const struct hp_say *say,
				     struct hprof_error *error);

#endif
