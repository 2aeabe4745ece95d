/* SPDX-License-Identifier: MIT */
/*
 * kept_edges.h - the pass over all targets that finds which of them are edges, as
 * they have several referrers, and keeps the objects that these come from.
 */
#ifndef HP_KEPT_EDGES_H
#define HP_KEPT_EDGES_H

#include "graph/kept_objects.h"

/*
 * Keeps the objects that refer to one in reduction->several. If reduction->thin
 * is set, only such targets stay: see hp_reduction_keep.
 */
void hp_reduction_keep_edges(const struct hp_build *build,
			     struct hp_edges *edges,
			     struct hp_edge_partitions *parts,
			     struct hp_reduction *reduction);

#endif
