/* SPDX-License-Identifier: MIT */
/*
 * edge_partitions.h - going over all objects and their targets in parts, which
 * several threads take. Parts begin at multiples of 64 objects, so that threads
 * do not share words of bits.
 */
#ifndef HP_EDGE_PARTITIONS_H
#define HP_EDGE_PARTITIONS_H

#include "graph/edges.h"

struct hp_edge_partition {
	uint32_t begin, end;	  /* objects */
	struct hp_edge_walk walk; /* at BEGIN; take a copy */
	/* Of who uses it. */
	uint64_t count, at;
	uint32_t *filled, *apart;
};

struct hp_edge_partitions {
	struct hp_edge_partition *items;
	size_t count;
};

/* Many for several threads, else one. 0, or -1 without memory. */
int hp_edge_partitions_make(struct hp_edge_partitions *parts,
			    const struct hp_edges *edges, unsigned threads);
void hp_edge_partitions_done(struct hp_edge_partitions *parts);

/* Calls FN once for each part, in the threads of JOB. */
typedef void hp_edge_partition_fn(void *user, struct hp_edge_partition *part);
void hp_edge_partitions_run(const struct hp_build *build,
			    struct hp_edge_partitions *parts,
			    hp_edge_partition_fn *fn, void *user);

/*
 * The objects 0 up to COUNT in as many ranges as JOB has threads, at most
 * HP_RANGES; each begins at a multiple of 64 but the last ends at COUNT. FN is
 * called once for each, NUMBER counts them.
 */
enum { HP_RANGES = 64 };
struct hp_range {
	uint64_t begin, end;
	unsigned number;
};
typedef void hp_range_fn(void *user, const struct hp_range *range);
void hp_ranges_run(const struct hp_build *build, uint64_t count,
		   hp_range_fn *fn, void *user);

#endif
