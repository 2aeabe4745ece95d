/* SPDX-License-Identifier: MIT */
/*
 * dominator_climb.h - from semidominators to dominators: that of a node is the
 * nearest of its parent's dominators that is no larger than its semidominator.
 *
 * Where nodes are trees of objects, this tells only in which tree the object is
 * that dominates the top of a node. It is found on the way: where the parent's
 * dominators enter that tree there is an object that dominates the parent. If
 * the tree is the semidominator, others of its objects lead to the node by
 * paths of their own, and what all of them hang on is the dominator. A search
 * that takes edges in their order has met the node by the first of them, so the
 * last edge, of the node or of anything that led to it, decides: of the objects
 * above the entry, it is the nearest on which that edge hangs, too.
 */
#ifndef HP_DOMINATOR_CLIMB_H
#define HP_DOMINATOR_CLIMB_H

#include "graph/dominators.h"

/*
 * dom->idom and dom->least have parents and semidominators, and dom->way edges;
 * dom->idom gets the dominators, and dom->way their positions.
 */
enum hprof_status hp_dominators_climb(struct hp_build *build,
				      struct hp_dominators *dom);

#endif
