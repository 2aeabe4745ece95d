/* SPDX-License-Identifier: MIT */
/*
 * made_graph.h - references between plain numbers, as the scan of a heap would leave
 * them, and what the library finds in these.
 */
#ifndef MADE_GRAPH_H
#define MADE_GRAPH_H

#include "graph/retained_sizes.h"

struct made_pair {
	uint32_t from, to;
};

/* Zeroed but for COUNT, it has no edges. PAIRS in order of FROM: free with hp_free. */
struct made_graph {
	uint32_t count;
	struct made_pair *pairs;
	size_t used, room;
};

void made_link(struct made_graph *m, uint32_t from, uint32_t to);

/*
 * Makes E, without sizes and roots; free with hp_edges_done. Once in MIXED objects, or
 * never if that is 0, a new run, a list though it is short, one apart; that must make
 * no difference.
 */
void made_edges(struct hp_build *build, struct hp_edges *e,
		const struct made_graph *m, uint32_t mixed);
void made_size(struct hp_edges *e, uint32_t i, uint64_t size);
void made_root(struct hp_edges *e, uint32_t i);

/*
 * Finds what each object retains, in one of the ways that must make no difference.
 * PACKS: for searches for paths, too. MANY is that of dominators.h, or any.
 */
void made_find_by(struct hp_build *build, struct hp_edges *e, bool unreachable,
		  bool edges_stay, bool packs, uint32_t many,
		  struct hp_retained_sizes *ret);
void made_find(struct hp_build *build, struct hp_edges *e, bool unreachable,
	       bool edges_stay, bool packs, struct hp_retained_sizes *ret);

/* Plus 1; 0: nobody. */
uint32_t made_dominator(const struct hp_retained_sizes *s, uint32_t i);

#endif
