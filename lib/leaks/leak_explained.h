/* SPDX-License-Identifier: MIT */
/*
 * leak_explained.h - what suspects retain that have been found already, so that
 * a second search finds only what is beside them.
 */
#ifndef HP_LEAK_EXPLAINED_H
#define HP_LEAK_EXPLAINED_H

#include "base/arena.h"
#include "base/u64_map.h"
#include "graph/dominator_tree.h"

struct hp_leak_explained {
	const struct hprof_graph *graph;
	uint64_t *tops;		 /* bits: objects that are suspects */
	uint64_t *touched;	 /* bits: these, and all that dominate them */
	struct hp_u64_map below; /* object + 1 -> what suspects below retain */
	struct hp_arena arena;
};

/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_leak_explained_init(struct hp_leak_explained *explained,
					 const struct hprof_graph *graph);
void hp_leak_explained_done(struct hp_leak_explained *explained);

/* Whether NODE or something that dominates it is a suspect. */
bool hp_leak_explained_has(const struct hp_leak_explained *explained,
			   uint32_t node);

/* Adds one suspect; nothing below it counts again. */
enum hprof_status hp_leak_explained_add(struct hp_leak_explained *explained,
					uint32_t node, uint64_t *ret_bytes);

/*
 * The same for COUNT objects at once, in time that is linear in what is above them, so
 * also if they hang on each other by the million.
 */
enum hprof_status hp_leak_explained_add_all(struct hp_leak_explained *explained,
					    const uint32_t *nodes, size_t count,
					    uint64_t *ret_bytes);

/*
 * The two halves of hp_leak_explained_add, for many objects that have DOMINATOR in common: marks
 * NODE, and returns what it adds; notes BYTES at DOMINATOR and above. Fails
 * only with HPROF_E_NOMEM.
 */
uint64_t hp_leak_explained_mark(struct hp_leak_explained *explained,
				uint32_t node);
enum hprof_status hp_leak_explained_note(struct hp_leak_explained *explained,
					 uint32_t dominator, uint64_t bytes);

uint64_t hp_leak_explained_rest_of(const struct hp_leak_explained *explained,
				   uint32_t node);

/* What NODE retains apart from suspects; 0 if it is one. */
static inline uint64_t
hp_leak_explained_rest(const struct hp_leak_explained *explained, uint32_t node)
{
	return hp_bit(explained->touched, node)
		       ? hp_leak_explained_rest_of(explained, node)
		       : hp_retained_sizes_retained(&explained->graph->sizes,
						    node);
}

#endif
