/* SPDX-License-Identifier: MIT */
/*
 * dominators.h - dominators of a graph whose nodes are numbers.
 *
 * Nothing here is recursive, and no graph takes more than O(n log n): see
 * semidominators.c and dominator_climb.c.
 */
#ifndef HP_DOMINATORS_H
#define HP_DOMINATORS_H

#include "graph/build_context.h"

struct hp_reduction;

/*
 * The first time that the search met a node: at which number, and the last edge
 * that leads from there to it.
 *
 * In the order of these meetings, numbers ascend, and edges descend where numbers
 * are the same. So where nodes are trees, semidominators are compared by their
 * ranks in that order: of those in one tree the last edge comes first, which is
 * what matters to what dominates in that tree (dominator_climb.h).
 */
struct hp_meeting {
	uint32_t number, edge;
};

enum { HP_STAY_ROWS = 1024 };

struct hp_dominators {
	/* Input; the tables are consumed. */
	uint32_t count;		       /* nodes */
	struct hp_mapped_table offset; /* u32[count + 1]: where edges begin */
	struct hp_mapped_table
		target;	       /* u32: the nodes that each refers to, and
				   HP_SPARE rows behind them */
	const uint64_t *roots; /* bits */
	/*
	 * Nodes that nothing refers to: roots of what the roots above do not
	 * reach. NULL: garbage is left out.
	 */
	const uint64_t *heads;
	/* The nodes are its trees; NULL: each is an object. */
	struct hp_reduction *trees;
	bool skips; /* as if the first climb had been too long: for tests */
	/*
	 * Lists of more targets are long, and so many of these are pushed at a time,
	 * on a small stack: for tests. 0: what is best.
	 */
	uint32_t at_once;
	/* Predecessors that several threads share: for tests. 0: what is best. */
	uint32_t many;

	/* Output. */
	struct hp_mapped_table
		number; /* u32[count]: from 1 in depth-first order;
				   0: not reached */
	struct hp_mapped_table
		idom; /* u32[reached + 1]: by number; 0: nobody */
	/*
	 * u32[reached + 1], by number, only if there are trees: the edge by which
	 * a node is visited; then the position that it comes from, and at last that
	 * of the dominator (kept_trees.h).
	 */
	struct hp_mapped_table entry;
	/*
	 * In between: u32[reached + 1], by number, the least predecessor that is
	 * smaller, then the semidominator; 0: a root. With trees the ranks of
	 * these.
	 */
	struct hp_mapped_table least;
	struct hp_mapped_table met; /* struct hp_meeting, by rank; with trees */
	/* In between: how many edges stay of each 2^stay_shift nodes. */
	uint32_t stay[HP_STAY_ROWS];
	unsigned stay_shift;
	uint32_t reached;
	uint32_t live; /* the numbers up to this are reachable from the roots */
};

enum hprof_status hp_dominators_find(struct hp_build *build,
				     struct hp_dominators *dom);
void hp_dominators_done(struct hp_build *build, struct hp_dominators *dom);

/* ---- parts of it --------------------------------------------------------- */

/*
 * Numbers nodes in depth-first order: dom->number, the parents in dom->idom,
 * dom->least, dom->met, dom->entry and dom->stay. Heads get no parent. Of the edges
 * of each node that has a number, only those that do not lead to larger numbers stay,
 * at the end of its rows, behind HP_NO_TARGET if there is room.
 */
#define HP_NO_TARGET UINT32_MAX
enum hprof_status hp_dominators_number(struct hp_build *build,
				       struct hp_dominators *dom);

/* The predecessors with larger numbers. */
struct hp_predecessors {
	struct hp_mapped_table
		offset; /* u32[reached + 1]: where those of a number
				   end; they begin where the ones before end */
	struct hp_mapped_table from; /* u32 */
};
enum hprof_status hp_dominators_predecessors(struct hp_build *build,
					     struct hp_dominators *dom,
					     struct hp_predecessors *preds);
void hp_predecessors_done(struct hp_build *build,
			  struct hp_predecessors *preds);

#endif
