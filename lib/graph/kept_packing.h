/* SPDX-License-Identifier: MIT */
/*
 * kept_packing.h - the pass over the targets of all kept objects that packs them for
 * later searches (packed_edges.h), and counts those that are edges.
 */
#ifndef HP_KEPT_PACKING_H
#define HP_KEPT_PACKING_H

#include "graph/kept_objects.h"
#include "graph/packed_edges.h"

/*
 * Packs all references between kept objects, once hp_packed_edges_begin has made
 * room. From then on degrees and lists count those to what is in reduction->several,
 * which are edges, alone: so there can be no other walk over EDGES.
 */
enum hprof_status hp_kept_packing_run(struct hp_build *build,
				      struct hp_edges *edges,
				      struct hp_edge_partitions *parts,
				      struct hp_reduction *reduction,
				      struct hp_packed_edges *packed);

#endif
