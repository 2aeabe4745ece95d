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

/* ---- many at once -------------------------------------------------------- */

/* One of the objects, or what dominates some of them. */
struct above {
	uint32_t node;
	bool is_added;	/* itself, and all below it with it */
	size_t parent;	/* SIZE_MAX: none */
	size_t waits;	/* for so many below it */
	uint64_t bytes; /* that those below it add */
};

struct climb {
	struct above *items;
	size_t count, room;
	struct hp_u64_map at; /* node + 1 -> its index, plus 1 */
};

static enum hprof_status put_above(struct climb *c, uint32_t node, size_t below)
{
	HP_TRY(hp_grow((void **)&c->items, &c->room, c->count,
		       sizeof *c->items));
	HP_TRY(hp_u64_map_put_number(&c->at, (uint64_t)node + 1, c->count));
	c->items[c->count] = (struct above){ .node = node, .parent = SIZE_MAX };
	if (below != SIZE_MAX)
		c->items[below].parent = c->count;
	c->items[c->count++].waits = below != SIZE_MAX;
	return HPROF_OK;
}

/* Takes NODE and what is above it, as far as that has not been taken. */
static enum hprof_status
climb_from(struct climb *c, const struct hprof_graph *graph, uint32_t node)
{
	size_t at = hp_u64_map_number(&c->at, (uint64_t)node + 1);
	size_t below = SIZE_MAX, first = at == HP_NO_NUMBER ? c->count : at;

	while (at == HP_NO_NUMBER && node != HP_NO_NODE) {
		HP_TRY(put_above(c, node, below));
		below = c->count - 1;
		node = hp_graph_dominator_node(graph, node);
		at = node == HP_NO_NODE
			     ? HP_NO_NUMBER
			     : hp_u64_map_number(&c->at, (uint64_t)node + 1);
	}
	if (below != SIZE_MAX && at != HP_NO_NUMBER) {
		c->items[below].parent = at;
		c->items[at].waits++;
	}
	c->items[first].is_added = true;
	return HPROF_OK;
}

/* Adds item I, for which nothing waits; what it adds to the one above it. */
static enum hprof_status settle(struct hp_leak_explained *e,
				const struct above *item, uint64_t *ret_bytes)
{
	uint64_t rest = hp_leak_explained_rest(e, item->node);

	*ret_bytes = item->is_added || rest < item->bytes ? rest : item->bytes;
	if (item->bytes)
		HP_TRY(add_below(e, item->node, item->bytes));
	if (!item->is_added)
		return HPROF_OK;
	hp_bit_set(e->tops, item->node);
	hp_bit_set(e->touched, item->node);
	return HPROF_OK;
}

/* Goes up from each that waits for nothing to the first that does. */
static enum hprof_status settle_all(struct hp_leak_explained *e,
				    struct climb *c, uint64_t *ret_bytes)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t at = i;

		/* SIZE_MAX: it is done. */
		while (at != SIZE_MAX && c->items[at].waits == 0) {
			struct above *item = &c->items[at];
			uint64_t bytes;

			HP_TRY(settle(e, item, &bytes));
			item->waits = SIZE_MAX;
			at = item->parent;
			if (at == SIZE_MAX) {
				*ret_bytes += bytes;
				break;
			}
			c->items[at].bytes += bytes;
			c->items[at].waits--;
		}
	}
	return HPROF_OK;
}

enum hprof_status hp_leak_explained_add_all(struct hp_leak_explained *e,
					    const uint32_t *nodes, size_t count,
					    uint64_t *ret_bytes)
{
	struct climb c = { .count = 0 };
	enum hprof_status status = hp_u64_map_init(&c.at, 2);

	*ret_bytes = 0;
	for (size_t i = 0; status == HPROF_OK && i < count; i++)
		status = climb_from(&c, e->graph, nodes[i]);
	if (status == HPROF_OK)
		status = settle_all(e, &c, ret_bytes);
	hp_u64_map_done(&c.at);
	hp_free(c.items);
	return status;
}
