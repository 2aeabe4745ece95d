/* SPDX-License-Identifier: MIT */
/*
 * reduced_subtrees.h - the retained sizes of subtrees that graph_reduce.h left
 * out, and whether each of their objects can be reached.
 *
 * These subtrees hang on kept objects: each object in them is dominated by the
 * only one that refers to it.
 */
#ifndef HP_REDUCED_SUBTREES_H
#define HP_REDUCED_SUBTREES_H

#include "graph/edge_partitions.h"
#include "graph/retained_sizes.h"

enum { HP_REDUCED_SUBTREES_ROUNDS = 4 };

struct hp_reduced_subtrees {
	struct hp_build *build;
	struct hp_retained_sizes *sizes;
	uint32_t *up; /* referrers plus 1; 0: nobody */
	uint32_t count;
	bool heads; /* what is garbage counts, too */
	/*
	 * Bits: objects that went up in each round, those behind the last
	 * one, and those that others have yet to reach.
	 */
	uint64_t *went[HP_REDUCED_SUBTREES_ROUNDS];
	uint64_t *rest, *inner;
	uint64_t *bits; /* all of these */
	unsigned round;
	/* What threads have left for later. */
	struct hp_reduced_subtrees_later {
		uint32_t *items;
		size_t count, room;
		bool no_memory;
	} later[HP_RANGES];
	uint32_t *below; /* of the rest: how many others; DONE */
	uint64_t *known; /* of the rest: is not in it, or was looked at */
};

/* SUMS have a size of each object. 0, or -1 without memory. */
int hp_reduced_subtrees_begin(struct hp_build *build,
			      const struct hp_reduction *reduction, bool heads,
			      struct hp_retained_sizes *sizes,
			      struct hp_reduced_subtrees *ret);
void hp_reduced_subtrees_done(struct hp_reduced_subtrees *f);

/*
 * All of it goes up; sizes->reachable says which kept objects are, and gets the
 * others.
 */
enum hprof_status hp_reduced_subtrees_sum(struct hp_reduced_subtrees *f);

/* The size of FROM goes to TO. */
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
