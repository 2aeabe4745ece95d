/* SPDX-License-Identifier: MIT */
/*
 * dominator_paths.h - why a few objects are alive, found without the references
 * that a graph keeps with option edges.
 */
#ifndef HP_DOMINATOR_PATHS_H
#define HP_DOMINATOR_PATHS_H

#include "report/root_paths.h"

/*
 * For each of COUNT sets, finds the shortest path to its object, and others to
 * its uppermost dominator, at most MOST in all. RET_FOUND[I] is false, and the
 * set has no paths, if that takes a longer search than is done here. PATHS
 * needs no shortest paths.
 */
enum hprof_status hp_dominator_paths_find(struct hp_root_paths *paths,
					  struct hp_path_set *sets,
					  size_t count, size_t most,
					  bool *ret_found,
					  struct hprof_error *error);

#endif
