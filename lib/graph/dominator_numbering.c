/* SPDX-License-Identifier: MIT */
/*
 * dominator_numbering.c - nodes numbered in depth-first order.
 *
 * All targets of a node are pushed with it as their parent, so that the first
 * is on top; a popped node that was visited meanwhile is dropped. This visits
 * nodes in the same order as recursion, needs no position in each list of
 * targets, and allows prefetching. The stack is never longer than there are
 * edges. Of a long list only a part is pushed at a time, as most of its targets
 * are often reached from the first ones.
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
#include "base/prefetch.h"
#include "graph/visit_stack.h"

struct walk {
	struct hp_build *build;
	const uint32_t *offset;
	uint32_t *target;
	struct hp_visit_stack stack;
	/* Lists of more targets than MOST are long; of these some at once are pushed. */
	uint32_t most, at_once;
	uint64_t *state; /* see HP_VISITED */
	/*
	 * Of a node that is met, but not visited, NUMBER is the least
	 * predecessor or its rank. NULL: only visits matter.
	 */
	uint32_t *number, *parent, *least;
	struct hp_meeting *met; /* by rank; NULL: nodes are no trees */
	uint32_t *entry;
	uint32_t *stay; /* see dominators.h */
	unsigned stay_shift;
	uint32_t next, last_rank;
	uint64_t steps;
};

enum { MOST = 1 << 12, AT_ONCE = 1 << 10, PROGRESS = 1 << 20 };

/* Items of the stack; the second one for tests. */
enum { STACK_STEP = 1 << 18, SMALL_STEP = 8 };

static size_t state_words(uint32_t count)
{
	return hp_bit_words(2 * (uint64_t)count);
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
 * Of a list, from its last edge to its first: takes edge E, which comes from number AS.
 * If its target was visited before, that is moved to *KEPT, and false returned.
 */
static inline __attribute__((always_inline)) bool
take_edge(struct walk *w, uint32_t e, uint32_t as, uint32_t *kept,
	  const bool numbers)
{
	const uint32_t to = w->target[e];
	uint64_t *word = &w->state[to >> 5];
	const unsigned shift = 2 * (to & 31);

	if (*word >> shift & HP_VISITED) {
		if (numbers)
			w->target[--*kept] = to;
		return false;
	}
	if (numbers && !(*word >> shift & HP_MET)) {
		*word |= (uint64_t)HP_MET << shift;
		w->number[to] = meet(w, as, e);
	}
	return true;
}

static inline uint64_t push(const struct walk *w, uint64_t top, uint32_t to,
			    uint32_t as, uint32_t e)
{
	w->stack.items[top] = (struct hp_visit){ to, as, e };
	hp_prefetch(&w->offset[to]);
	return top + 1;
}

/* What is visited soon. */
static inline void fetch_top(const struct walk *w, uint64_t top,
			     const bool numbers)
{
	if (top <= 5)
		return;
	const uint32_t next = w->stack.items[top - 1].node;
	const uint32_t later = w->stack.items[top - 6].node;
	hp_prefetch(&w->target[w->offset[next]]);
	hp_prefetch(&w->target[w->offset[later]]);
	if (numbers) {
		hp_prefetch_write(&w->number[next]);
		hp_prefetch_write(&w->number[later]);
	}
}

/* Of the list of NODE, edges from KEPT on stay. */
static inline void end_list(struct walk *w, uint32_t node, uint32_t kept)
{
	if (kept > w->offset[node])
		w->target[kept - 1] = HP_NO_TARGET;
	w->stay[node >> w->stay_shift] += w->offset[node + 1] - kept;
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

	for (uint32_t e = end; e-- > begin;) {
		const uint32_t to = w->target[e];
		if (take_edge(w, e, as, &kept, numbers))
			top = push(w, top, to, as, e);
		hp_build_trim_memory_within(w->build, e);
	}
	if (numbers)
		end_list(w, node, kept);
	fetch_top(w, top, numbers);
	return top;
}

/* ---- long lists ---------------------------------------------------------- */

static uint32_t count_visited(const struct walk *w, uint32_t begin,
			      uint32_t end)
{
	uint32_t sum = 0;

	for (uint32_t e = begin; e < end; e++) {
		sum += hp_is_visited(w->state, w->target[e]);
		hp_build_trim_memory_within(w->build, e);
	}
	return sum;
}

/* Edges from STAY on, which may be overwritten, are pushed at once. */
static void take_long(struct walk *w, uint64_t *top, uint32_t node, uint32_t as,
		      uint32_t stay)
{
	const uint32_t begin = w->offset[node], end = w->offset[node + 1];
	uint32_t kept = end;

	for (uint32_t e = end; e-- > begin;) {
		const uint32_t to = w->target[e];
		if (take_edge(w, e, as, &kept, true) && e >= stay)
			*top = push(w, *top, to, as, e);
		hp_build_trim_memory_within(w->build, e);
	}
	end_list(w, node, kept);
}

/*
 * As push_targets, but targets that stay where they are in the list are pushed later,
 * unless they are visited by then: on the stack, they would be dropped then, too.
 */
static enum hprof_status push_long(struct walk *w, uint64_t *top, uint32_t node,
				   uint32_t as, bool numbers)
{
	const uint32_t begin = w->offset[node], end = w->offset[node + 1];
	uint32_t stay = end;

	if (numbers) {
		stay -= count_visited(w, begin, end);
		stay -= stay > begin; /* for HP_NO_TARGET */
		HP_TRY(hp_visit_stack_room(&w->stack, w->state, top,
					   end - stay));
		take_long(w, top, node, as, stay);
	}
	return hp_visit_stack_postpone(&w->stack, begin, stay, as, *top);
}

/* The stack is down to the floor: pushes what comes next in the last long list. */
static enum hprof_status push_later(struct walk *w, uint64_t *top)
{
	struct hp_visit_later now;

	HP_TRY(hp_visit_stack_take(&w->stack, w->state, top, w->at_once, &now));
	for (uint32_t e = now.end; e-- > now.at;)
		if (!hp_is_visited(w->state, w->target[e]))
			*top = push(w, *top, w->target[e], now.parent, e);
	fetch_top(w, *top, w->number != NULL);
	return HPROF_OK;
}

/* ---- the walk ------------------------------------------------------------ */

static inline void give_number(struct walk *w, const struct hp_visit *item)
{
	uint32_t number = ++w->next;

	w->parent[number] = item->parent;
	w->least[number] = w->number[item->node];
	w->number[item->node] = number;
	if (w->entry)
		w->entry[number] = item->edge;
}

static inline enum hprof_status visit_node(struct walk *w, uint64_t *top,
					   const struct hp_visit *item)
{
	const uint32_t node = item->node;
	const uint32_t count = w->offset[node + 1] - w->offset[node];
	const bool numbers = w->number != NULL;

	hp_bit_set(w->state, 2 * (uint64_t)node);
	if (numbers)
		give_number(w, item);
	if (count > w->most)
		return push_long(w, top, node, w->next, numbers);
	HP_TRY(hp_visit_stack_room(&w->stack, w->state, top, count));
	*top = numbers ? push_targets(w, *top, node, w->next, true)
		       : push_targets(w, *top, node, w->next, false);
	return HPROF_OK;
}

/* Visits everything reachable from ROOT that was not visited yet. */
static enum hprof_status visit(struct walk *w, uint32_t root)
{
	uint64_t top = 0;

	if (hp_is_visited(w->state, root))
		return HPROF_OK;
	w->stack.items[top++] = (struct hp_visit){ root, 0, 0 };
	for (;;) {
		if (top == w->stack.floor) {
			if (!w->stack.later_count)
				return HPROF_OK;
			HP_TRY(push_later(w, &top));
			continue;
		}
		const struct hp_visit item = w->stack.items[--top];
		if (hp_is_visited(w->state, item.node))
			continue;
		HP_TRY(visit_node(w, &top, &item));
		hp_build_trim_memory(w->build, ++w->steps);
		if (w->steps % PROGRESS == 0)
			HP_TRY(hp_build_progress(w->build, w->steps, 0));
	}
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
		if (hp_is_visited(state, v))
			continue;
		hp_bit_set(begins, v);
		status = visit(w, v);
	}
	memcpy(state, of_walk, bytes);
	for (uint32_t v = count; v > 0 && status == HPROF_OK; v--) {
		if (!hp_bit(begins, v - 1))
			continue;
		if (hp_is_visited(state, v - 1))
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

/* A row of 64 nodes or more, see degrees_end of dominator_predecessors.c. */
static void begin_stay(struct walk *w, struct hp_dominators *dom)
{
	memset(dom->stay, 0, sizeof dom->stay);
	for (w->stay_shift = 6; dom->count >> w->stay_shift >= HP_STAY_ROWS;)
		w->stay_shift++;
	dom->stay_shift = w->stay_shift;
}

static enum hprof_status make_tables(struct walk *w, struct hp_dominators *dom)
{
	const uint64_t rows = (uint64_t)dom->count + 1;
	const uint64_t most = (uint64_t)w->offset[dom->count] + 1;
	uint64_t top = 0;

	begin_stay(w, dom);
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
	HP_TRY(hp_visit_stack_make(w->build, most,
				   dom->at_once ? SMALL_STEP : STACK_STEP,
				   &w->stack));
	return hp_visit_stack_room(&w->stack, w->state, &top, 1);
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
	struct hp_populate *populate = &w->stack.populate;
	enum hprof_status status;

	if (w->build->threads > 1 && !w->build->tables.limit)
		hp_populate_begin(populate, tables, dom->trees ? 5 : 3,
				  &w->stack.table);
	hp_populate_front(populate, w->stack.backed * sizeof(struct hp_visit));
	status = visit_all(w, dom);
	hp_populate_end(populate);
	return status;
}

enum hprof_status hp_dominators_number(struct hp_build *build,
				       struct hp_dominators *dom)
{
	struct walk w = { .build = build,
			  .offset = dom->offset.at,
			  .target = dom->target.at,
			  .most = dom->at_once ? dom->at_once : MOST,
			  .at_once = dom->at_once ? dom->at_once : AT_ONCE,
			  .stay = dom->stay };
	enum hprof_status status = make_tables(&w, dom);

	if (status == HPROF_OK)
		status = walk(&w, dom);
	if (status == HPROF_OK)
		cut_tables(build, dom);
	hp_visit_stack_done(&w.stack);
	hp_free(w.state);
	return status;
}
