/* SPDX-License-Identifier: MIT */
/*
 * dominator_climb.h - from semidominators to dominators: that of a node is the
 * nearest of its parent's dominators that is no larger than its semidominator.
 *
 * Where nodes are trees of objects, this tells only in which tree the object is
 * that dominates the top of a node V. The climb comes into that tree from another
 * node, or by V's own edge: the object that dominates the other node, or that the
 * edge comes from, dominates V as well, or hangs on what does. If the tree is V's
 * semidominator, other objects of it lead to V by paths that avoid the nodes in
 * between. The search took the edges of the tree in order and came to V by the
 * first of these; so all of them lie between that edge and the last one, and the
 * dominator is the nearest object, from the entry up, on which the last edge
 * hangs, too.
 */
#ifndef HP_DOMINATOR_CLIMB_H
#define HP_DOMINATOR_CLIMB_H

#include "graph/dominators.h"
#include "graph/kept_trees.h"

/*
 * Where nodes are trees: dom->idom has parents, and dom->entry edges, which become the
 * positions that these come from; and of each position the way up is found.
 * Semidominators are not needed for that, so BESIDE may find them; after a failure it
 * may not have run. Frees the table of edges. Free RET->table, also after a failure.
 */
enum hprof_status hp_dominators_ways(struct hp_build *build,
				     struct hp_dominators *dom,
				     struct hp_beside *beside,
				     struct hp_branches *ret);

/*
 * dom->idom and dom->least have parents and semidominators (with trees their ranks
 * in dom->met), and dom->entry positions; dom->idom gets the dominators, and
 * dom->entry their positions. WAYS is NULL unless nodes are trees.
 */
enum hprof_status hp_dominators_climb(struct hp_build *build,
				      struct hp_dominators *dom,
				      const struct hp_branches *ways);

#endif
