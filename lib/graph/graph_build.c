/* SPDX-License-Identifier: MIT */
/*
 * graph_build.c - builds a graph: references; then dominators and retained
 * sizes, or only reachability; then the tables for queries of single objects.
 *
 * All of that happens before hprof_graph_build returns. From then on nothing
 * that a graph tells changes, so that threads may share it without locks; what
 * reports leave to each other has its own (struct hp_graph_memo).
 */
#include "graph/graph.h"

#include <inttypes.h>

#include "graph/edge_build.h"
#include "graph/strength.h"
#include "graph/field_masks.h"
#include "graph/graph_cache.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/tempfile.h"

/* With limited memory nothing is noted. */
static struct hprof_notes *notes_of(const struct hprof_graph *g)
{
	return g->options.memory ? NULL : g->memo->notes;
}

/* A search through the graph comes next, which is for one thread. */
static void work_beside(const struct hprof_graph *g)
{
	struct hprof_notes *notes = notes_of(g);

	if (notes)
		notes->ops->beside(notes);
}

/* What is reachable is known; most of what comes next is for one thread as well. */
static void work_on_reachable(void *user)
{
	const struct hprof_graph *g = user;
	struct hprof_notes *notes = notes_of(g);

	if (notes)
		notes->ops->reached(notes, g);
}

static enum hprof_status find_dominators(struct hprof_graph *g, bool keep)
{
	struct hp_reduction reduction = { 0 };
	struct hp_dominators dom = { 0 };
	struct hp_beside reached = { work_on_reachable, g };
	enum hprof_status status;

	status = hp_reduction_graph(
		&g->build, &g->edges, g->options.unreachable, g->options.edges,
		&reduction, g->options.paths || keep ? &g->packed : NULL, &dom);
	if (status >= 0) {
		work_beside(g);
		status = hp_dominators_find(&g->build, &dom);
	}
	if (status >= 0)
		status =
			hp_retained_sizes_find(&g->build, &g->edges, &reduction,
					       &dom, &reached, &g->sizes);
	hp_dominators_done(&g->build, &dom);
	hp_reduction_done(&g->build, &reduction);
	return status;
}

/* The units of 64 objects, of which those in SOME count; not of large ones. */
static uint64_t add_units(const uint8_t *shallow, uint64_t some)
{
	uint64_t units = 0;

	if (some == UINT64_MAX) {
		/* Nearly always, and then without branches. */
		unsigned sum = 0;
		for (unsigned k = 0; k < 64; k++)
			sum += shallow[k] == HP_SHALLOW_LARGE ? 0 : shallow[k];
		return sum;
	}
	for (; some; some &= some - 1) {
		unsigned code = shallow[hp_bit_lowest(some)];
		units += code == HP_SHALLOW_LARGE ? 0 : code;
	}
	return units;
}

static void count_reachable(struct hprof_graph *g)
{
	const uint64_t *reachable = g->sizes.reachable;
	struct hprof_graph_totals *t = &g->totals;
	const uint8_t *shallow = g->edges.shallow.at;
	uint64_t units = 0;

	for (uint64_t i = 0; i < hp_bit_words(g->edges.count); i++) {
		t->reachable += hp_bit_count(reachable[i]);
		units += add_units(shallow + 64 * i, reachable[i]);
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
 * Checks early whether memory suffices: for what must be in memory even if
 * other tables are in files, and, without a limit, for about everything.
 */
static enum hprof_status plan_memory(struct hprof_graph *g)
{
	struct hp_mapped_tables *t = &g->build.tables;
	uint64_t n = g->heap->count, most = hp_edges_most(g->heap);
	uint64_t free = hp_memory_free(), room = hp_tempfile_room();
	uint64_t least, need;

	hp_mapped_tables_begin(t, g->options.memory, &g->memo->lender);
	least = t->base + 7 * n + (8 << 20);
	need = t->base + 15 * n + 2 * most;
	if (g->options.referrers)
		need += 5 * n + 2 * most;
	if (g->memo->notes && !t->limit)
		need += most + 24 * g->heap->summary->prim_arrays;
	if (t->limit && t->limit < least)
		return hp_fail(g->build.error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "%" PRIu64 " objects need at least %" PRIu64
			       " MiB of memory, %" PRIu64 " are allowed",
			       n, (least >> 20) + 1, t->limit >> 20);
	if (t->limit && t->limit < need && need - t->limit > room)
		return hp_fail(g->build.error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "%" PRIu64 " objects need about %" PRIu64
			       " MiB of temporary files with so little memory, "
			       "%" PRIu64 " are free",
			       n, (need - t->limit) >> 20, room >> 20);
	if (!t->limit && need > t->base && need - t->base > free)
		return hp_fail(g->build.error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "%" PRIu64 " objects need about %" PRIu64
			       " MiB of memory, %" PRIu64
			       " are free; with a limit to it, temporary "
			       "files can do for a part",
			       n, need >> 20, free >> 20);
	return HPROF_OK;
}

/* Makes what the cache does not have, of a graph that it has. */
static enum hprof_status complete(struct hprof_graph *g)
{
	hp_mapped_tables_begin(&g->build.tables, g->options.memory,
			       &g->memo->lender);
	HP_TRY(hp_build_phase(&g->build, "index"));
	HP_TRY(hp_graph_index(g));
	if (g->options.referrers) {
		HP_TRY(hp_build_phase(&g->build, "referrers"));
		HP_TRY(hp_graph_sort_referrers(g));
	}
	HP_TRY(hp_build_phase(&g->build, NULL));
	hp_mapped_tables_release(&g->build.tables);
	return HPROF_OK;
}

/* KEEP: also what only others may need, who find the graph in the cache. */
static enum hprof_status build_parts(struct hprof_graph *g, bool keep)
{
	HP_TRY(plan_memory(g));
	HP_TRY(hp_build_phase(&g->build, "references"));
	HP_TRY(hp_edges_read(&g->build, g->heap, g->options.hold,
			     g->options.strengths, notes_of(g), &g->edges));
	if (g->options.edges || !g->options.dominators) {
		HP_TRY(hp_build_phase(&g->build, "index"));
		HP_TRY(hp_graph_index(g));
	}
	if (g->options.dominators) {
		HP_TRY(find_dominators(g, keep));
	} else {
		work_beside(g);
		HP_TRY(hp_graph_reach(g));
	}
	if (g->options.referrers) {
		HP_TRY(hp_build_phase(&g->build, "referrers"));
		HP_TRY(hp_graph_sort_referrers(g));
	}
	HP_TRY(hp_build_phase(&g->build, "totals"));
	count_all(g);
	if (g->options.strengths) {
		HP_TRY(hp_build_phase(&g->build, "strengths"));
		HP_TRY(hp_graph_find_strengths(g));
	}
	if (!g->options.edges) {
		hp_build_free(&g->build, &g->edges.target);
		hp_build_free(&g->build, &g->edges.degree);
	}
	HP_TRY(hp_build_phase(&g->build, NULL));
	hp_mapped_tables_release(&g->build.tables);
	return HPROF_OK;
}

static enum hprof_status build_or_restore(struct hprof_graph *g)
{
	bool keep = hp_graph_can_be_kept(g);

	if (keep && hp_graph_restore(g)) {
		g->options.edges = true;
		return complete(g);
	}
	/* A limit to memory is worth more than the next question. */
	keep = keep && (g->options.edges || !g->options.memory);
	g->options.edges |= keep;
	HP_TRY(build_parts(g, keep));
	if (keep) {
		hp_graph_save(g);
		hp_field_masks_save(g);
	}
	if (!g->options.paths)
		hp_packed_edges_done(&g->build, &g->packed);
	return HPROF_OK;
}

static enum hprof_status take_options(const struct hprof_heap *heap,
				      const struct hprof_graph_options *given,
				      struct hprof_graph_options *ret,
				      struct hprof_error *error)
{
	enum { MOST_THREADS = 256 };
	const unsigned known = HPROF_HOLD_SOFT | HPROF_HOLD_WEAK |
			       HPROF_HOLD_PHANTOM | HPROF_HOLD_FINAL;

	if (!HP_OPTIONS_TAKE(given, ret))
		return hp_bad_options(error);
	if (ret->hold & ~known)
		return hp_bad_argument(error, "options.hold",
				       "has bits that are not of "
				       "enum hprof_hold");
	if (ret->notes && ret->notes->heap != heap)
		return hp_bad_argument(error, "options.notes",
				       "is of another heap");
	if (ret->threads == 0)
		ret->threads = heap->threads;
	if (ret->threads > MOST_THREADS)
		ret->threads = MOST_THREADS;
	ret->edges |= ret->referrers;
	ret->paths &= ret->dominators;
	return HPROF_OK;
}

static struct hp_graph_memo *memo_new(unsigned threads)
{
	struct hp_graph_memo *memo = hp_calloc(1, sizeof *memo);

	if (!memo)
		return NULL;
	pthread_mutex_init(&memo->lock, NULL);
	pthread_cond_init(&memo->changed, NULL);
	hp_crew_init(&memo->crew, threads);
	pthread_mutex_init(&memo->lender.lock, NULL);
	return memo;
}

static void memo_free(struct hp_graph_memo *memo)
{
	hp_spare_memory_release(&memo->lender.spare);
	pthread_mutex_destroy(&memo->lender.lock);
	hp_crew_done(&memo->crew);
	pthread_cond_destroy(&memo->changed);
	pthread_mutex_destroy(&memo->lock);
	hp_free(memo);
}

static enum hprof_status graph_new(const struct hprof_heap *heap,
				   const struct hprof_graph_options *options,
				   struct hprof_graph **ret_graph,
				   struct hprof_error *error)
{
	struct hprof_graph *g = hp_calloc(1, sizeof *g);

	if (!g)
		return hp_no_memory(error);
	g->memo = memo_new(options->threads);
	if (!g->memo) {
		hp_free(g);
		return hp_no_memory(error);
	}
	g->heap = heap;
	g->options = *options;
	g->options.notes = NULL;
	g->memo->notes = options->notes;
	g->build.threads = options->threads;
	g->build.progress = options->progress;
	g->build.progress_user = options->progress_user;
	g->build.error = error;
	*ret_graph = g;
	return HPROF_OK;
}

static enum hprof_status begin(const struct hprof_heap *heap,
			       const struct hprof_graph_options *given,
			       struct hprof_graph **ret_graph,
			       struct hprof_error *error)
{
	struct hprof_graph_options options = { 0 };
	enum hprof_status status = take_options(heap, given, &options, error);

	if (status >= 0)
		status = graph_new(heap, &options, ret_graph, error);
	if (status < 0 && options.notes)
		options.notes->ops->free(options.notes);
	return status;
}

enum hprof_status hprof_graph_build(const struct hprof_heap *heap,
				    const struct hprof_graph_options *given,
				    struct hprof_graph **ret_graph,
				    struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_graph *g = NULL;
	enum hprof_status status;

	HP_NEED(error, heap);
	HP_NEED(error, ret_graph);
	HP_TRY(begin(heap, given, &g, error));
	status = build_or_restore(g);
	g->build.error = NULL;
	if (status < 0) {
		hprof_graph_free(g);
		return status;
	}
	*ret_graph = g;
	return HPROF_OK;
}

void hprof_graph_free(struct hprof_graph *g)
{
	if (!g)
		return;
	if (g->memo->found)
		g->memo->drop(g->memo->found);
	if (g->memo->notes)
		g->memo->notes->ops->free(g->memo->notes);
	hp_build_free(&g->build, &g->referrers);
	hp_build_free(&g->build, &g->referrer_ends);
	hp_build_free(&g->build, &g->strengths);
	hp_free(g->starts);
	hp_packed_edges_done(&g->build, &g->packed);
	hp_retained_sizes_done(&g->build, &g->sizes);
	hp_edges_done(&g->build, &g->edges);
	hp_mapped_tables_release(&g->build.tables);
	hp_cache_close(&g->cache);
	memo_free(g->memo);
	hp_free(g);
}
