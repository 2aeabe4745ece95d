/* SPDX-License-Identifier: MIT */
/*
 * edge_build.c - the pass over all objects, which finds degrees, targets,
 * referrers and sizes, in place. Each thread has a worker of its own
 * (edge_worker.h).
 */
#include "graph/edge_build.h"

#include <stdlib.h>

#include "graph/edge_worker.h"
#include "base/error.h"
#include "base/mem.h"

/* ---- the pass ------------------------------------------------------------ */

/* Why H failed. To the pass over extents every failure is a lack of memory. */
static enum hprof_status failure_of(const struct hp_edge_worker *h,
				    struct hprof_error *error)
{
	switch (h->status) {
	case HPROF_E_NOMEM:
		return hp_no_memory(error);
	case HPROF_E_CORRUPT:
		return hp_file_changed(error);
	default:
		*error = h->error;
		return h->status;
	}
}

/* Takes the results of a worker. */
static enum hprof_status take(const struct hp_edge_read *read,
			      struct hp_edge_worker *worker)
{
	hp_edge_worker_drain(worker);
	return hp_edge_worker_put_together(read->e, worker) == HPROF_OK
		       ? HPROF_OK
		       : hp_no_memory(read->build->error);
}

static enum hprof_status run(const struct hp_edge_read *read,
			     struct hp_edge_worker **workers, unsigned threads)
{
	struct hp_build *build = read->build;
	const struct hp_say say = { build->phase, build->progress,
				    build->progress_user };
	enum hprof_status status =
		hp_heap_pass(read->heap, &hp_edges_ops, (void *const *)workers,
			     threads, &say, build->error);

	if (status == HPROF_E_CANCELLED)
		return status; /* the workers' results are incomplete */
	for (unsigned i = 0; i < threads; i++) {
		if (hp_edge_worker_changed(workers[i]))
			return hp_file_changed(build->error);
		if (workers[i]->failed)
			return failure_of(workers[i], build->error);
		if (status < 0)
			continue;
		HP_TRY(take(read, workers[i]));
	}
	return status;
}

/* Has the worker of thread NUMBER take notes as well. */
static void give_notes(struct hp_edge_worker *h, unsigned number)
{
	struct hprof_notes *notes = h->read->notes;

	if (!notes)
		return;
	h->notes = notes->ops;
	h->note = notes->ops->thread(notes, number);
}

static enum hprof_status run_threads(const struct hp_edge_read *read)
{
	unsigned threads = read->threads;
	struct hp_edge_worker **workers = hp_calloc(threads, sizeof *workers);
	enum hprof_status status = HPROF_OK;

	if (!workers)
		return hp_no_memory(read->build->error);
	for (unsigned i = 0; i < threads; i++) {
		workers[i] = hp_calloc(1, sizeof **workers);
		if (!workers[i]) {
			status = hp_no_memory(read->build->error);
			continue;
		}
		hp_edge_worker_init(workers[i], read);
		give_notes(workers[i], i);
	}
	if (status == HPROF_OK)
		status = run(read, workers, threads);
	for (unsigned i = 0; i < threads; i++) {
		if (workers[i])
			hp_edge_worker_done(workers[i]);
		hp_free(workers[i]);
	}
	hp_free(workers);
	return status;
}

static void size_classes(struct hp_edge_worker *h)
{
	const struct hprof_heap *heap = h->heap;

	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *c = &heap->class_objects[i];
		uint64_t size =
			hp_heap_class_size(heap, &heap->classes[c->row]);
		hp_edge_worker_set_kind(
			h, (uint32_t)c->index,
			hp_kind_of_class(heap->classes[c->row].row));
		hp_edge_worker_set_size(h, (uint32_t)c->index, size,
					hp_edges_code(h->read->e, size));
	}
}

static enum hprof_status take_classes(const struct hp_edge_read *read)
{
	struct hp_edge_worker *h = hp_calloc(1, sizeof *h);
	bool good = false;

	if (h) {
		hp_edge_worker_init(h, read);
		size_classes(h);
		good = !h->failed &&
		       hp_edge_worker_put_together(read->e, h) == HPROF_OK;
		hp_edge_worker_done(h);
	}
	hp_free(h);
	return good ? HPROF_OK : hp_no_memory(read->build->error);
}

/* ---- in ascending order -------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_runs(const void *a, const void *b)
{
	return compare(((const struct hp_edge_run *)a)->first,
		       ((const struct hp_edge_run *)b)->first);
}

static int compare_lists(const void *a, const void *b)
{
	return compare(((const struct hp_edge_list *)a)->from,
		       ((const struct hp_edge_list *)b)->from);
}

static int compare_larges(const void *a, const void *b)
{
	return compare(((const struct hp_large *)a)->index,
		       ((const struct hp_large *)b)->index);
}

static void sort_parts(struct hp_edges *e)
{
	if (e->run_count > 1)
		qsort(e->runs, e->run_count, sizeof *e->runs, compare_runs);
	if (e->list_count > 1)
		qsort(e->lists, e->list_count, sizeof *e->lists, compare_lists);
	if (e->large_count > 1)
		qsort(e->larges, e->large_count, sizeof *e->larges,
		      compare_larges);
}

/* ---- tables -------------------------------------------------------------- */

/*
 * How many rows of targets there may be, and how many a thread takes at once. A
 * reference takes no fewer bytes in the file than an id. At the end of what a
 * thread took, fewer rows are left over than it needed next, which is what the
 * bytes that it sees could have. It takes none twice for the same bytes, but a
 * page of the file may be seen twice, and so may the beginning of a long record.
 */
static void size_targets(struct hp_edge_read *read, unsigned threads)
{
	enum { LEAST = 1 << 10, MOST = 1 << 22, SHARES = 16 };
	const struct hp_extents *x = &read->heap->extents;
	uint64_t bytes =
		x->count ? x->items[x->count - 1].end - x->items[0].offset : 0;
	uint64_t most = bytes / read->heap->id_size;

	read->threads = threads;
	read->shared = threads > 1;
	read->share = most / (SHARES * threads);
	if (read->share < LEAST)
		read->share = LEAST;
	if (read->share > MOST)
		read->share = MOST;
	read->rows = most + HP_SPARE;
	if (read->shared)
		read->rows += 2 * most + threads * read->share;
}

/* Several threads need more addresses, which may be limited, but no more memory. */
static enum hprof_status make_targets(struct hp_edge_read *read)
{
	struct hp_build *build = read->build;
	unsigned threads = build->threads > 1 ? build->threads : 1;
	enum hprof_status status;

	do {
		size_targets(read, threads);
		status = hp_mapped_table_make_parts(
			&build->tables, &read->e->target, read->rows,
			sizeof(uint32_t), HP_MAPPED_TABLE_FRONT,
			4 * hp_edges_most(read->heap), build->error);
		threads = 1;
	} while (status < 0 && read->shared);
	return status;
}

static enum hprof_status begin_notes(struct hp_edge_read *read)
{
	struct hprof_error *error = read->build->error;
	struct hp_class_refs_table *plans = &read->plans;
	struct hprof_notes *notes = read->notes;
	const struct hp_notes_plan plan = { read->threads, read->rows,
					    hp_edges_most(read->heap),
					    read->build->tables.lender };

	if (!notes)
		return HPROF_OK;
	for (size_t i = 0; i < plans->count; i++) {
		struct hp_class_refs *p = &plans->items[i];

		p->noted_byte = UINT32_MAX;
		p->noted = notes->ops->wants(notes, p->of->row, &p->noted_byte);
	}
	HP_TRY(notes->ops->begin(notes, &plan, error));
	return hp_mapped_table_back(&notes->field, 0, HP_SPARE, error);
}

static unsigned unit_of(const struct hprof_heap *heap)
{
	const struct hprof_size_convention *c = &heap->summary->convention;

	if (c->sizes == HPROF_SIZES_DATA || c->declared || c->alignment < 1 ||
	    c->alignment > 256 || (c->alignment & (c->alignment - 1)) != 0)
		return 1;
	return c->alignment;
}

static enum hprof_status make_tables(struct hp_build *build, struct hp_edges *e,
				     const struct hprof_heap *heap)
{
	e->wide_kinds = heap->infos->count > UINT16_MAX / 2 - 1;
	/* See hp_edge_worker_too_many. */
	const uint64_t rows = (uint64_t)e->count + 1;

	HP_TRY(hp_build_table(build, &e->referrer, rows, sizeof(uint32_t),
			      HP_MAPPED_TABLE_CLEAR));
	HP_TRY(hp_build_table(build, &e->degree, rows, 1,
			      HP_MAPPED_TABLE_CLEAR));
	HP_TRY(hp_build_table(build, &e->shallow, rows, 1,
			      HP_MAPPED_TABLE_CLEAR));
	HP_TRY(hp_build_table(build, &e->kinds, rows, e->wide_kinds ? 4 : 2,
			      HP_MAPPED_TABLE_CLEAR));
	e->roots = hp_calloc(hp_bit_words(e->count), sizeof *e->roots);
	return e->roots ? HPROF_OK : hp_no_memory(build->error);
}

static enum hprof_status read_all(struct hp_edge_read *read, unsigned hold)
{
	struct hp_build *build = read->build;
	struct hp_edges *e = read->e;

	HP_TRY(make_tables(build, e, read->heap));
	hp_edges_roots(e, read->heap);
	if (hp_edges_classes(e, read->heap) != HPROF_OK ||
	    hp_class_refs_make(&read->plans, read->heap, e, hold) != HPROF_OK)
		return hp_no_memory(build->error);
	HP_TRY(make_targets(read));
	HP_TRY(hp_mapped_table_back(&e->target, 0, HP_SPARE * sizeof(uint32_t),
				    build->error));
	HP_TRY(begin_notes(read));
	HP_TRY(take_classes(read));
	HP_TRY(run_threads(read));
	if (e->target_count > read->rows)
		e->target_count = read->rows;
	hp_mapped_table_used(&build->tables, &e->target,
			     e->target_count * sizeof(uint32_t));
	if (read->notes)
		HP_TRY(read->notes->ops->end(read->notes, e->target_count,
					     build->error));
	sort_parts(e);
	uint32_t *referrer = e->referrer.at;
	for (uint64_t i = 0; i < hp_bit_words(e->count); i++)
		for (uint64_t w = e->roots[i]; w; w &= w - 1)
			referrer[i << 6 | hp_bit_lowest(w)] = HP_NONE;
	return read->notes
		       ? read->notes->ops->follow(read->notes, build, e, hold)
		       : HPROF_OK;
}

enum hprof_status hp_edges_read(struct hp_build *build,
				const struct hprof_heap *heap, unsigned hold,
				bool weaks, struct hprof_notes *notes,
				struct hp_edges *e)
{
	struct hp_edge_read read = { .build = build,
				     .heap = heap,
				     .e = e,
				     .weaks = weaks,
				     .notes = notes };
	enum hprof_status status;

	*e = (struct hp_edges){ .count = (uint32_t)heap->count,
				.unit = unit_of(heap) };
	if (hp_heap_offsets_begin(heap, &read.offsets) != HPROF_OK)
		return hp_no_memory(build->error);
	status = read_all(&read, hold);
	hp_heap_offsets_end(heap, read.offsets, status >= 0);
	hp_class_refs_done(&read.plans);
	return status;
}
