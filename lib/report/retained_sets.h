/* SPDX-License-Identifier: MIT */
/*
 * retained_sets.h - what sets of objects retain, for example all instances of
 * each class: of two objects of a set, one of which dominates the other, only
 * the dominating one counts.
 */
#ifndef HP_RETAINED_SETS_H
#define HP_RETAINED_SETS_H

#include "base/parallel_for.h"
#include "graph/dominator_tree.h"
#include "report/ancestor_sets.h"
#include "report/set_counts.h"

/*
 * One subtree, or several with the same label, whose sums are separate from the
 * rest: that of NODE, or, if NODE is HP_NO_NODE, those of all objects with KEY
 * whose immediate dominator is DOMINATOR (HP_NO_NODE: the roots as a whole); or,
 * unless AMONG is NULL, those that are among these COUNT objects, which are sorted.
 */
struct hp_begin {
	uint32_t dominator, node, key;
	const uint32_t *among;
	size_t count;
};

struct hp_retained_sets;

/*
 * Computes the sums of all reachable objects, with label 0; or, with BEGINS, only of
 * their subtrees: label I + 1 is BEGINS[I]. Of several that have an object the first
 * counts; nothing else of one may be below another. The keys are KEY[kind]. Free with
 * hp_retained_sets_done. The caller keeps GRAPH. BESIDE, unless it is NULL, may have been
 * run meanwhile.
 */
enum hprof_status hp_retained_sets_find(const struct hprof_graph *graph,
					const struct hp_begin *begins,
					size_t count, const uint32_t *key,
					struct hp_beside *beside,
					struct hp_retained_sets **ret_sets,
					struct hprof_error *error);
void hp_retained_sets_done(struct hp_retained_sets *sets);

/*
 * The same by paths of kinds instead of sets, from which those of sets follow as
 * well; with BEGINS, whatever is outside of their subtrees counts, too. HPROF_END:
 * there are too many paths.
 */
enum hprof_status hp_retained_paths_find(const struct hprof_graph *graph,
					 const struct hp_begin *begins,
					 size_t count, const uint32_t *key,
					 struct hp_beside *beside,
					 struct hp_retained_sets **ret_paths,
					 struct hprof_error *error);
const struct hp_ancestor_sets *
hp_retained_paths(const struct hp_retained_sets *paths);
/* Sorted by path, then kind; several may be of the same. */
const struct hp_set_count *
hp_retained_paths_rows(const struct hp_retained_sets *paths, size_t *ret_count);

bool hp_retained_paths_are_kept(const struct hprof_graph *graph);

/*
 * The calling thread is about to find what others may ask for, and leave it to GRAPH:
 * they wait, instead of going over all objects at the same time. It ends that as soon
 * as it has, or cannot, and asks for nothing meanwhile. False: there are too many paths,
 * so there is nothing to wait for and no promise.
 */
bool hp_retained_paths_promise(const struct hprof_graph *graph);
void hp_retained_paths_end_promise(const struct hprof_graph *graph);

/*
 * Sees to it that GRAPH has those of all objects: waits for who has promised them, or finds
 * them while others wait. HPROF_END: there are too many paths. They stay with the graph,
 * memo->found; whoever uses them has the lock of the memo.
 */
enum hprof_status hp_retained_paths_need(const struct hprof_graph *graph,
					 struct hprof_error *error);

/*
 * Leaves to their graph what PATHS say of all objects, without beginnings, unless it
 * has that or memory is short. PATHS can only be freed then.
 */
void hp_retained_paths_leave(struct hp_retained_sets *paths);

/*
 * Adds all reachable objects to the sums of COUNT divisions: from paths that are kept
 * or promised, or in a pass over the objects.
 */
enum hprof_status hp_retained_sets_all(const struct hprof_graph *graph,
				       const struct hp_division *divisions,
				       size_t count, struct hprof_error *error);

/*
 * Adds how many reachable objects of each kind there are to COUNTS, if that was found
 * and kept. Does not wait for who is about to find it. False: it was not.
 */
bool hp_retained_kinds_count(const struct hprof_graph *graph, uint64_t *counts);

/* Adds the objects of LABEL to the sums of COUNT divisions. */
void hp_retained_sets_sum(struct hp_retained_sets *sets, uint32_t label,
			  const struct hp_division *divisions, size_t count);

#endif
