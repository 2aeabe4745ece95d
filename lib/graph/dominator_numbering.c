/* SPDX-License-Identifier: MIT */
/*
 * dominator_numbering.c - nodes numbered in depth-first order.
 *
 * All targets of a node are pushed with it as their parent, so that the first
 * is on top; a popped node that was visited meanwhile is dropped. This visits
 * nodes in the same order as recursion, needs no position in each list of
 * targets, and allows prefetching. The stack is never longer than there are
 * edges.
 *
 * The walk also sorts out the edges, since it has them at hand. An edge to a
 * node that is not visited yet leads to a larger number, and the first one to a
 * node comes from its least predecessor: nothing else is needed of such edges.
 * The others stay in the table.
 */
#include "graph/dominators.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/populate.h"
#include "base/prefetch.h"

struct item {
	uint32_t node, parent;
	uint32_t edge; /* by which it is reached */
};

struct walk {
	struct hp_build *build;
	const uint32_t *offset;
	uint32_t *target;
	struct hp_mapped_table stack_table;
	struct item *stack;
	uint64_t backed; /* stack items that have memory */
	struct hp_populate populate;
	/*
	 * Two bits for each node, beside each other: whether it is visited, and
	 * whether it is met, that is, a visited node refers to it.
	 */
	uint64_t *state;
	/*
	 * Of a node that is met, but not visited, NUMBER is the least
	 * predecessor or its rank. NULL: only visits matter.
	 */
	uint32_t *number, *parent, *least;
	struct hp_meeting *met; /* by rank; NULL: nodes are no trees */
	uint32_t *entry;
	uint32_t next, last_rank;
	uint64_t steps;
};

enum { VISITED = 1, MET = 2, STACK_STEP = 1 << 18, PROGRESS = 1 << 20 };

static size_t state_words(uint32_t count)
{
	return hp_bit_words(2 * (uint64_t)count);
}

static inline bool is_visited(const uint64_t *state, uint32_t node)
{
	return hp_bit(state, 2 * (uint64_t)node);
}

/* Drops what was visited meanwhile, often most of a high stack. */
static uint64_t sweep(struct walk *w, uint64_t used)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < used; i++) {
		w->stack[kept] = w->stack[i];
		kept += !is_visited(w->state, w->stack[i].node);
		hp_build_trim_memory(w->build, i);
	}
	return kept;
}

/*
 * Makes room for N more items above *TOP, which may be lowered. The room grows
 * by half, so that sweeps take no longer than what they go over took to push.
 */
static enum hprof_status grow(struct walk *w, uint64_t *top, uint64_t n)
{
	if (*top + n <= w->backed)
		return HPROF_OK;
	*top = sweep(w, *top);
	if (*top + n <= w->backed / 4 * 3)
		return HPROF_OK;
	uint64_t to = *top + n > w->backed ? *top + n : w->backed;
	uint64_t most = w->stack_table.bytes / sizeof(struct item);

	to = (to + to / 2 + STACK_STEP) & ~(uint64_t)(STACK_STEP - 1);
	if (to > most)
		to = most;
	HP_TRY(hp_mapped_table_back(&w->stack_table,
				    w->backed * sizeof(struct item),
				    to * sizeof(struct item), w->build->error));
	w->backed = to;
	hp_populate_front(&w->populate, to * sizeof(struct item));
	return HPROF_OK;
}

/* Node AS meets another one: returns what stands for AS in `least`. */
static inline uint32_t meet(struct walk *w, uint32_t as, uint32_t edge)
{
	if (!w->met)
		return as;
	w->met[++w->last_rank] = (struct hp_meeting){ as, edge };
	return w->last_rank;
}

/*
 * The targets that were visited before are moved to the end of the list, behind
 * HP_NO_TARGET if there are others.
 */
static inline __attribute__((always_inline)) uint64_t
push_targets(struct walk *w, uint64_t top, uint32_t node, uint32_t as,
	     const bool numbers)
{
	const uint32_t begin = w->offset[node], end = w->offset[node + 1];
	uint32_t kept = end;

	for (uint32_t e = end; e > begin; e--) {
		uint32_t to = w->target[e - 1];
		uint64_t *word = &w->state[to >> 5];
		unsigned shift = 2 * (to & 31);
		if (*word >> shift & VISITED) {
			if (numbers)
				w->target[--kept] = to;
			continue;
		}
		w->stack[top++] = (struct item){ to, as, e - 1 };
		hp_prefetch(&w->offset[to]);
		if (numbers && !(*word >> shift & MET)) {
			*word |= (uint64_t)MET << shift;
			w->number[to] = meet(w, as, e - 1);
		}
		hp_build_trim_memory_within(w->build, e);
	}
	if (numbers && kept > begin)
		w->target[kept - 1] = HP_NO_TARGET;
	if (top > 5) {
		const uint32_t next = w->stack[top - 1].node;
		const uint32_t later = w->stack[top - 6].node;
		hp_prefetch(&w->target[w->offset[next]]);
		hp_prefetch(&w->target[w->offset[later]]);
		if (numbers) {
			hp_prefetch_write(&w->number[next]);
			hp_prefetch_write(&w->number[later]);
		}
	}
	return top;
}

static inline void give_number(struct walk *w, const struct item *item)
{
	uint32_t number = ++w->next;

	w->parent[number] = item->parent;
	w->least[number] = w->number[item->node];
	w->number[item->node] = number;
	if (w->entry)
		w->entry[number] = item->edge;
}

/* Visits everything reachable from ROOT that was not visited yet. */
static enum hprof_status visit(struct walk *w, uint32_t root)
{
	uint64_t top = 0;

	if (is_visited(w->state, root))
		return HPROF_OK;
	w->stack[top++] = (struct item){ root, 0, 0 };
	while (top > 0) {
		struct item item = w->stack[--top];
		if (is_visited(w->state, item.node))
			continue;
		hp_bit_set(w->state, 2 * (uint64_t)item.node);
		HP_TRY(grow(w, &top,
			    w->offset[item.node + 1] - w->offset[item.node]));
		if (w->number) {
			give_number(w, &item);
			top = push_targets(w, top, item.node, w->next, true);
		} else {
			top = push_targets(w, top, item.node, w->next, false);
		}
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
				     uint64_t *state, uint64_t *begins)
{
	const size_t bytes = state_words(count) * sizeof *state;
	uint64_t *of_walk = w->state;
	enum hprof_status status = HPROF_OK;

	memcpy(state, of_walk, bytes);
	w->state = state;
	for (uint32_t v = 0; v < count && status == HPROF_OK; v++) {
		if (is_visited(state, v))
			continue;
		hp_bit_set(begins, v);
		status = visit(w, v);
	}
	memcpy(state, of_walk, bytes);
	for (uint32_t v = count; v > 0 && status == HPROF_OK; v--) {
		if (!hp_bit(begins, v - 1))
			continue;
		if (is_visited(state, v - 1))
			begins[(v - 1) >> 6] &=
				~((uint64_t)1 << ((v - 1) & 63));
		else
			status = visit(w, v - 1);
	}
	w->state = of_walk;
	return status;
}

static enum hprof_status visit_cycles(struct walk *w, uint32_t count)
{
	const size_t words = hp_bit_words(count);
	uint64_t *begins =
		hp_calloc(words + state_words(count), sizeof *begins);
	uint32_t *number = w->number;
	enum hprof_status status;

	if (!begins)
		return hp_no_memory(w->build->error);
	w->number = NULL;
	status = find_cycles(w, count, begins + words, begins);
	w->number = number;
	if (status == HPROF_OK)
		status = visit_bits(w, begins, count);
	hp_free(begins);
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

static enum hprof_status make_tables(struct walk *w, struct hp_dominators *dom)
{
	const uint64_t rows = (uint64_t)dom->count + 1;
	const uint64_t most = (uint64_t)w->offset[dom->count] + 1;
	uint64_t top = 0;

	HP_TRY(hp_build_table(w->build, &dom->number, rows, sizeof *w->number,
			      HP_MAPPED_TABLE_CLEAR));
	HP_TRY(hp_build_table(w->build, &dom->idom, rows, sizeof *w->parent,
			      HP_MAPPED_TABLE_RAW));
	HP_TRY(hp_build_table(w->build, &dom->least, rows, sizeof *w->least,
			      HP_MAPPED_TABLE_RAW));
	w->number = dom->number.at;
	w->parent = dom->idom.at;
	w->least = dom->least.at;
	if (dom->trees) {
		HP_TRY(hp_build_table(w->build, &dom->entry, rows,
				      sizeof *w->entry, HP_MAPPED_TABLE_RAW));
		HP_TRY(hp_build_table(w->build, &dom->met, rows, sizeof *w->met,
				      HP_MAPPED_TABLE_RAW));
		w->entry = dom->entry.at;
		w->met = dom->met.at;
		w->met[0] = (struct hp_meeting){ 0 };
	}
	w->state = hp_calloc(state_words(dom->count), sizeof *w->state);
	if (!w->state)
		return hp_no_memory(w->build->error);
	HP_TRY(hp_mapped_table_make_parts(
		&w->build->tables, &w->stack_table, most, sizeof *w->stack,
		HP_MAPPED_TABLE_PARTS, most, w->build->error));
	w->stack = w->stack_table.at;
	return grow(w, &top, 1);
}

/* Garbage that has no numbers has no rows by number either. */
static void cut_tables(struct hp_build *build, struct hp_dominators *dom)
{
	const uint64_t rows = (uint64_t)dom->reached + 1;
	const uint64_t bytes = rows * sizeof(uint32_t);

	hp_mapped_table_cut(&build->tables, &dom->idom, bytes);
	hp_mapped_table_cut(&build->tables, &dom->least, bytes);
	hp_mapped_table_cut(&build->tables, &dom->entry, bytes);
	hp_mapped_table_cut(&build->tables, &dom->met,
			    rows * sizeof(struct hp_meeting));
}

/* The walk, which is for one thread; another one may find memory for it. */
static enum hprof_status walk(struct walk *w, struct hp_dominators *dom)
{
	const struct hp_mapped_table *tables[] = { &dom->number, &dom->idom,
						   &dom->least, &dom->entry,
						   &dom->met };
	enum hprof_status status;

	if (w->build->threads > 1 && !w->build->tables.limit)
		hp_populate_begin(&w->populate, tables, dom->trees ? 5 : 3,
				  &w->stack_table);
	hp_populate_front(&w->populate, w->backed * sizeof(struct item));
	status = visit_all(w, dom);
	hp_populate_end(&w->populate);
	return status;
}

enum hprof_status hp_dominators_number(struct hp_build *build,
				       struct hp_dominators *dom)
{
	struct walk w = { .build = build,
			  .offset = dom->offset.at,
			  .target = dom->target.at };
	enum hprof_status status = make_tables(&w, dom);

	if (status == HPROF_OK)
		status = walk(&w, dom);
	if (status == HPROF_OK)
		cut_tables(build, dom);
	hp_build_free(build, &w.stack_table);
	hp_free(w.state);
	return status;
}
