/* SPDX-License-Identifier: MIT */
/*
 * diff_parts.h - the classes of the objects by which a row of a comparison of
 * paths changed.
 */
#ifndef HP_DIFF_PARTS_H
#define HP_DIFF_PARTS_H

#include "diff/path_tree_overlay.h"

struct hp_diff_parts {
	struct hp_diff_part *items;
	size_t count, room;
};

/*
 * Adds the objects at NODE of OVERLAY to ROW. Fails only with HPROF_E_NOMEM;
 * free with hp_diff_parts_done in any case.
 */
enum hprof_status hp_diff_parts_add(struct hp_diff_parts *parts,
				    const struct hp_path_tree_overlay *overlay,
				    size_t node, uint32_t row);
void hp_diff_parts_done(struct hp_diff_parts *parts);

/*
 * To be called when all is added: makes the parts that changed most of each of
 * COUNT rows, from ARENA, with texts of OVERLAY. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_diff_parts_fill(struct hp_diff_parts *parts,
				     const struct hp_path_tree_overlay *overlay,
				     struct hp_arena *arena,
				     struct hprof_diff_path *rows,
				     size_t count);

#endif
