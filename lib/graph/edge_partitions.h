/* SPDX-License-Identifier: MIT */
/*
 * edge_partitions.h - divides the objects among threads, each of which walks
 * over the references of its own objects. A part begins at a multiple of 64
 * objects, so that no two threads write to the same word of a bit set.
 */
#ifndef HP_EDGE_PARTITIONS_H
#define HP_EDGE_PARTITIONS_H

#include "base/parallel_for.h"
#include "graph/edges.h"

struct hp_edge_partition {
	uint32_t begin, end;	  /* objects */
	struct hp_edge_walk walk; /* stands at BEGIN; copy it to walk */
	/*
	 * The part's own run, in which nearly all of its objects are: what walk.run
	 * is there, and the first row. Its last objects may be the first of
	 * another run, whose rows are far away.
	 */
	const struct hp_edge_run *own;
	uint64_t row;
	/* For the functions that are called with the part. */
	struct hprof_error error; /* why it could not be packed */
};

struct hp_edge_partitions {
	struct hp_edge_partition *items;
	size_t count;
};

/*
 * Makes one part for each run of EDGES, or a single part if there is only one
 * THREAD. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_edge_partitions_make(struct hp_edge_partitions *parts,
					  const struct hp_edges *edges,
					  unsigned threads);
void hp_edge_partitions_done(struct hp_edge_partitions *parts);

/* Calls FN once for each part, in the threads of BUILD. */
typedef void hp_edge_partition_fn(void *user, struct hp_edge_partition *part);
void hp_edge_partitions_run(const struct hp_build *build,
			    struct hp_edge_partitions *parts,
			    hp_edge_partition_fn *fn, void *user);

/*
 * Divides the objects from 0 to below COUNT into as many ranges as BUILD has
 * threads, but at most HP_RANGES, and calls FN once for each that is not empty.
 * A range begins at a multiple of 64; NUMBER is its index.
 */
enum { HP_RANGES = 64 };
struct hp_range {
	uint64_t begin, end;
	unsigned number;
};
typedef void hp_range_fn(void *user, const struct hp_range *range);
void hp_ranges_run(const struct hp_build *build, uint64_t count,
		   hp_range_fn *fn, void *user);

/*
 * The same in two steps, for rows of different weight, to which the same range of
 * several passes belongs: at most COUNT ranges (0: one), which begin at multiples of
 * 2^SHIFT rows. SUMS has, by these multiples, the weight of all rows before, and ALL
 * that of all rows, of which each range gets about an equal share. A range may be
 * empty.
 */
struct hp_ranges {
	uint64_t ends[HP_RANGES];
	unsigned count;
};
struct hp_ranges hp_ranges_even(unsigned count, uint64_t rows, unsigned shift,
				const uint64_t *sums, uint64_t all);
void hp_ranges_run_in(const struct hp_ranges *ranges, hp_range_fn *fn,
		      void *user);

/*
 * Calls FN for many more ranges than that, which threads take one after the other
 * (hp_parallel_for): for work that is not alike everywhere. NUMBER is always 0.
 */
void hp_pieces_run(const struct hp_build *build, uint32_t count,
		   hp_range_fn *fn, void *user);

/*
 * COUNT such passes, at most HP_PARALLEL_PASSES_MOST, of which each begins when the one
 * before has ended; the calling thread may do something else first
 * (hp_parallel_passes). BESIDE may be NULL.
 */
struct hp_pieces {
	uint32_t count;
	hp_range_fn *fn;
	void *user;
};
void hp_pieces_run_all(const struct hp_build *build,
		       const struct hp_pieces *pieces, unsigned count,
		       struct hp_beside *beside);

#endif
