/* SPDX-License-Identifier: MIT */
/*
 * packed_fill.h - the edges of the reduced graph, from packed references: these have
 * all of them, and the table of all references is as large as what comes next.
 */
#ifndef HP_PACKED_FILL_H
#define HP_PACKED_FILL_H

#include "graph/kept_objects.h"
#include "graph/packed_edges.h"

/*
 * Writes the edges of all kept objects to TO, as the numbers of tops, in the order of the
 * references. EDGE says where those of each object begin (hp_kept_trees_edge); they end
 * where those of the next one do.
 */
enum hprof_status hp_packed_fill(struct hp_build *build,
				 const struct hp_reduction *reduction,
				 const struct hp_edges *edges,
				 const struct hp_packed_edges *packed,
				 uint32_t *edge, uint32_t *to);

#endif
