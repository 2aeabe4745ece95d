/* SPDX-License-Identifier: MIT */
/*
 * kept_referrers.h - the pass over all targets that finds the objects which refer
 * to one with several referrers.
 */
#ifndef HP_KEPT_REFERRERS_H
#define HP_KEPT_REFERRERS_H

#include "graph/kept_objects.h"

/*
 * Keeps the objects that refer to one in reduction->several. If reduction->thin
 * is set, only such targets stay: see hp_reduction_keep.
 */
void hp_reduction_keep_referrers(const struct hp_build *build,
				 struct hp_edges *edges,
				 struct hp_edge_partitions *parts,
				 struct hp_reduction *reduction);

#endif
