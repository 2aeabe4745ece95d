/* SPDX-License-Identifier: MIT */
/*
 * reduced_subtrees.h - the retained sizes of subtrees that graph_reduce.h left
 * out, and whether each of their objects can be reached.
 *
 * Such a subtree hangs on an object that was kept; each object in it is
 * dominated by its only referrer. Sizes go up from the leaves: in a round, the
 * objects that no other one has yet to reach add theirs to their referrers'.
 */
#ifndef HP_REDUCED_SUBTREES_H
#define HP_REDUCED_SUBTREES_H

#include "graph/edge_partitions.h"
#include "graph/retained_sizes.h"

enum { HP_REDUCED_SUBTREES_ROUNDS = 4 };

struct hp_reduced_subtrees {
	struct hp_build *build;
	struct hp_retained_sizes *sizes;
	uint32_t *up; /* the only referrer plus 1; 0: there is none */
	uint32_t count;
	bool heads; /* garbage counts, too */
	/*
	 * Bits: objects that went up in each round, those behind the last
	 * one, and those that others have yet to reach.
	 */
	uint64_t *went[HP_REDUCED_SUBTREES_ROUNDS];
	uint64_t *rest, *inner;
	uint64_t *bits; /* all of these */
	unsigned round;
	/* What each thread has left for the end of the round. */
	struct hp_reduced_subtrees_later {
		uint32_t *items;
		size_t count, room;
		bool no_memory;
	} later[HP_RANGES];
	uint32_t *below; /* of the rest: how many others; DONE */
	uint64_t *known; /* of the rest: is not in it, or was looked at */
};

/* SIZES have the shallow size of each object. Fails only with HPROF_E_NOMEM. */
enum hprof_status
hp_reduced_subtrees_begin(struct hp_build *build,
			  const struct hp_reduction *reduction, bool heads,
			  struct hp_retained_sizes *sizes,
			  struct hp_reduced_subtrees *ret);
void hp_reduced_subtrees_done(struct hp_reduced_subtrees *f);

/*
 * Adds the sizes of all objects that were left out. sizes->reachable says which
 * of the kept objects can be reached, and is completed for the others.
 */
enum hprof_status hp_reduced_subtrees_sum(struct hp_reduced_subtrees *f);

/* Adds the size of FROM to that of TO. */
static inline void hp_retained_sizes_add(struct hp_retained_sizes *s,
					 uint32_t to, uint32_t from,
					 const bool wide)
{
	if (wide) {
		uint64_t *retained = s->retained.at;
		retained[to] += retained[from];
	} else {
		uint32_t *retained = s->retained.at;
		retained[to] += retained[from];
	}
}

#endif
