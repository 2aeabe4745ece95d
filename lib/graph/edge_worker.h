/* SPDX-License-Identifier: MIT */
/*
 * edge_worker.h - what one thread holds while it reads references.
 *
 * A look-up of a reference is a miss of the caches, and so is the note of who
 * referred to an object. Both are made ready long before they are needed:
 * references go through a ring, and batch by batch something is fetched for
 * them, they are looked up, stored.
 *
 * Each thread writes the degrees and sizes of the objects that it reads, and
 * targets from a row on that follows from the place in the file, where no
 * other thread's can be: a reference takes more bytes there than here. Only
 * referrers are shared; their last state does not depend on the order.
 *
 * What each reference and each object passes through is inline here.
 */
#ifndef HP_EDGE_WORKER_H
#define HP_EDGE_WORKER_H

#include "graph/edge_build.h"
#include "census/object_scan.h"

enum {
	HP_EDGE_WORKER_BATCH = 64,
	/* One that fills, one fetched, one found, and what is over. */
	HP_EDGE_WORKER_RING = 4 * HP_EDGE_WORKER_BATCH,
	/* So many may enter between two looks whether a batch is full. */
	HP_EDGE_WORKER_AT_ONCE = HP_EDGE_WORKER_BATCH - 2
};

/* What the threads share. */
struct hp_edge_read {
	struct hp_build *build;
	const struct hprof_heap *heap;
	struct hp_edges *e;
	struct hp_class_refs_table plans;
	uint64_t base;	  /* offset of the first extent */
	uint64_t *offsets; /* to be noted by the way (heap.h), or NULL */
	bool shared;	  /* several threads */
};

struct hp_edge_worker {
	const struct hp_edge_read *read;
	const struct hprof_heap *heap;
	struct hp_numbering numbering;
	uint64_t expected; /* where the extent before ended, by position */
	/* Of hp_edges. */
	uint32_t *referrer, *target;
	uint8_t *degree, *shallow;
	uint16_t *kinds;
	uint32_t *wide_kinds; /* instead */
	/* References on their way, by the count of those that ever entered. */
	uint64_t ids[HP_EDGE_WORKER_RING];
	const struct hp_id_block
		*blocks[HP_EDGE_WORKER_RING]; /* of id_index.h, of id */
	uint32_t from[HP_EDGE_WORKER_RING], to[HP_EDGE_WORKER_RING];
	uint64_t entered, fetched, found, stored;
	uint64_t row;	   /* of the target that is stored next */
	uint64_t last_row; /* behind the targets of all that have entered */
	uint64_t backed;   /* rows that have room */
	bool run_begins;   /* with the next object */
	bool missed;	   /* objects of an extent before */
	/* The parts of hp_edges that are put together afterwards. */
	struct hp_edge_run *runs;
	struct hp_edge_list *lists;
	struct hp_large *larges;
	size_t run_count, run_room, list_count, list_room;
	size_t large_count, large_room;
	uint64_t size_bits, shallow_total;
	uint64_t arrived, left_out, no_class, weak, dangling; /* references */
	bool failed;
	enum hprof_status status;
	struct hprof_error error; /* of HPROF_E_SYS */
};

/* Its states are struct hp_edge_worker. */
extern const struct hp_object_scan_ops hp_edges_ops;

void hp_edge_worker_init(struct hp_edge_worker *h,
			 const struct hp_edge_read *read);
void hp_edge_worker_done(struct hp_edge_worker *h);

/* Adds what H has found. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_edge_worker_put_together(struct hp_edges *e,
					      const struct hp_edge_worker *h);

void hp_edge_worker_fail(struct hp_edge_worker *h, enum hprof_status status);

/* The file had more or fewer objects than when the heap was opened. */
static inline bool hp_edge_worker_changed(const struct hp_edge_worker *h)
{
	return h->numbering.changed || h->missed ||
	       (!h->failed && h->numbering.position != h->numbering.limit);
}

/* A batch has entered: all before go on. */
void hp_edge_worker_advance(struct hp_edge_worker *h);

/* Everything that is on its way arrives. */
void hp_edge_worker_drain(struct hp_edge_worker *h);

/* Room for the targets of SIZE bytes. False: the disk is full. */
bool hp_edge_worker_room(struct hp_edge_worker *h, uint64_t size);

/* A run of targets begins, with those of the object ID. */
void hp_edge_worker_begin_run(struct hp_edge_worker *h, uint64_t id);

void hp_edge_worker_add_list(struct hp_edge_worker *h, uint32_t from,
			     uint64_t at, uint64_t count);
void hp_edge_worker_add_large(struct hp_edge_worker *h, uint32_t index,
			      uint64_t size);

/* ---- the ring ------------------------------------------------------------ */

/* ID may be 0: then it does not enter. */
static inline void hp_edge_worker_offer(struct hp_edge_worker *h, uint32_t from,
					uint64_t id)
{
	h->ids[h->entered % HP_EDGE_WORKER_RING] = id;
	h->from[h->entered % HP_EDGE_WORKER_RING] = from;
	/* Which fields are null cannot be guessed. */
	h->entered += id != 0;
}

/* To be called after every HP_EDGE_WORKER_AT_ONCE at the latest. */
static inline void hp_edge_worker_look(struct hp_edge_worker *h)
{
	if (h->entered - h->fetched >= HP_EDGE_WORKER_BATCH)
		hp_edge_worker_advance(h);
}

/* ---- one object ---------------------------------------------------------- */

static inline void hp_edge_worker_set_size(struct hp_edge_worker *h, uint32_t i,
					   uint64_t size, uint8_t code)
{
	h->shallow[i] = code;
	h->size_bits |= size;
	h->shallow_total += size;
	if (code == HP_SHALLOW_LARGE)
		hp_edge_worker_add_large(h, i, size);
}

static inline void hp_edge_worker_set_kind(struct hp_edge_worker *h, uint32_t i,
					   uint32_t kind)
{
	if (h->kinds)
		h->kinds[i] = (uint16_t)kind;
	else
		h->wide_kinds[i] = kind;
}

/* COUNT references of FROM have entered. */
static inline void hp_edge_worker_set_degree(struct hp_edge_worker *h,
					     uint32_t from, uint64_t count)
{
	uint64_t at = h->last_row;

	h->last_row += count;
	if (count < HP_DEGREE_LIST)
		h->degree[from] = (uint8_t)count;
	else
		hp_edge_worker_add_list(h, from, at, count);
}

#endif
