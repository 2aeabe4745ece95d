/* SPDX-License-Identifier: MIT */
/*
 * leak_explained.c - see leak_explained.h.
 *
 * What a suspect retains is noted at each object that dominates it. In long
 * lists these are many; so the way up ends after CLIMB_MOST steps.
 */
#include "leaks/leak_explained.h"

#include "base/error.h"
#include "base/mem.h"

enum { CLIMB_MOST = 4096 };

enum hprof_status hp_leak_explained_init(struct hp_leak_explained *e,
					 const struct hprof_graph *graph)
{
	size_t words = hp_bit_words(graph->edges.count);

	*e = (struct hp_leak_explained){ .graph = graph };
	e->tops = hp_calloc(words, sizeof *e->tops);
	e->touched = hp_calloc(words, sizeof *e->touched);
	if (!e->tops || !e->touched)
		return HPROF_E_NOMEM;
	return hp_u64_map_init(&e->below, 2);
}

void hp_leak_explained_done(struct hp_leak_explained *e)
{
	hp_free(e->tops);
	hp_free(e->touched);
	hp_u64_map_done(&e->below);
	hp_arena_done(&e->arena);
	*e = (struct hp_leak_explained){ .graph = NULL };
}

bool hp_leak_explained_has(const struct hp_leak_explained *e, uint32_t node)
{
	for (unsigned i = 0; node != HP_NO_NODE && i < CLIMB_MOST; i++) {
		if (hp_bit(e->tops, node))
			return true;
		node = hp_graph_dominator_node(e->graph, node);
	}
	return false;
}

static enum hprof_status add_below(struct hp_leak_explained *e, uint32_t node,
				   uint64_t bytes)
{
	uint64_t *sum = hp_u64_map_get(&e->below, (uint64_t)node + 1);

	if (!sum) {
		sum = hp_arena_take(&e->arena, sizeof *sum);
		if (!sum)
			return HPROF_E_NOMEM;
		*sum = 0;
		HP_TRY(hp_u64_map_put(&e->below, (uint64_t)node + 1, sum));
	}
	hp_bit_set(e->touched, node);
	*sum += bytes;
	return HPROF_OK;
}

uint64_t hp_leak_explained_rest_of(const struct hp_leak_explained *e,
				   uint32_t node)
{
	uint64_t all = hprof_graph_retained(e->graph, node);
	const uint64_t *sum = hp_u64_map_get(&e->below, (uint64_t)node + 1);

	if (hp_bit(e->tops, node))
		return 0;
	return sum && *sum < all ? all - *sum : sum ? 0 : all;
}

uint64_t hp_leak_explained_mark(struct hp_leak_explained *e, uint32_t node)
{
	uint64_t bytes = hp_leak_explained_rest(e, node);

	hp_bit_set(e->tops, node);
	hp_bit_set(e->touched, node);
	return bytes;
}

enum hprof_status hp_leak_explained_note(struct hp_leak_explained *e,
					 uint32_t dominator, uint64_t bytes)
{
	for (unsigned i = 0; bytes && i < CLIMB_MOST; i++) {
		if (dominator == HP_NO_NODE)
			break;
		HP_TRY(add_below(e, dominator, bytes));
		dominator = hp_graph_dominator_node(e->graph, dominator);
	}
	return HPROF_OK;
}

enum hprof_status hp_leak_explained_add(struct hp_leak_explained *e,
					uint32_t node, uint64_t *ret_bytes)
{
	*ret_bytes = 0;
	if (hp_leak_explained_has(e, node))
		return HPROF_OK;
	*ret_bytes = hp_leak_explained_mark(e, node);
	return hp_leak_explained_note(
		e, hp_graph_dominator_node(e->graph, node), *ret_bytes);
}
