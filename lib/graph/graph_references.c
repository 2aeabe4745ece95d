/* SPDX-License-Identifier: MIT */
/*
 * graph_references.c - the references of single objects, both ways.
 *
 * The referrers of an object are found by a scan of all references, which is
 * fast enough for a few queries. For many queries there is the option
 * referrers, which sorts the references by target while the graph is built, and
 * never later, since a graph that threads share must not change.
 */
#include "graph/graph.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/search.h"
#include "graph/block_sum.h"

/* ---- the targets of one object ------------------------------------------- */

static void mark_irregular(struct hprof_graph *g)
{
	const struct hp_edges *e = &g->edges;

	for (size_t i = 0; i < e->run_count; i++)
		g->starts[e->runs[i].first / HP_BLOCK] |= HP_IRREGULAR;
	for (size_t i = 0; i < e->list_count; i++)
		g->starts[e->lists[i].from / HP_BLOCK] |= HP_IRREGULAR;
	/* Whole blocks are summed up. */
	g->starts[e->count / HP_BLOCK] |= HP_IRREGULAR;
}

/* Whether the degrees alone say how WALK goes on in the block from FIRST on. */
static inline bool is_regular(const struct hprof_graph *g,
			      const struct hp_edge_walk *walk, uint32_t first)
{
	return g->edges.count - first >= HP_BLOCK &&
	       (walk->run == walk->run_end ||
		walk->run->first - first >= HP_BLOCK) &&
	       (walk->list == walk->list_end ||
		walk->list->from - first >= HP_BLOCK);
}

static void pass_block(const struct hprof_graph *g, struct hp_edge_walk *walk,
		       uint32_t first)
{
	const uint32_t *targets = NULL;
	uint32_t left = g->edges.count - first;

	if (is_regular(g, walk, first)) {
		walk->at += hp_block_sum(walk->degree + first, HP_BLOCK);
		return;
	}
	for (uint32_t i = 0; i < HP_BLOCK && i < left; i++)
		hp_edge_walk_next(walk, first + i, &targets);
}

enum hprof_status hp_graph_index(struct hprof_graph *g)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(&g->edges);
	const uint32_t blocks =
		g->edges.count / HP_BLOCK + (g->edges.count % HP_BLOCK != 0);

	g->starts = hp_calloc(g->edges.count / HP_BLOCK + 1, sizeof *g->starts);
	if (!g->starts)
		return hp_no_memory(g->build.error);
	for (uint32_t i = 0; i < blocks; i++) {
		g->starts[i] = walk.at;
		hp_build_trim_memory(&g->build, i);
		pass_block(g, &walk, i * HP_BLOCK);
	}
	mark_irregular(g);
	return HPROF_OK;
}

static size_t first_run(const struct hp_edges *e, uint32_t from)
{
	size_t low;

	HP_LOWER_BOUND(&low, e->run_count, e->runs[hp_at].first < from);
	return low;
}

static size_t first_list(const struct hp_edges *e, uint32_t from)
{
	size_t low;

	HP_LOWER_BOUND(&low, e->list_count, e->lists[hp_at].from < from);
	return low;
}

static uint64_t irregular_targets(const struct hprof_graph *g, uint32_t object,
				  const uint32_t **ret)
{
	const struct hp_edges *e = &g->edges;
	struct hp_edge_walk walk = hp_edge_walk_begin(e);
	uint32_t first = object - object % HP_BLOCK;
	uint64_t count = 0;

	walk.at = g->starts[object / HP_BLOCK] & ~HP_IRREGULAR;
	walk.run += e->run_count > 1 ? first_run(e, first) : 0;
	walk.list += first_list(e, first);
	for (uint32_t i = first; i <= object; i++)
		count = hp_edge_walk_next(&walk, i, ret);
	return count;
}

uint64_t hp_graph_targets(const struct hprof_graph *g, uint32_t object,
			  const uint32_t **ret)
{
	uint64_t at = g->starts[object / HP_BLOCK];
	const uint8_t *degree = g->edges.degree.at;

	if (at & HP_IRREGULAR)
		return irregular_targets(g, object, ret);
	at += hp_block_sum(degree + (object - object % HP_BLOCK),
			   object % HP_BLOCK);
	*ret = (const uint32_t *)g->edges.target.at + at;
	return degree[object];
}

/* ---- who refers to an object --------------------------------------------- */

static void count_referrers(const struct hprof_graph *g, uint64_t *offset)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(&g->edges);
	const uint32_t *targets = NULL;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < g->edges.count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &targets);
		hp_build_trim_memory(&g->build, i);
		for (uint64_t k = 0; k < n; k++)
			if (targets[k] != HP_NONE)
				offset[targets[k]]++;
	}
	for (uint64_t i = 0; i <= g->edges.count; i++) {
		uint64_t n = offset[i];
		offset[i] = sum;
		sum += n;
	}
}

/* Afterwards OFFSET has the end of the referrers of each object. */
static void fill_referrers(const struct hprof_graph *g, uint64_t *offset,
			   uint32_t *referrers)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(&g->edges);
	const uint32_t *targets = NULL;

	for (uint32_t i = 0; i < g->edges.count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &targets);
		hp_build_trim_memory(&g->build, i);
		for (uint64_t k = 0; k < n; k++)
			if (targets[k] != HP_NONE)
				referrers[offset[targets[k]]++] = i;
	}
}

enum hprof_status hp_graph_sort_referrers(struct hprof_graph *g)
{
	uint64_t *ends;

	HP_TRY(hp_build_table(&g->build, &g->referrer_ends,
			      (uint64_t)g->edges.count + 1, sizeof *ends,
			      HP_MAPPED_TABLE_CLEAR));
	ends = g->referrer_ends.at;
	count_referrers(g, ends);
	HP_TRY(hp_build_table(&g->build, &g->referrers,
			      ends[g->edges.count] + 1, sizeof(uint32_t),
			      HP_MAPPED_TABLE_RAW));
	fill_referrers(g, ends, g->referrers.at);
	return HPROF_OK;
}

static bool refers(const uint32_t *targets, uint64_t count, uint32_t object)
{
	for (uint64_t k = 0; k < count; k++)
		if (targets[k] == object)
			return true;
	return false;
}

static void scan_all(const struct hprof_graph *g, uint32_t object,
		     hprof_object_fn *fn, void *user)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(&g->edges);
	const uint32_t *targets = NULL;

	for (uint32_t i = 0; i < g->edges.count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &targets);
		hp_build_trim_memory(&g->build, i);
		if (n && refers(targets, n, object) && !fn(user, i))
			return;
	}
}

static void look_up(const struct hprof_graph *g, uint64_t object,
		    hprof_object_fn *fn, void *user)
{
	const uint64_t *ends = g->referrer_ends.at;
	const uint32_t *referrers = g->referrers.at;
	uint64_t begin = object ? ends[object - 1] : 0;

	for (uint64_t k = begin; k < ends[object]; k++)
		if ((k == begin || referrers[k] != referrers[k - 1]) &&
		    !fn(user, referrers[k]))
			return;
}

enum hprof_status hprof_graph_referrers(const struct hprof_graph *g,
					uint64_t object, hprof_object_fn *fn,
					void *user, struct hprof_error *error)
{
	HP_TRY(hp_graph_need(g, HP_GRAPH_EDGES, error));
	HP_TRY(hp_graph_need_object(g, object, error));
	HP_NEED(error, fn);
	if (g->referrers.at)
		look_up(g, object, fn, user);
	else
		scan_all(g, (uint32_t)object, fn, user);
	return HPROF_OK;
}
