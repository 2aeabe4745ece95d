/* SPDX-License-Identifier: MIT */
/*
 * graph.c - builds a graph and answers what is in its tables.
 */
#include "graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/edge_build.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/tempfile.h"

/* ---- building ------------------------------------------------------------ */

static enum hprof_status find_dominators(struct hprof_graph *g)
{
	struct hp_reduction peel = { 0 };
	struct hp_dominators dom = { 0 };
	enum hprof_status status;

	status = hp_reduction_graph(&g->job, &g->edges, g->options.unreachable,
				    g->options.edges, &peel, &dom);
	if (status >= 0)
		status = hp_dominators_find(&g->job, &dom);
	if (status >= 0)
		status = hp_retained_sizes_find(&g->job, &g->edges, &peel, &dom,
						&g->sums);
	hp_dominators_done(&g->job, &dom);
	hp_reduction_done(&g->job, &peel);
	return status;
}

static void count_reachable(struct hprof_graph *g)
{
	const uint64_t *reachable = g->sums.reachable;
	struct hprof_graph_totals *t = &g->totals;
	const uint8_t *shallow = g->edges.shallow.at;
	uint64_t units = 0;

	for (uint64_t i = 0; i < hp_bit_words(g->edges.count); i++) {
		t->reachable += hp_bit_count(reachable[i]);
		for (uint64_t w = reachable[i]; w; w &= w - 1) {
			unsigned code = shallow[i << 6 | hp_bit_lowest(w)];
			units += code == HP_SHALLOW_LARGE ? 0 : code;
		}
	}
	t->reachable_shallow = units * g->edges.unit;
	for (size_t i = 0; i < g->edges.large_count; i++)
		if (hp_bit(reachable, g->edges.larges[i].index))
			t->reachable_shallow += g->edges.larges[i].size;
}

static void count_all(struct hprof_graph *g)
{
	struct hprof_graph_totals *t = &g->totals;

	t->objects = g->edges.count;
	t->shallow = g->edges.shallow_total;
	t->edges = g->edges.holding;
	t->weak = g->edges.weak;
	t->dangling = g->edges.dangling;
	for (uint64_t i = 0; i < hp_bit_words(g->edges.count); i++)
		t->roots += hp_bit_count(g->edges.roots[i]);
	count_reachable(g);
}

/*
 * Whether it can be done at all, before much time is spent: what has to be in
 * memory whatever else is in files, and, without a limit, about all.
 */
static enum hprof_status plan_memory(struct hprof_graph *g)
{
	struct hp_mapped_tables *t = &g->job.tables;
	uint64_t n = g->heap->count, most = hp_edges_most(g->heap);
	uint64_t free = hp_memory_free(), room = hp_tempfile_room();
	uint64_t least, need;

	t->base = hp_resident();
	t->limit = g->options.memory;
	least = t->base + 7 * n + (8 << 20);
	need = t->base + 15 * n + 2 * most;
	if (t->limit && t->limit < least)
		return hp_fail(g->job.error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "%" PRIu64 " objects need at least %" PRIu64
			       " MiB of memory, %" PRIu64 " are allowed",
			       n, (least >> 20) + 1, t->limit >> 20);
	if (t->limit && t->limit < need && need - t->limit > room)
		return hp_fail(g->job.error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "%" PRIu64 " objects need about %" PRIu64
			       " MiB of temporary files with so little memory, "
			       "%" PRIu64 " are free",
			       n, (need - t->limit) >> 20, room >> 20);
	if (!t->limit && need > t->base && need - t->base > free)
		return hp_fail(g->job.error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "%" PRIu64 " objects need about %" PRIu64
			       " MiB of memory, %" PRIu64
			       " are free; with a limit to it, temporary "
			       "files can do for a part",
			       n, need >> 20, free >> 20);
	return HPROF_OK;
}

static enum hprof_status build(struct hprof_graph *g)
{
	HP_TRY(plan_memory(g));
	hp_build_phase(&g->job, "references");
	HP_TRY(hp_edges_read(&g->job, g->heap, g->options.hold, &g->edges));
	if (g->options.edges || !g->options.dominators) {
		hp_build_phase(&g->job, "index");
		HP_TRY(hp_graph_index(g));
	}
	if (g->options.dominators)
		HP_TRY(find_dominators(g));
	else
		HP_TRY(hp_graph_reach(g));
	hp_build_phase(&g->job, "totals");
	count_all(g);
	if (!g->options.edges) {
		hp_build_free(&g->job, &g->edges.target);
		hp_build_free(&g->job, &g->edges.degree);
	}
	hp_build_phase(&g->job, NULL);
	hp_mapped_tables_release(&g->job.tables);
	return HPROF_OK;
}

static bool take_options(const struct hprof_heap *heap,
			 const struct hprof_graph_options *given,
			 struct hprof_graph_options *ret)
{
	enum { MOST_THREADS = 256 };

	if (!heap || !hp_options_take(given, ret, sizeof *ret))
		return false;
	if (ret->threads == 0)
		ret->threads = heap->threads;
	if (ret->threads > MOST_THREADS)
		ret->threads = MOST_THREADS;
	return (ret->hold & ~(unsigned)(HPROF_HOLD_SOFT | HPROF_HOLD_WEAK |
					HPROF_HOLD_PHANTOM |
					HPROF_HOLD_FINAL)) == 0;
}

enum hprof_status hprof_graph_build(const struct hprof_heap *heap,
				    const struct hprof_graph_options *given,
				    struct hprof_graph **ret,
				    struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_graph_options options;
	struct hprof_graph *g;
	enum hprof_status status;

	if (!ret || !take_options(heap, given, &options))
		return hp_wrong_arguments(error);
	g = hp_calloc(1, sizeof *g);
	if (!g)
		return hp_no_memory(error);
	pthread_mutex_init(&g->lock, NULL);
	g->heap = heap;
	g->options = options;
	g->job.threads = options.threads;
	g->job.progress = options.progress;
	g->job.progress_user = options.progress_user;
	g->job.error = error;
	status = build(g);
	g->job.error = NULL;
	if (status < 0) {
		hprof_graph_free(g);
		return status;
	}
	*ret = g;
	return HPROF_OK;
}

void hprof_graph_free(struct hprof_graph *g)
{
	if (!g)
		return;
	hp_build_free(&g->job, &g->back);
	hp_build_free(&g->job, &g->back_offset);
	hp_free(g->starts);
	hp_retained_sizes_done(&g->job, &g->sums);
	hp_edges_done(&g->job, &g->edges);
	hp_mapped_tables_release(&g->job.tables);
	pthread_mutex_destroy(&g->lock);
	hp_free(g);
}

/* ---- what was found ------------------------------------------------------ */

const struct hprof_graph_totals *
hprof_graph_totals(const struct hprof_graph *g)
{
	return &g->totals;
}

size_t hprof_graph_phases(const struct hprof_graph *g,
			  const struct hprof_phase **ret)
{
	*ret = g->job.phases;
	return g->job.phase_count;
}

bool hprof_graph_is_reachable(const struct hprof_graph *g, uint64_t object)
{
	return object < g->edges.count && hp_bit(g->sums.reachable, object);
}

bool hprof_graph_is_root(const struct hprof_graph *g, uint64_t object)
{
	return object < g->edges.count && hp_bit(g->edges.roots, object);
}

/* True if the tables say something of OBJECT. */
static bool is_known(const struct hprof_graph *g, uint64_t object)
{
	return object < g->edges.count && g->options.dominators &&
	       (g->options.unreachable || hp_bit(g->sums.reachable, object));
}

uint64_t hprof_graph_dominator(const struct hprof_graph *g, uint64_t object)
{
	const uint32_t *dominator = g->sums.dominator.at;

	if (!is_known(g, object) || dominator[object] == 0)
		return HPROF_NO_OBJECT;
	return dominator[object] - 1;
}

uint64_t hprof_graph_retained(const struct hprof_graph *g, uint64_t object)
{
	return is_known(g, object)
		       ? hp_retained_sizes_retained(&g->sums, (uint32_t)object)
		       : 0;
}

uint64_t hprof_graph_shallow(const struct hprof_graph *g, uint64_t object)
{
	return object < g->edges.count ?
		       hp_edges_shallow(&g->edges, (uint32_t)object) :
		       0;
}

/* ---- the largest children ------------------------------------------------ */

struct child {
	uint64_t retained;
	uint32_t object;
};

/* True if A comes behind B. */
static bool behind(const struct child *a, const struct child *b)
{
	return a->retained != b->retained ? a->retained < b->retained :
					    a->object > b->object;
}

/* A heap with the least child on top: moves what is at I down. */
static void sift_down(struct child *heap, size_t count, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
			if (behind(&heap[k], &heap[least]))
				least = k;
		if (least == i)
			return;
		struct child moved = heap[i];
		heap[i] = heap[least];
		heap[least] = moved;
		i = least;
	}
}

static void sift_up(struct child *heap, size_t i)
{
	while (i > 0 && behind(&heap[i], &heap[(i - 1) / 2])) {
		struct child moved = heap[i];
		heap[i] = heap[(i - 1) / 2];
		heap[(i - 1) / 2] = moved;
		i = (i - 1) / 2;
	}
}

static int compare_children(const void *a, const void *b)
{
	return behind(a, b) ? 1 : behind(b, a) ? -1 : 0;
}

static void take_child(const struct hprof_graph *g, uint32_t i,
		       struct child *best, size_t *used, size_t most)
{
	struct child child = { hp_retained_sizes_retained(&g->sums, i), i };

	if (*used < most) {
		best[*used] = child;
		sift_up(best, (*used)++);
	} else if (behind(&best[0], &child)) {
		best[0] = child;
		sift_down(best, *used, 0);
	}
}

size_t hprof_graph_children(const struct hprof_graph *g, uint64_t of,
			    size_t count, uint64_t *ret_objects)
{
	const uint32_t *dominator = g->sums.dominator.at;
	uint32_t wanted = of == HPROF_NO_OBJECT ? 0 : (uint32_t)of + 1;
	struct child *best;
	size_t used = 0;

	if (count > g->edges.count)
		count = g->edges.count;
	if (!g->options.dominators || count == 0 ||
	    (of != HPROF_NO_OBJECT && !is_known(g, of)))
		return 0;
	best = hp_calloc(count, sizeof *best);
	if (!best)
		return 0;
	for (uint32_t i = 0; i < g->edges.count; i++)
		if (dominator[i] == wanted && is_known(g, i))
			take_child(g, i, best, &used, count);
	qsort(best, used, sizeof *best, compare_children);
	for (size_t i = 0; i < used; i++)
		ret_objects[i] = best[i].object;
	hp_free(best);
	return used;
}
