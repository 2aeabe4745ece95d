/* SPDX-License-Identifier: MIT */
/*
 * edge_worker.c - see edge_worker.h.
 */
#include "graph/edge_worker.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/prefetch.h"

void hp_edge_worker_init(struct hp_edge_worker *h,
			 const struct hp_edge_read *read)
{
	*h = (struct hp_edge_worker){ .read = read, .heap = read->heap };
	h->referrer = read->e->referrer.at;
	h->target = read->e->target.at;
	h->field = read->notes ? read->notes->field.at : NULL;
	h->degree = read->e->degree.at;
	h->shallow = read->e->shallow.at;
	if (read->e->wide_kinds)
		h->wide_kinds = read->e->kinds.at;
	else
		h->kinds = read->e->kinds.at;
}

void hp_edge_worker_done(struct hp_edge_worker *h)
{
	hp_free(h->runs);
	hp_free(h->lists);
	hp_free(h->larges);
	hp_free(h->weaks);
}

/* ---- the ring ------------------------------------------------------------ */

/* Prefetches the blocks of the references before END. */
static inline void fetch(struct hp_edge_worker *h, uint64_t end)
{
	const struct hp_id_index *rank = &h->heap->rank;

	for (uint64_t i = h->fetched; i < end && !rank->sorted; i++) {
		const struct hp_id_block *block = hp_id_index_block(
			rank, h->ids[i % HP_EDGE_WORKER_RING]);
		hp_prefetch(block);
		h->blocks[i % HP_EDGE_WORKER_RING] = block;
	}
	h->fetched = end;
}

static inline void look_up(struct hp_edge_worker *h, uint64_t end)
{
	const struct hprof_heap *heap = h->heap;

	for (uint64_t i = h->found; i < end; i++) {
		uint64_t id = h->ids[i % HP_EDGE_WORKER_RING];
		uint32_t to = (uint32_t)hp_heap_find_in(
			heap, h->blocks[i % HP_EDGE_WORKER_RING], id);
		h->to[i % HP_EDGE_WORKER_RING] = to;
		hp_prefetch_write(&h->referrer[to == HP_NONE ? 0 : to]);
	}
	h->found = end;
}

/* Like hp_edges_refer, but safe with several threads. */
static inline void refer(uint32_t *referrer, uint32_t from, uint32_t to)
{
	uint32_t old = __atomic_load_n(&referrer[to], __ATOMIC_RELAXED);

	if (from == to || old == from + 1 || old == HP_NONE)
		return;
	if (old == 0 &&
	    __atomic_compare_exchange_n(&referrer[to], &old, from + 1, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&referrer[to], HP_NONE, __ATOMIC_RELAXED);
}

static inline void store(struct hp_edge_worker *h, uint64_t end)
{
	const bool shared = h->read->shared;
	uint32_t *target = h->target + h->row;

	h->row += end - h->stored;
	for (uint64_t i = h->stored; i < end; i++) {
		uint32_t from = h->from[i % HP_EDGE_WORKER_RING];
		uint32_t to = h->to[i % HP_EDGE_WORKER_RING];
		*target++ = to;
		if (to == HP_NONE)
			h->dangling++;
		else if (shared)
			refer(h->referrer, from, to);
		else
			hp_edges_refer(h->referrer, from, to);
	}
	h->stored = end;
}

void hp_edge_worker_advance(struct hp_edge_worker *h)
{
	while (h->entered - h->fetched >= HP_EDGE_WORKER_BATCH) {
		if (h->found != h->stored)
			store(h, h->stored + HP_EDGE_WORKER_BATCH);
		if (h->fetched != h->found)
			look_up(h, h->found + HP_EDGE_WORKER_BATCH);
		fetch(h, h->fetched + HP_EDGE_WORKER_BATCH);
	}
}

void hp_edge_worker_drain(struct hp_edge_worker *h)
{
	fetch(h, h->entered);
	look_up(h, h->entered);
	store(h, h->entered);
	h->arrived += h->entered;
	h->entered = h->fetched = h->found = h->stored = 0;
}

/* ---- failures and long objects ------------------------------------------- */

void hp_edge_worker_fail(struct hp_edge_worker *h, enum hprof_status status)
{
	h->failed = true;
	h->status = status;
}

/* Something else has the id of a class that is not in the dump. */
bool hp_edge_worker_is_other(const struct hp_edge_worker *h, uint64_t id)
{
	return id && hp_heap_find(h->heap, id) != HPROF_NO_OBJECT;
}

/* A file that has changed meanwhile may have more objects than before. */
uint32_t hp_edge_worker_too_many(struct hp_edge_worker *h)
{
	if (!h->failed)
		hp_edge_worker_fail(h, HPROF_E_CORRUPT);
	return h->read->e->count;
}

void hp_edge_worker_add_list(struct hp_edge_worker *h, uint32_t from,
			     uint64_t at, uint64_t count)
{
	h->degree[from] = HP_DEGREE_LIST;
	if (hp_grow((void **)&h->lists, &h->list_room, h->list_count,
		    sizeof *h->lists) != HPROF_OK) {
		hp_edge_worker_fail(h, HPROF_E_NOMEM);
		return;
	}
	h->lists[h->list_count++] =
		(struct hp_edge_list){ .from = from, .at = at, .count = count };
}

void hp_edge_worker_add_large(struct hp_edge_worker *h, uint32_t index,
			      uint64_t size)
{
	if (hp_grow((void **)&h->larges, &h->large_room, h->large_count,
		    sizeof *h->larges) != HPROF_OK) {
		hp_edge_worker_fail(h, HPROF_E_NOMEM);
		return;
	}
	h->larges[h->large_count++] = (struct hp_large){ index, size };
}

void hp_edge_worker_add_weak(struct hp_edge_worker *h, uint32_t from,
			     uint64_t id)
{
	uint64_t to = id ? hp_heap_find(h->heap, id) : HPROF_NO_OBJECT;

	if (hp_grow((void **)&h->weaks, &h->weak_room, h->weak_count,
		    sizeof *h->weaks) != HPROF_OK) {
		hp_edge_worker_fail(h, HPROF_E_NOMEM);
		return;
	}
	h->weaks[h->weak_count++] = (struct hp_edge_weak){
		from, to == HPROF_NO_OBJECT ? HP_NONE : (uint32_t)to
	};
}

void hp_edge_worker_begin_run(struct hp_edge_worker *h, uint64_t id)
{
	struct hp_numbering ahead = h->numbering;

	h->run_begins = false;
	if (hp_grow((void **)&h->runs, &h->run_room, h->run_count,
		    sizeof *h->runs) != HPROF_OK) {
		hp_edge_worker_fail(h, HPROF_E_NOMEM);
		return;
	}
	h->runs[h->run_count++] = (struct hp_edge_run){
		.first = (uint32_t)hp_number(&ahead, id),
		.at = h->row,
	};
}

/*
 * Takes COUNT rows: those behind the last ones if nobody else has these, so that
 * the run goes on. Returns the first.
 */
static uint64_t take_rows(const struct hp_edge_worker *h, uint64_t count)
{
	uint64_t *next = &h->read->e->target_count, at = h->row_end;

	if (__atomic_compare_exchange_n(next, &at, at + count, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return at;
	return __atomic_fetch_add(next, count, __ATOMIC_RELAXED);
}

bool hp_edge_worker_room(struct hp_edge_worker *h, uint64_t size)
{
	const struct hp_edge_read *read = h->read;
	const uint64_t need = size / h->heap->id_size + 1;
	uint64_t begin, end, count = need > read->share ? need : read->share;

	if (h->last_row + need <= h->row_end)
		return true;
	begin = take_rows(h, count);
	end = begin + count < read->rows ? begin + count : read->rows;
	if (begin > end || (read->shared && end - begin < need)) {
		hp_edge_worker_fail(h, HPROF_E_NOMEM);
		return false;
	}
	if (hp_mapped_table_back(&read->e->target, begin * sizeof(uint32_t),
				 end * sizeof(uint32_t), &h->error) < 0 ||
	    (read->notes && hp_mapped_table_back(&read->notes->field, begin,
						 end, &h->error) < 0)) {
		hp_edge_worker_fail(h, HPROF_E_SYS);
		return false;
	}
	if (begin != h->row_end) {
		hp_edge_worker_drain(h);
		h->row = h->last_row = begin;
		h->run_begins = true;
	}
	h->row_end = end;
	return true;
}

/* ---- merging the workers ------------------------------------------------- */

/* Adds MORE rows of WIDTH bytes to *TO. */
static enum hprof_status append(void **to, size_t *count, const void *more,
				size_t more_count, size_t width)
{
	void *all = hp_realloc(*to, *count + more_count + 1, width);

	if (!all)
		return HPROF_E_NOMEM;
	if (more_count)
		memcpy((char *)all + *count * width, more, more_count * width);
	*to = all;
	*count += more_count;
	return HPROF_OK;
}

enum hprof_status hp_edge_worker_put_together(struct hp_edges *e,
					      const struct hp_edge_worker *h)
{
	e->size_bits |= h->size_bits;
	e->shallow_total += h->shallow_total;
	e->weak += h->weak;
	e->dangling += h->dangling + h->no_class;
	e->stored += h->arrived;
	e->holding += h->arrived - h->dangling + h->left_out;
	HP_TRY(append((void **)&e->runs, &e->run_count, h->runs, h->run_count,
		      sizeof *e->runs));
	HP_TRY(append((void **)&e->lists, &e->list_count, h->lists,
		      h->list_count, sizeof *e->lists));
	HP_TRY(append((void **)&e->larges, &e->large_count, h->larges,
		      h->large_count, sizeof *e->larges));
	return append((void **)&e->weaks, &e->weak_count, h->weaks,
		      h->weak_count, sizeof *e->weaks);
}
