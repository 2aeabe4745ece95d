/* SPDX-License-Identifier: MIT */
/*
 * merged_nodes.h - the nodes of paths that are merged: objects that are alike,
 * and are referred to in the same way from objects of one node, are one node.
 */
#ifndef HP_MERGED_NODES_H
#define HP_MERGED_NODES_H

#include "base/arena.h"
#include "base/u64_map.h"
#include "hprof/paths.h"

/* As a parent: there is none. As a result: no memory. */
#define HP_NO_MERGED_NODE UINT32_MAX

struct hp_merged_node {
	struct hprof_merged_path_node row;
	uint32_t parent;
	uint32_t child, next;
	uint32_t same; /* another node with the same hash */
};

struct hp_merged_nodes {
	struct hp_merged_node *items; /* parents come before their children */
	size_t count, room;
	struct hp_u64_map by_hash; /* -> index of a node, plus 1 */
	uint32_t top;
};

/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_merged_nodes_init(struct hp_merged_nodes *nodes);
void hp_merged_nodes_done(struct hp_merged_nodes *nodes);

/*
 * The node below PARENT for an object like ROW; HP_NO_MERGED_NODE without
 * memory. It is PARENT itself if that is the same, or nodes are too many.
 */
uint32_t hp_merged_nodes_take(struct hp_merged_nodes *nodes, uint32_t parent,
			      const struct hprof_merged_path_node *row);

/*
 * The rows of all nodes, with the sums of those below them, in the order of a
 * tree; of siblings, those that lead to most bytes come first. They are from
 * ARENA. Call this once. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_merged_nodes_rows(struct hp_merged_nodes *nodes,
				       struct hp_arena *arena,
				       struct hprof_merged_path_node **ret_rows,
				       size_t *ret_count);

#endif
