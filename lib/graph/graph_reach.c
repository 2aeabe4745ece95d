/* SPDX-License-Identifier: MIT */
/*
 * graph_reach.c - reachable objects, retained sets, and the shortest paths from
 * the roots.
 */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/sort_numbers.h"
#include "graph/graph_cache.h"

/* ---- reachable objects --------------------------------------------------- */

/*
 * A breadth-first search: the order in which objects are found is both the
 * queue and the result.
 */
struct search {
	const struct hprof_graph *g;
	uint64_t *seen;
	uint32_t *order;
	uint64_t found;
	uint32_t *before; /* parent plus 1; NULL: not needed */
	uint64_t *fresh;  /* bits: found from the current level; or NULL */
	const bool *late; /* by kind: not to be expanded now; or NULL */
	/* Bits: the search may end when all of these are found; or NULL. */
	const uint64_t *wanted;
	uint64_t left; /* of those */
};

static inline void found_one(struct search *s, uint32_t object)
{
	hp_bit_set(s->seen, object);
	s->order[s->found++] = object;
	if (s->wanted && hp_bit(s->wanted, object))
		s->left--;
}

static inline bool is_done(const struct search *s)
{
	return s->wanted && !s->left;
}

/* Begins at the objects of BITS that are not in EXCEPT, which may be NULL. */
static void begin_at(struct search *s, const uint64_t *bits,
		     const uint64_t *except)
{
	for (uint64_t i = 0; i < hp_bit_words(s->g->edges.count); i++)
		for (uint64_t w =
			     bits[i] & ~s->seen[i] & ~(except ? except[i] : 0);
		     w; w &= w - 1) {
			uint64_t start = i << 6 | hp_bit_lowest(w);
			found_one(s, (uint32_t)start);
		}
}

static inline void find(struct search *s, uint32_t object, uint32_t to)
{
	if (hp_bit(s->seen, to))
		return;
	found_one(s, to);
	if (!s->before)
		return;
	hp_bit_set(s->fresh, to);
	s->before[to] = object + 1;
}

static inline void expand(struct search *s, uint32_t object)
{
	const uint32_t *to = NULL;
	uint64_t n = hp_graph_targets(s->g, object, &to);

	for (uint64_t k = 0; k < n; k++)
		if (to[k] != HP_NONE)
			find(s, object, to[k]);
}

static inline void expand_packed(struct search *s, uint32_t object)
{
	struct hp_packed_walk walk =
		hp_packed_edges_of(&s->g->packed, &s->g->edges, object);
	uint32_t to;
	bool own;

	while (hp_packed_walk_next(&walk, &to, &own))
		find(s, object, to);
}

static void expand_any(struct search *s, uint32_t object)
{
	if (s->g->packed.bytes.at)
		expand_packed(s, object);
	else
		expand(s, object);
}

/*
 * Sorts the level from AT up to END. Then of several referrers on the level
 * before, an object gets the one with the lowest number; and what is visited
 * next is near in memory. A large level is read off the bits.
 */
static void sort_level(struct search *s, uint64_t at, uint64_t end)
{
	const size_t words = hp_bit_words(s->g->edges.count);
	uint32_t *order = s->order + at;

	if (end - at < words / 4) {
		for (uint64_t k = at; k < end; k++)
			s->fresh[s->order[k] >> 6] = 0;
		if (end - at > 1)
			qsort(order, (size_t)(end - at), sizeof *order,
			      hp_compare_numbers);
		return;
	}
	hp_list_bits(s->fresh, words, order);
	memset(s->fresh, 0, words * sizeof *s->fresh);
}

static inline bool is_late(const bool *late, const struct hprof_graph *g,
			   uint32_t object)
{
	return late && late[hp_graph_kind(g, object)];
}

/* Visits the objects found from number AT on, level by level. */
static void expand_frontier(struct search *s, uint64_t at)
{
	uint64_t end = s->found;

	while (at < end) {
		for (; at < end && !is_done(s); at++) {
			if (!is_late(s->late, s->g, s->order[at]))
				expand_any(s, s->order[at]);
			hp_build_trim_memory(&s->g->build, at);
		}
		if (is_done(s))
			return;
		end = s->found;
		if (s->fresh)
			sort_level(s, at, end);
	}
}

enum hprof_status hp_graph_reach(struct hprof_graph *g)
{
	struct hp_mapped_table order = { 0 };
	struct search s = { .g = g };

	HP_TRY(hp_build_phase(&g->build, "reachable objects"));
	s.seen = hp_calloc(hp_bit_words(g->edges.count), sizeof *s.seen);
	g->sizes.reachable = s.seen;
	if (!s.seen)
		return hp_no_memory(g->build.error);
	HP_TRY(hp_build_table(&g->build, &order, g->edges.count,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	s.order = order.at;
	begin_at(&s, g->edges.roots, NULL);
	expand_frontier(&s, 0);
	hp_build_free(&g->build, &order);
	return HPROF_OK;
}

/* Moves the objects that were left out to the end of the order. */
static uint64_t collect_late(struct search *s, const bool *late)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < s->found; i++)
		if (is_late(late, s->g, s->order[i])) {
			s->order[count++] = s->order[i];
			hp_bit_set(s->fresh, s->order[i]);
		}
	return count;
}

/*
 * Then visits those, and what only they lead to. What was visited already is
 * no longer needed in the order.
 */
static void expand_late(struct search *s)
{
	const bool *late = s->late;

	s->late = NULL;
	if (!late || is_done(s))
		return;
	s->found = collect_late(s, late);
	sort_level(s, 0, s->found);
	expand_frontier(s, 0);
}

/* ---- shortest paths ------------------------------------------------------ */

struct hprof_shortest_paths {
	const struct hprof_graph *graph;
	struct hp_mapped_tables tables;
	struct hp_mapped_table before; /* u32[count]: parent plus 1 */
	struct hp_kept_paths *kept;    /* which that may be borrowed from */
};

/* Visits what leads away from where the search has begun. */
static void expand_begun(struct search *s)
{
	for (uint64_t i = 0; i < s->found; i++)
		hp_bit_set(s->fresh, s->order[i]);
	sort_level(s, 0, s->found);
	expand_frontier(s, 0);
	expand_late(s);
}

static enum hprof_status search_paths(struct hprof_shortest_paths *paths,
				      const struct hp_path_policy *policy,
				      struct hp_mapped_table *order,
				      uint64_t *bits, struct hprof_error *error)
{
	const struct hprof_graph *g = paths->graph;

	HP_TRY(hp_mapped_table_make(&paths->tables, &paths->before,
				    g->edges.count, sizeof(uint32_t),
				    HP_MAPPED_TABLE_CLEAR, error));
	HP_TRY(hp_mapped_table_make(&paths->tables, order, g->edges.count,
				    sizeof(uint32_t), HP_MAPPED_TABLE_RAW,
				    error));
	struct search s = {
		.g = g,
		.seen = bits,
		.order = order->at,
		.before = paths->before.at,
		.fresh = bits + hp_bit_words(g->edges.count),
		.late = policy->late,
		.wanted = policy->wanted,
	};

	for (size_t i = 0; s.wanted && i < hp_bit_words(g->edges.count); i++)
		s.left += hp_bit_count(s.wanted[i]);
	begin_at(&s, g->edges.roots, policy->passing);
	if (policy->starts)
		begin_at(&s, policy->starts, NULL);
	expand_begun(&s);
	if (policy->passing && !is_done(&s)) {
		s.found = 0;
		s.late = policy->late;
		begin_at(&s, g->edges.roots, NULL);
		expand_begun(&s);
	}
	return HPROF_OK;
}

static enum hprof_status find_paths(struct hprof_shortest_paths *paths,
				    const struct hp_path_policy *policy,
				    struct hprof_error *error)
{
	const struct hprof_graph *g = paths->graph;
	struct hp_mapped_table order = { 0 };
	uint64_t *bits =
		hp_calloc(2 * hp_bit_words(g->edges.count), sizeof *bits);
	enum hprof_status status;

	if (!bits)
		return hp_no_memory(error);
	hp_graph_begin_tables(g, &paths->tables, g->build.tables.limit);
	status = search_paths(paths, policy, &order, bits, error);
	hp_mapped_table_free(&paths->tables, &order);
	hp_mapped_tables_release(&paths->tables);
	hp_free(bits);
	if (status >= 0)
		hp_paths_save(g, policy, paths->before.at);
	return status;
}

enum hprof_status hp_shortest_paths_build(
	const struct hprof_graph *g, const struct hp_path_policy *policy,
	struct hprof_shortest_paths **ret_paths, struct hprof_error *error)
{
	struct hprof_shortest_paths *paths = hp_calloc(1, sizeof *paths);
	struct hp_path_policy how = *policy;
	enum hprof_status status = HPROF_OK;

	if (!paths)
		return hp_no_memory(error);
	/* What is kept is for other questions, too. */
	if (hp_paths_can_be_kept(g))
		how.wanted = NULL;
	paths->graph = g;
	paths->kept = hp_calloc(1, sizeof *paths->kept);
	if (!paths->kept)
		status = hp_no_memory(error);
	else if (!hp_paths_restore(g, &how, paths->kept, &paths->before))
		status = find_paths(paths, &how, error);
	if (status < 0) {
		hprof_shortest_paths_free(paths);
		return status;
	}
	*ret_paths = paths;
	return HPROF_OK;
}

enum hprof_status
hprof_shortest_paths_build(const struct hprof_graph *g,
			   struct hprof_shortest_paths **ret_paths,
			   struct hprof_error *error)
{
	const struct hp_path_policy policy = { NULL, NULL, NULL, NULL };

	HP_TRY(hp_graph_need(g, HP_GRAPH_EDGES, error));
	HP_NEED(error, ret_paths);
	return hp_shortest_paths_build(g, &policy, ret_paths, error);
}

const uint32_t *
hp_shortest_paths_before(const struct hprof_shortest_paths *paths)
{
	return paths->before.at;
}

uint64_t hprof_shortest_paths_parent(const struct hprof_shortest_paths *paths,
				     uint64_t object)
{
	const struct hprof_graph *g = paths ? paths->graph : NULL;
	const uint32_t *before;

	if (!hp_graph_has(g, object))
		return HPROF_NO_OBJECT;
	before = paths->before.at;
	if (paths->kept->ended &&
	    !hp_kept_paths_end(paths->kept, before, (uint32_t)object))
		return HPROF_NO_OBJECT;
	if (g->packed.bytes.at && !hp_packed_edges_have(&g->packed, object))
		return hprof_graph_is_reachable(g, object)
			       ? hprof_graph_dominator(g, object)
			       : HPROF_NO_OBJECT;
	return before[object] ? before[object] - 1 : HPROF_NO_OBJECT;
}

uint64_t hprof_shortest_paths_depth(const struct hprof_shortest_paths *paths,
				    uint64_t object)
{
	uint64_t length = 0, at = object;

	if (!paths || !hprof_graph_is_reachable(paths->graph, object))
		return UINT64_MAX;
	while ((at = hprof_shortest_paths_parent(paths, at)) != HPROF_NO_OBJECT)
		length++;
	return length;
}

void hprof_shortest_paths_free(struct hprof_shortest_paths *paths)
{
	if (!paths)
		return;
	hp_mapped_table_free(&paths->tables, &paths->before);
	hp_mapped_tables_release(&paths->tables);
	if (paths->kept)
		hp_kept_paths_done(paths->kept);
	hp_free(paths->kept);
	hp_free(paths);
}

/* ---- the retained set ---------------------------------------------------- */

struct set {
	const struct hprof_graph *g;
	uint64_t *in;
	uint32_t *todo;
	size_t left, room;
};

/*
 * A retained object can be reached through retained ones, and its dominator is
 * on the way. So the target of a reference from inside is retained if its
 * dominator is.
 */
static enum hprof_status add_targets(struct set *s, uint32_t object)
{
	const uint32_t *to = NULL;
	uint64_t n = hp_graph_targets(s->g, object, &to);

	for (uint64_t k = 0; k < n; k++) {
		if (to[k] == HP_NONE || hp_bit(s->in, to[k]))
			continue;
		uint64_t dominator = hprof_graph_dominator(s->g, to[k]);
		if (dominator == HPROF_NO_OBJECT || !hp_bit(s->in, dominator))
			continue;
		HP_TRY(hp_grow((void **)&s->todo, &s->room, s->left,
			       sizeof *s->todo));
		hp_bit_set(s->in, to[k]);
		s->todo[s->left++] = to[k];
	}
	return HPROF_OK;
}

static enum hprof_status call_for_set(struct set *s, uint32_t object,
				      hprof_object_fn *fn, void *user,
				      struct hprof_error *error)
{
	uint64_t steps = 0;

	hp_bit_set(s->in, object);
	while (fn(user, object)) {
		if (add_targets(s, object) != HPROF_OK)
			return hp_no_memory(error);
		if (s->left == 0)
			break;
		object = s->todo[--s->left];
		hp_build_trim_memory(&s->g->build, ++steps);
	}
	return HPROF_OK;
}

enum hprof_status hprof_graph_retained_set(const struct hprof_graph *g,
					   uint64_t object, hprof_object_fn *fn,
					   void *user,
					   struct hprof_error *error)
{
	struct set s = { .g = g };
	enum hprof_status status;

	HP_TRY(hp_graph_need(g, HP_GRAPH_EDGES | HP_GRAPH_DOMINATORS, error));
	HP_TRY(hp_graph_need_object(g, object, error));
	HP_NEED(error, fn);
	if (!g->options.unreachable && !hp_bit(g->sizes.reachable, object))
		return hp_bad_argument(error, "object",
				       "is unreachable, and the graph was "
				       "built without option unreachable");
	s.in = hp_calloc(hp_bit_words(g->edges.count), sizeof *s.in);
	if (!s.in)
		return hp_no_memory(error);
	status = call_for_set(&s, (uint32_t)object, fn, user, error);
	hp_free(s.todo);
	hp_free(s.in);
	return status;
}
