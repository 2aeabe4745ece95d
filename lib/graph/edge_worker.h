/* SPDX-License-Identifier: MIT */
/*
 * edge_worker.h - the state of one thread that reads references.
 *
 * Looking up a reference misses the caches, and so does noting who refers to an
 * object. So references go through a ring in batches: a batch is first
 * prefetched, then looked up, then stored, with other batches in between.
 *
 * Each thread writes the degrees and sizes of the objects that it reads, and
 * takes rows for their targets many at a time, behind those that others took:
 * so the table has no gaps but for the ends of what was taken. Only the
 * referrers are shared; their final state does not depend on the order.
 *
 * The functions that are called for each reference or object are inline.
 */
#ifndef HP_EDGE_WORKER_H
#define HP_EDGE_WORKER_H

#include "graph/edge_build.h"
#include "census/object_scan.h"

enum {
	HP_EDGE_WORKER_BATCH = 64,
	/* For batches being filled, fetched and found, and the excess. */
	HP_EDGE_WORKER_RING = 4 * HP_EDGE_WORKER_BATCH,
	/* This many may enter between two checks for a full batch. */
	HP_EDGE_WORKER_AT_ONCE = HP_EDGE_WORKER_BATCH - 2
};

/* What the threads share. */
struct hp_edge_read {
	struct hp_build *build;
	const struct hprof_heap *heap;
	struct hp_edges *e;
	struct hp_class_refs_table plans;
	uint64_t *offsets; /* offsets to be noted (heap.h), or NULL */
	uint64_t rows;	   /* of targets, in all */
	uint64_t share;	   /* rows that a thread takes at once */
	unsigned threads;
	bool shared;		   /* there are several */
	bool weaks;		   /* note references that do not hold, too */
	struct hprof_notes *notes; /* or NULL */
};

struct hp_edge_worker {
	const struct hp_edge_read *read;
	const struct hprof_heap *heap;
	struct hp_numbering numbering;
	uint64_t expected; /* position at which the previous extent ended */
	uint64_t end;	   /* offset at which this one ends */
	/* Tables of hp_edges. */
	uint32_t *referrer, *target;
	uint8_t *degree, *shallow;
	uint8_t *field; /* NULL: there are no notes */
	const struct hp_note_ops *notes;
	void *note; /* what these are called with */
	uint16_t *kinds;
	uint32_t *wide_kinds; /* instead of kinds */
	/* References in the ring, indexed by how many had entered before. */
	uint64_t ids[HP_EDGE_WORKER_RING];
	const struct hp_id_block
		*blocks[HP_EDGE_WORKER_RING]; /* of id_index.h, of id */
	uint32_t from[HP_EDGE_WORKER_RING], to[HP_EDGE_WORKER_RING];
	uint64_t entered, fetched, found, stored;
	uint64_t row;	   /* of the next target to be stored */
	uint64_t last_row; /* row after the targets of all that entered */
	uint64_t row_end;  /* of the rows that were taken */
	bool run_begins;   /* the next object begins a run */
	bool missed;	   /* objects of an earlier extent */
	/* Parts of hp_edges, merged afterwards. */
	struct hp_edge_run *runs;
	struct hp_edge_list *lists;
	struct hp_large *larges;
	struct hp_edge_weak *weaks;
	size_t run_count, run_room, list_count, list_room;
	size_t large_count, large_room, weak_count, weak_room;
	uint64_t size_bits, shallow_total;
	uint64_t arrived, left_out, no_class, weak, dangling; /* references */
	bool failed;
	enum hprof_status status;
	struct hprof_error error; /* of HPROF_E_SYS */
};

/* Its states are of type struct hp_edge_worker. */
extern const struct hp_object_scan_ops hp_edges_ops;

/* edge_long.c: as in struct hp_object_scan_ops. */
bool hp_edges_record(void *state, struct hprof_reader *reader,
		     const struct hprof_record *record);

void hp_edge_worker_init(struct hp_edge_worker *h,
			 const struct hp_edge_read *read);
void hp_edge_worker_done(struct hp_edge_worker *h);

/* Adds the results of H to E. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_edge_worker_put_together(struct hp_edges *e,
					      const struct hp_edge_worker *h);

void hp_edge_worker_fail(struct hp_edge_worker *h, enum hprof_status status);

/* The file has more objects than before. Returns the row behind the last one. */
uint32_t hp_edge_worker_too_many(struct hp_edge_worker *h);

/* Something else has the id of a class that is not in the dump. */
bool hp_edge_worker_is_other(const struct hp_edge_worker *h, uint64_t id);

/* Has the file more or fewer objects than when the heap was opened? */
static inline bool hp_edge_worker_changed(const struct hp_edge_worker *h)
{
	return h->numbering.changed || h->missed ||
	       (!h->failed && h->numbering.position != h->numbering.limit);
}

/* Called when a batch is full: moves all batches one stage on. */
void hp_edge_worker_advance(struct hp_edge_worker *h);

/* Stores all references that are in the ring. */
void hp_edge_worker_drain(struct hp_edge_worker *h);

/*
 * Makes room for the targets of the objects in the next SIZE bytes; between two
 * objects, as a new run may have to begin with them. False: it has failed.
 */
bool hp_edge_worker_room(struct hp_edge_worker *h, uint64_t size);

/* Begins a run of targets with those of the object ID. */
void hp_edge_worker_begin_run(struct hp_edge_worker *h, uint64_t id);

void hp_edge_worker_add_list(struct hp_edge_worker *h, uint32_t from,
			     uint64_t at, uint64_t count);
void hp_edge_worker_add_large(struct hp_edge_worker *h, uint32_t index,
			      uint64_t size);

/* Notes that FROM does not hold the object ID; 0: that is still to be read. */
void hp_edge_worker_add_weak(struct hp_edge_worker *h, uint32_t from,
			     uint64_t id);

/* ---- the ring ------------------------------------------------------------ */

/* Puts a reference at the place of that which enters when so many have ENTERED. */
static inline void hp_edge_worker_put(struct hp_edge_worker *h,
				      uint64_t entered, uint32_t from,
				      uint64_t id)
{
	h->ids[entered % HP_EDGE_WORKER_RING] = id;
	h->from[entered % HP_EDGE_WORKER_RING] = from;
}

/* Puts a reference into the ring, unless ID is 0. */
static inline void hp_edge_worker_offer(struct hp_edge_worker *h, uint32_t from,
					uint64_t id)
{
	hp_edge_worker_put(h, h->entered, from, id);
	/* No branch: null fields cannot be predicted. */
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

/* Sets the degree of FROM, of which COUNT references have entered. */
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
