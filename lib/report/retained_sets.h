/* SPDX-License-Identifier: MIT */
/*
 * retained_sets.h - what sets of objects retain, for example all instances of
 * each class: of two objects of a set, one of which dominates the other, only
 * the dominating one counts.
 */
#ifndef HP_RETAINED_SETS_H
#define HP_RETAINED_SETS_H

#include "graph/dominator_tree.h"

/*
 * A subtree, or several of the same label, in which sums are made apart from
 * the rest: that of NODE, or, if NODE is HP_NO_NODE, of each object with KEY
 * that DOMINATOR (HP_NO_NODE: the roots as a whole) dominates immediately.
 */
struct hp_begin {
	uint32_t dominator, node, key;
};

struct hp_retained_sets;

/*
 * Sums of all reachable objects, label 0; or with BEGINS, which do not lie
 * inside each other, of theirs only: label I + 1 is BEGINS[I]. Their keys are
 * KEY[kind]. Free with hp_retained_sets_done. GRAPH stays the caller's.
 */
enum hprof_status hp_retained_sets_find(const struct hprof_graph *graph,
					const struct hp_begin *begins,
					size_t count, const uint32_t *key,
					struct hp_retained_sets **ret_sets,
					struct hprof_error *error);
void hp_retained_sets_done(struct hp_retained_sets *sets);

/* Adds what is of LABEL to the sums of COUNT divisions. */
void hp_retained_sets_sum(struct hp_retained_sets *sets, uint32_t label,
			  const struct hp_division *divisions, size_t count);

#endif
