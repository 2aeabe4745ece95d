/* SPDX-License-Identifier: MIT */
/*
 * reduced_subtrees.h - the retained sizes of subtrees that graph_reduce.h left
 * out, and whether each of their objects can be reached.
 *
 * The root of such a subtree is referred to by a kept object; each object in it
 * is dominated by its only referrer. Sizes are added up from the leaves: in
 * each round, the objects that wait for no other one add their sizes to their
 * referrers'.
 */
#ifndef HP_REDUCED_SUBTREES_H
#define HP_REDUCED_SUBTREES_H

#include "graph/edge_partitions.h"
#include "graph/retained_sizes.h"

enum { HP_REDUCED_SUBTREES_ROUNDS = 4 };

struct hp_reduced_subtrees {
	struct hp_build *build;
	struct hp_retained_sizes *sizes;
	uint32_t *up; /* the only referrer plus 1; 0: none */
	uint32_t count;
	bool heads; /* garbage is included */
	/*
	 * Bits: the objects added in each round, those left after the last
	 * round, and those that wait for others.
	 */
	uint64_t *went[HP_REDUCED_SUBTREES_ROUNDS];
	uint64_t *rest, *inner;
	struct hp_mapped_table bits; /* the memory of all of these */
	unsigned round;
	/* What each thread has put off to the end of the round. */
	struct hp_reduced_subtrees_later {
		uint32_t *items;
		size_t count, room;
		bool no_memory;
	} later[HP_RANGES];
	const struct hp_ranked_bits *numbers; /* of the rest */
	uint32_t *below; /* by number: referents not added yet; or DONE */
	uint64_t *known; /* not in the rest, or reachability known */
};

/*
 * SIZES holds the shallow size of each object. Free with hp_reduced_subtrees_done,
 * also after a failure.
 */
enum hprof_status
hp_reduced_subtrees_begin(struct hp_build *build,
			  const struct hp_reduction *reduction, bool heads,
			  struct hp_retained_sizes *sizes,
			  struct hp_reduced_subtrees *ret);
void hp_reduced_subtrees_done(struct hp_reduced_subtrees *f);

/*
 * Adds the sizes of all objects that were left out. sizes->reachable must have
 * the bits of the kept objects; those of the others are added.
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
