/* SPDX-License-Identifier: MIT */
/*
 * dominator_numbering.c - nodes numbered in depth-first order.
 *
 * All targets of a node are pushed with it as their parent, so that the first
 * is on top; a popped node that was visited meanwhile is dropped. This visits
 * nodes in the same order as recursion, needs no position in each list of
 * targets, and allows prefetching. The stack is never longer than there are
 * edges.
 */
#include "graph/dominators.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

struct item {
	uint32_t node, parent;
};

struct walk {
	struct hp_build *build;
	const uint32_t *offset, *target;
	struct hp_mapped_table stack_table;
	struct item *stack;
	uint64_t backed; /* stack items that have memory */
	uint64_t *visited;
	uint32_t *number, *parent; /* NULL: only visits matter */
	uint32_t next;
	uint64_t steps;
};

enum { STACK_STEP = 1 << 18, PROGRESS = 1 << 20 };

/* Makes room for N more items. */
static enum hprof_status grow(struct walk *w, uint64_t used, uint64_t n)
{
	if (used + n <= w->backed)
		return HPROF_OK;
	uint64_t to = (used + n + STACK_STEP) & ~(uint64_t)(STACK_STEP - 1);
	uint64_t most = w->stack_table.bytes / sizeof(struct item);

	if (to > most)
		to = most;
	HP_TRY(hp_mapped_table_back(&w->stack_table,
				    w->backed * sizeof(struct item),
				    to * sizeof(struct item), w->build->error));
	w->backed = to;
	return HPROF_OK;
}

static inline uint64_t push_targets(struct walk *w, uint64_t top, uint32_t node,
				    uint32_t as)
{
	uint32_t begin = w->offset[node];

	for (uint32_t e = w->offset[node + 1]; e > begin; e--) {
		uint32_t to = w->target[e - 1];
		if (hp_bit(w->visited, to))
			continue;
		w->stack[top++] = (struct item){ to, as };
		hp_build_trim_memory_within(w->build, e);
		__builtin_prefetch(&w->offset[to]);
	}
	if (top > 3) {
		__builtin_prefetch(
			&w->target[w->offset[w->stack[top - 1].node]]);
		__builtin_prefetch(
			&w->target[w->offset[w->stack[top - 4].node]]);
	}
	return top;
}

/* Visits everything reachable from ROOT that was not visited yet. */
static enum hprof_status visit(struct walk *w, uint32_t root)
{
	uint64_t top = 0;

	if (hp_bit(w->visited, root))
		return HPROF_OK;
	w->stack[top++] = (struct item){ root, 0 };
	while (top > 0) {
		struct item item = w->stack[--top];
		if (hp_bit(w->visited, item.node))
			continue;
		hp_bit_set(w->visited, item.node);
		if (w->number) {
			w->number[item.node] = ++w->next;
			w->parent[w->next] = item.parent;
		}
		HP_TRY(grow(w, top,
			    w->offset[item.node + 1] - w->offset[item.node]));
		top = push_targets(w, top, item.node, w->next);
		hp_build_trim_memory(w->build, ++w->steps);
		if (w->steps % PROGRESS == 0)
			HP_TRY(hp_build_progress(w->build, w->steps, 0));
	}
	return HPROF_OK;
}

static enum hprof_status visit_bits(struct walk *w, const uint64_t *bits,
				    uint32_t count)
{
	for (uint64_t i = 0; i < hp_bit_words(count); i++)
		for (uint64_t word = bits[i]; word; word &= word - 1)
			HP_TRY(visit(w,
				     (uint32_t)(i << 6 | hp_bit_lowest(word))));
	return HPROF_OK;
}

/* ---- cycles without incoming edges --------------------------------------- */

/*
 * Walks from each node that is not visited yet, in ascending order. No node
 * outside a cycle without incoming edges visits it, so its first node begins a
 * walk. So do nodes to which only later ones lead. Walking once more, from the
 * last such beginning to the first, visits these before their turn.
 */
static enum hprof_status find_cycles(struct walk *w, uint32_t count,
				     uint64_t *visited, uint64_t *begins)
{
	const size_t words = hp_bit_words(count);
	uint64_t *of_walk = w->visited;
	enum hprof_status status = HPROF_OK;

	memcpy(visited, of_walk, words * sizeof *visited);
	w->visited = visited;
	for (uint32_t v = 0; v < count && status == HPROF_OK; v++) {
		if (hp_bit(visited, v))
			continue;
		hp_bit_set(begins, v);
		status = visit(w, v);
	}
	memcpy(visited, of_walk, words * sizeof *visited);
	for (uint32_t v = count; v > 0 && status == HPROF_OK; v--) {
		if (!hp_bit(begins, v - 1))
			continue;
		if (hp_bit(visited, v - 1))
			begins[(v - 1) >> 6] &=
				~((uint64_t)1 << ((v - 1) & 63));
		else
			status = visit(w, v - 1);
	}
	w->visited = of_walk;
	return status;
}

static enum hprof_status visit_cycles(struct walk *w, uint32_t count)
{
	const size_t words = hp_bit_words(count);
	uint64_t *visited = hp_calloc(words, 2 * sizeof *visited);
	uint32_t *number = w->number;
	enum hprof_status status;

	if (!visited)
		return hp_no_memory(w->build->error);
	w->number = NULL;
	status = find_cycles(w, count, visited, visited + words);
	w->number = number;
	if (status == HPROF_OK)
		status = visit_bits(w, visited + words, count);
	hp_free(visited);
	return status;
}

/* ---- entry points -------------------------------------------------------- */

static enum hprof_status visit_all(struct walk *w, struct hp_dominators *dom)
{
	HP_TRY(visit_bits(w, dom->roots, dom->count));
	dom->live = w->next;
	if (dom->heads) {
		HP_TRY(visit_bits(w, dom->heads, dom->count));
		if (w->next < dom->count)
			HP_TRY(visit_cycles(w, dom->count));
	}
	dom->reached = w->next;
	return HPROF_OK;
}

enum hprof_status hp_dominators_number(struct hp_build *build,
				       struct hp_dominators *dom)
{
	const uint32_t *offset = dom->offset.at;
	struct walk w = { .build = build,
			  .offset = offset,
			  .target = dom->target.at };
	enum hprof_status status;

	HP_TRY(hp_build_table(build, &dom->number, (uint64_t)dom->count + 1,
			      sizeof(uint32_t), HP_MAPPED_TABLE_CLEAR));
	HP_TRY(hp_build_table(build, &dom->idom, (uint64_t)dom->count + 1,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	w.number = dom->number.at;
	w.parent = dom->idom.at;
	w.visited = hp_calloc(hp_bit_words(dom->count), sizeof *w.visited);
	if (!w.visited)
		return hp_no_memory(build->error);
	uint64_t most = (uint64_t)offset[dom->count] + 1;
	status = hp_mapped_table_make_parts(
		&build->tables, &w.stack_table, most, sizeof(struct item),
		HP_MAPPED_TABLE_PARTS, most, build->error);
	w.stack = w.stack_table.at;
	if (status == HPROF_OK)
		status = grow(&w, 0, 1);
	if (status == HPROF_OK)
		status = visit_all(&w, dom);
	hp_build_free(build, &w.stack_table);
	hp_free(w.visited);
	return status;
}
