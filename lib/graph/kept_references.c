/* SPDX-License-Identifier: MIT */
/*
 * kept_references.c - see kept_references.h.
 */
#include "graph/kept_references.h"

static struct hp_kept_walk begin(const struct hprof_graph *g, uint32_t object,
				 const uint32_t *to, uint64_t count)
{
	const struct hp_packed_edges *kept = &g->packed;

	if (!hp_packed_edges_have(kept, object))
		count = 0;
	return (struct hp_kept_walk){ .to = to,
				      .end = count ? to + count : to,
				      .kept = kept,
				      .of = hp_packed_edges_class(
					      kept, &g->edges, object) };
}

struct hp_kept_walk hp_kept_references_of(const struct hprof_graph *g,
					  uint32_t object)
{
	const uint32_t *to = NULL;
	uint64_t count;

	if (g->packed.bytes.at)
		return (struct hp_kept_walk){ .packed = hp_packed_edges_of(
						      &g->packed, &g->edges,
						      object) };
	count = hp_graph_targets(g, object, &to);
	return begin(g, object, to, count);
}

/* Passes what WALK finds on in pieces. */
static void pass(struct hp_kept_walk *walk, uint32_t object, hp_targets_fn *fn,
		 void *user)
{
	enum { PIECE = 64 };
	uint32_t targets[PIECE];
	uint64_t n = 0;
	bool own;

	while (hp_kept_walk_next(walk, &targets[n], &own))
		if (++n == PIECE) {
			fn(user, object, targets, n);
			n = 0;
		}
	if (n)
		fn(user, object, targets, n);
}

static void each_packed(const struct hprof_graph *g, hp_targets_fn *fn,
			void *user)
{
	for (uint32_t i = 0; i < g->edges.count; i++) {
		struct hp_kept_walk walk = hp_kept_references_of(g, i);

		hp_build_trim_memory(&g->build, i);
		pass(&walk, i, fn, user);
	}
}

static void each_chosen(const struct hprof_graph *g, hp_targets_fn *fn,
			void *user)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(&g->edges);
	const uint32_t *targets = NULL;

	for (uint32_t i = 0; i < g->edges.count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &targets);
		struct hp_kept_walk kept = begin(g, i, targets, n);

		hp_build_trim_memory(&g->build, i);
		pass(&kept, i, fn, user);
	}
}

static void each_of_all(const struct hprof_graph *g, hp_targets_fn *fn,
			void *user)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(&g->edges);
	const uint32_t *targets = NULL;

	for (uint32_t i = 0; i < g->edges.count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &targets);
		hp_build_trim_memory(&g->build, i);
		if (n)
			fn(user, i, targets, n);
	}
}

void hp_graph_each(const struct hprof_graph *g, hp_targets_fn *fn, void *user)
{
	if (!hp_graph_has_kept(g))
		each_of_all(g, fn, user);
	else if (g->packed.bytes.at)
		each_packed(g, fn, user);
	else
		each_chosen(g, fn, user);
}
