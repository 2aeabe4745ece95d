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

/*
 * dom->idom and dom->least have parents and semidominators (with trees their ranks
 * in dom->met), and dom->entry edges; dom->idom gets the dominators, and dom->entry
 * their positions.
 */
enum hprof_status hp_dominators_climb(struct hp_build *build,
				      struct hp_dominators *dom);

#endif
