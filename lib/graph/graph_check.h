/* SPDX-License-Identifier: MIT */
/*
 * graph_check.h - whether the tables of a graph that comes from a file can be
 * used.
 *
 * Whoever could write a file with a right checksum and key could write wrong
 * numbers into it. So every number that is used as an index is checked, in one
 * pass over all tables; and since walks up the dominators must end, each object
 * must retain more than those that it dominates.
 */
#ifndef HP_GRAPH_CHECK_H
#define HP_GRAPH_CHECK_H

#include "graph/graph.h"

/* Degrees, lists of targets and large sizes. */
bool hp_graph_good_lists(const struct hp_edges *e);
bool hp_graph_good_targets(const struct hprof_graph *g);
bool hp_graph_good_weaks(const struct hp_edges *e);
bool hp_graph_good_strengths(const uint8_t *strengths, uint32_t count);

/* Kinds, dominators and retained sizes. */
bool hp_graph_good_objects(const struct hprof_graph *g);
bool hp_graph_good_kept(const struct hprof_graph *g);

#endif
