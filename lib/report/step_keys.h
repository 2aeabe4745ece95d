/* SPDX-License-Identifier: MIT */
/*
 * step_keys.h - the key of a map by which a step of a path finds its object.
 */
#ifndef HP_STEP_KEYS_H
#define HP_STEP_KEYS_H

#include "hprof/paths.h"
#include "base/arena.h"
#include "report/object_info.h"

/*
 * The key of EDGE, from an entry to its value. TO gets a text from ARENA, or
 * none if it is no such edge, or the key is no text, number or enum constant.
 */
enum hprof_status hp_step_key(const struct hp_look *look,
			      struct hp_arena *arena,
			      const struct hprof_edge *edge,
			      struct hprof_path_step *to,
			      struct hprof_error *error);

/*
 * The same if TO is held by an element of ARRAY, for maps that have no entries:
 * MAP refers to ARRAY.
 */
enum hprof_status hp_step_element_key(const struct hp_look *look,
				      struct hp_arena *arena, uint64_t map,
				      uint64_t array,
				      struct hprof_path_step *to,
				      struct hprof_error *error);

#endif
