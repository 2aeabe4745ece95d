/* SPDX-License-Identifier: MIT */
/*
 * path_tree_overlay.h - trees of paths laid over each other: a node for each
 * path, with the figures of each tree.
 */
#ifndef HP_PATH_TREE_OVERLAY_H
#define HP_PATH_TREE_OVERLAY_H

#include "diff/path_tree.h"

struct hp_path_tree_overlay {
	struct hp_path_nodes nodes;  /* parents before their children */
	size_t sides;		     /* trees */
	uint64_t *objects, *shallow; /* by node, then side */
	size_t room;		     /* capacity of these, in nodes */
};

/*
 * Fails only with HPROF_E_NOMEM. Texts are copied, so the trees may be freed
 * before the overlay. Free with hp_path_tree_overlay_done, also after a
 * failure.
 */
enum hprof_status
hp_path_tree_overlay_make(struct hp_path_tree_overlay *overlay,
			  const struct hprof_path_tree *const *trees,
			  size_t count);
void hp_path_tree_overlay_done(struct hp_path_tree_overlay *overlay);

/* Frees the shallow bytes when only objects are still needed. */
void hp_path_tree_overlay_drop_shallow(struct hp_path_tree_overlay *overlay);

/* A number for each side, of NODE. */
static inline uint64_t *
hp_path_tree_overlay_objects(const struct hp_path_tree_overlay *overlay,
			     size_t node)
{
	return overlay->objects + node * overlay->sides;
}

static inline uint64_t *
hp_path_tree_overlay_shallow(const struct hp_path_tree_overlay *overlay,
			     size_t node)
{
	return overlay->shallow + node * overlay->sides;
}

#endif
