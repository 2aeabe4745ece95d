/* SPDX-License-Identifier: MIT */
/*
 * kept_trees.h - the trees of kept objects (kept_objects.h), of which each is
 * one node of the reduced graph.
 *
 * Of all kept objects, three in four hang on a single other one. What dominates
 * those is known; so only the tops have to be numbered depth first, and have
 * semidominators. That is what only one thread can do, and the search takes a
 * quarter of the time that it would take over all kept objects.
 *
 * The objects of a tree are put into an order in which each is followed by what
 * hangs on it, and the edges of the tree have the order of the objects that
 * they come from. So a search over trees, which takes edges in that order, meets
 * trees in the same order as one over all objects; and what dominates a top in
 * another tree follows from the last of the edges that lead to it from there
 * (dominator_climb.h).
 */
#ifndef HP_KEPT_TREES_H
#define HP_KEPT_TREES_H

#include "base/prefetch.h"
#include "graph/kept_objects.h"

/*
 * Makes these tables of reduction->trees, and numbers the tops:
 *
 *   position  u32[kept + HP_SPARE], by the number of the object: its place in
 *             the order of all trees
 *   first     u32[tree_count + 1]: the positions of the tops
 *   edge      u32[kept + 1], by position: for graph_reduce.c, which counts the
 *             edges of each and puts there where they begin
 */
enum hprof_status hp_kept_trees_make(struct hp_build *build,
				     const struct hp_edges *edges,
				     struct hp_reduction *reduction);

/*
 * Where in EDGE, which goes by position, what belongs to kept object NUMBER is; the
 * ones after it are asked for. Without trees, positions are numbers.
 */
static inline uint32_t *hp_kept_trees_edge(const struct hp_reduction *reduction,
					   uint32_t *edge, uint32_t number)
{
	enum { AHEAD = 16 };
	const uint32_t *position = reduction->trees.position.at;

	if (!position)
		return &edge[number];
	hp_prefetch_write(&edge[position[number + AHEAD]]);
	return &edge[position[number]];
}

/*
 * An object at a position: that of the one on which it hangs, or its own if it
 * is a top; and the end of the edges of all that hangs on it.
 */
struct hp_branch {
	uint32_t up, end;
};

/* The branches of all trees. */
struct hp_branches {
	const struct hp_reduction *reduction;
	struct hp_mapped_table table; /* struct hp_branch, by position */
};
static inline uint64_t
hp_kept_trees_branch_bytes(const struct hp_reduction *reduction)
{
	return (uint64_t)reduction->kept * sizeof(struct hp_branch);
}

/*
 * Makes RET->table, which RET_PIECES fill. These point to RET and read tables of
 * REDUCTION: all of that stays where it is until they have run.
 */
enum { HP_BRANCH_PIECES = 2 };
enum hprof_status hp_kept_trees_branches(
	struct hp_build *build, const struct hp_reduction *reduction,
	struct hp_branches *ret, struct hp_pieces ret_pieces[HP_BRANCH_PIECES]);

/*
 * The kept objects in order of position: u32[kept]. Without trees, in that of
 * their numbers. Frees trees->position.
 */
enum hprof_status hp_kept_trees_objects(struct hp_build *build,
					struct hp_reduction *reduction,
					struct hp_mapped_table *ret);

#endif
