/* SPDX-License-Identifier: MIT */
/*
 * visit_stack.h - the nodes that a depth-first search has still to visit, the next one
 * on top. The caller has its height.
 *
 * Nodes that were visited meanwhile stay, often as most of a high stack: they go when
 * there is no more room. Of a long list of targets most need not be on the stack, as
 * they are often reached from the first ones.
 */
#ifndef HP_VISIT_STACK_H
#define HP_VISIT_STACK_H

#include "base/populate.h"
#include "graph/build_context.h"

/* A node is reached by EDGE from number PARENT. */
struct hp_visit {
	uint32_t node, parent, edge;
};

/* What is left to push of a long list, once the stack is down to FLOOR again. */
struct hp_visit_later {
	uint32_t at, end; /* edges */
	uint32_t parent;
	uint64_t floor;
};

struct hp_visit_stack {
	struct hp_build *build;
	struct hp_mapped_table table;
	struct hp_visit *items;
	uint64_t step;	 /* items */
	uint64_t backed; /* items that have memory */
	/* From the lowest to the highest floor. */
	struct hp_visit_later *later;
	size_t later_count, later_room;
	uint64_t floor; /* where the last one goes on; 0: there is none */
	/* Begun and ended by whoever searches: finds memory for the table, too. */
	struct hp_populate populate;
};

/*
 * Two bits for each node, beside each other: whether it is visited, and whether it is
 * met, that is, a visited node refers to it.
 */
enum { HP_VISITED = 1, HP_MET = 2 };

static inline bool hp_is_visited(const uint64_t *state, uint32_t node)
{
	return hp_bit(state, 2 * (uint64_t)node);
}

/*
 * A stack of MOST items at most, which grows by STEP items or more. Free with
 * hp_visit_stack_done, also after a failure.
 */
enum hprof_status hp_visit_stack_make(struct hp_build *build, uint64_t most,
				      uint64_t step,
				      struct hp_visit_stack *ret);
void hp_visit_stack_done(struct hp_visit_stack *s);

/*
 * Makes room for N more items above *TOP, which may be lowered, as what is visited
 * according to STATE goes.
 */
enum hprof_status hp_visit_stack_grow(struct hp_visit_stack *s,
				      const uint64_t *state, uint64_t *top,
				      uint64_t n);

static inline enum hprof_status hp_visit_stack_room(struct hp_visit_stack *s,
						    const uint64_t *state,
						    uint64_t *top, uint64_t n)
{
	return *top + n <= s->backed ? HPROF_OK
				     : hp_visit_stack_grow(s, state, top, n);
}

/*
 * Targets of PARENT, edges AT up to END, are to be pushed above TOP, which becomes the
 * floor.
 */
enum hprof_status hp_visit_stack_postpone(struct hp_visit_stack *s, uint32_t at,
					  uint32_t end, uint32_t parent,
					  uint64_t top);

/*
 * The next COUNT edges, or fewer, of the list with the highest floor, to which *TOP is
 * down; there is room for these then, as hp_visit_stack_room makes it.
 */
enum hprof_status hp_visit_stack_take(struct hp_visit_stack *s,
				      const uint64_t *state, uint64_t *top,
				      uint32_t count,
				      struct hp_visit_later *ret);

#endif
