/* SPDX-License-Identifier: MIT */
/* graph_check.c - see graph_check.h. */
#include "graph/graph_check.h"

#include <string.h>

#include "base/parallel_for.h"

struct check {
	const struct hprof_graph *graph;
	bool bad;
};

/* One check runs in many spans; a thread only ever sets its own to bad. */
static void check_objects(void *state, uint32_t begin, uint32_t end)
{
	struct check *c = state;
	const struct hprof_graph *g = c->graph;
	const uint32_t *dominator = g->sizes.dominator.at;
	const uint32_t kinds = hp_kind_count(g->heap->infos->count);
	const bool all = g->options.unreachable;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t up = dominator[i];
		if (hp_graph_kind(g, i) >= kinds)
			c->bad = true;
		if (up == 0 || (!all && !hp_bit(g->sizes.reachable, i)))
			continue;
		if (up > g->edges.count ||
		    hp_retained_sizes_retained(&g->sizes, up - 1) <
			    hp_retained_sizes_retained(&g->sizes, i) +
				    g->sizes.unit)
			c->bad = true;
	}
}

/* Whether CHECK finds nothing among COUNT things. */
static bool check_all(const struct hprof_graph *g, uint32_t count,
		      hp_parallel_for_fn *check)
{
	enum { MOST = 64 };
	unsigned threads =
		g->options.threads < MOST ? g->options.threads : MOST;
	struct check checks[MOST];
	void *states[MOST];
	bool good = true;

	threads = hp_parallel_for_threads(count, threads);
	for (unsigned i = 0; i < threads; i++) {
		checks[i] = (struct check){ .graph = g };
		states[i] = &checks[i];
	}
	hp_parallel_for(count, threads, states, check);
	for (unsigned i = 0; i < threads; i++)
		good = good && !checks[i].bad;
	return good;
}

bool hp_graph_good_objects(const struct hprof_graph *g)
{
	return check_all(g, g->edges.count, check_objects);
}

/* So many numbers are checked at once. */
enum { ROW = 64 };

/* HP_NONE plus 1 is 0. */
static void check_targets(void *state, uint32_t begin, uint32_t end)
{
	struct check *c = state;
	const struct hp_edges *e = &c->graph->edges;
	const uint32_t *targets = (const uint32_t *)e->target.at,
		       most = e->count;

	for (uint32_t row = begin; row < end; row++) {
		const uint32_t *at = targets + (uint64_t)row * ROW;
		uint32_t bad = 0;

		for (unsigned i = 0; i < ROW; i++)
			bad |= at[i] + 1 > most;
		c->bad |= bad;
	}
}

bool hp_graph_good_targets(const struct hprof_graph *g)
{
	const struct hp_edges *e = &g->edges;
	const uint32_t *targets = e->target.at;
	uint64_t rows = e->target_count / ROW;

	for (uint64_t i = rows * ROW; i < e->target_count; i++)
		if (targets[i] + 1 > e->count)
			return false;
	return rows <= UINT32_MAX &&
	       check_all(g, (uint32_t)rows, check_targets);
}

/* Whether one of a block of degrees stands for a list. */
static inline bool has_list(const uint8_t *degree)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t word, any = 0;

	for (unsigned i = 0; i < HP_BLOCK; i += 8) {
		memcpy(&word, degree + i, 8);
		word = ~word; /* a byte that is 0 now was HP_DEGREE_LIST */
		any |= (word - ones) & ~word & ones << 7;
	}
	return any;
}

/* All targets belong to objects, in their order. */
static bool good_degrees(const struct hp_edges *e)
{
	const uint8_t *degree = e->degree.at;
	uint64_t at = 0;
	size_t list = 0;

	for (uint32_t i = 0; i < e->count; i++) {
		while (i % HP_BLOCK == 0 && e->count - i > HP_BLOCK &&
		       !has_list(degree + i)) {
			at += hp_block_sum(degree + i, HP_BLOCK);
			i += HP_BLOCK;
		}
		if (degree[i] != HP_DEGREE_LIST) {
			at += degree[i];
			continue;
		}
		const struct hp_edge_list *l = &e->lists[list];
		unsigned char apart;
		if (list == e->list_count)
			return false;
		memcpy(&apart, &l->apart, 1);
		if (l->from != i || apart || l->at != at ||
		    l->count > e->target_count - at)
			return false;
		at += l->count;
		list++;
		if (at > e->target_count)
			return false;
	}
	return at == e->target_count && list == e->list_count;
}

static bool good_larges(const struct hp_edges *e)
{
	for (size_t i = 0; i < e->large_count; i++)
		if (e->larges[i].index >= e->count ||
		    (i && e->larges[i].index <= e->larges[i - 1].index))
			return false;
	return true;
}

bool hp_graph_good_lists(const struct hp_edges *e)
{
	return good_larges(e) && good_degrees(e);
}

bool hp_graph_good_weaks(const struct hp_edges *e)
{
	for (size_t i = 0; i < e->weak_count; i++)
		if (e->weaks[i].from >= e->count ||
		    (e->weaks[i].to >= e->count && e->weaks[i].to != HP_NONE))
			return false;
	return true;
}

bool hp_graph_good_strengths(const uint8_t *strengths, uint32_t count)
{
	const uint32_t whole = count - count % ROW;
	uint8_t bad = 0;

	for (uint32_t i = 0; i < whole; i += ROW)
		for (unsigned k = 0; k < ROW; k++)
			bad |= strengths[i + k] >= HPROF_STRENGTHS;
	for (uint32_t i = whole; i < count; i++)
		bad |= strengths[i] >= HPROF_STRENGTHS;
	return !bad;
}

/*
 * Roots are kept; a search that could meet one that is not might go around in a
 * circle.
 */
bool hp_graph_good_kept(const struct hprof_graph *g)
{
	const struct hp_packed_edges *p = &g->packed;

	for (size_t i = 0; i < p->class_count; i++)
		if (p->classes[i] >= g->edges.count && p->classes[i] != HP_NONE)
			return false;
	for (size_t i = 0; i < hp_bit_words(g->edges.count); i++)
		if (g->edges.roots[i] & ~p->blocks[i].kept)
			return false;
	return true;
}
