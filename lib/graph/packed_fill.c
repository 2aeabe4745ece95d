/* SPDX-License-Identifier: MIT */
/* packed_fill.c - see packed_fill.h. */
#include "graph/packed_fill.h"

#include "base/error.h"
#include "graph/kept_trees.h"

/*
 * Of 64 objects, what is asked of each target: in one place, which is a cache miss for
 * many of them. Few are roots: where there are some, tops have to be looked up.
 */
struct edge_block {
	uint64_t edges; /* bits of those that edges lead to */
	uint32_t rank;	/* tops before these */
	bool has_roots;
};

struct filling {
	const struct hp_build *build;
	const struct hp_reduction *reduction;
	const struct hp_edges *edges;
	const struct hp_packed_edges *packed;
	const struct hp_ranked_bits *tops;
	struct edge_block *blocks;
	uint32_t *edge, *to;
};

static void find_blocks(void *user, const struct hp_range *range)
{
	const struct filling *f = user;
	const uint64_t *several = f->reduction->several;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++)
		f->blocks[i] =
			(struct edge_block){ several[i], f->tops[i].rank,
					     several[i] != f->tops[i].bits };
}

static inline uint32_t number_of(const struct filling *f,
				 const struct edge_block *b, uint32_t target)
{
	const uint64_t below = ((uint64_t)1 << (target & 63)) - 1;
	const uint64_t tops =
		b->has_roots ? f->tops[target >> 6].bits : b->edges;

	return b->rank + hp_bit_count(tops & below);
}

/*
 * Those targets of WALK that are edges, from TO up to END. Which are cannot be predicted,
 * so all are written while there is room for another edge, which overwrites them. Packing
 * has counted no more than there are: of garbage, fewer (kept_objects.h, several).
 */
static inline __attribute__((always_inline)) void
fill_row(const struct filling *f, struct hp_packed_walk walk, uint32_t *to,
	 const uint32_t *end)
{
	uint32_t target;
	bool own;

	while (to != end && hp_packed_walk_next(&walk, &target, &own)) {
		const struct edge_block *b = &f->blocks[target >> 6];

		*to = number_of(f, b, target);
		to += b->edges >> (target & 63) & 1;
	}
}

static inline __attribute__((always_inline)) void
fill_block(const struct filling *f, uint64_t block, const bool wide)
{
	const struct hp_packed_block *b = &f->packed->blocks[block];
	const uint8_t *at = hp_packed_block_at(f->packed, b);
	uint32_t number = b->rank;

	for (uint64_t w = b->kept; w; w &= w - 1, number++) {
		const uint32_t *edge =
			hp_kept_trees_edge(f->reduction, f->edge, number);
		struct hp_packed_walk walk = hp_packed_edges_at(
			f->packed, f->edges,
			(uint32_t)(block << 6 | hp_bit_lowest(w)), number, &at);

		walk.wide = wide;
		fill_row(f, walk, f->to + edge[0], f->to + edge[1]);
	}
}

static void fill_range(void *user, const struct hp_range *range)
{
	const struct filling f = *(const struct filling *)user;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		hp_build_trim_memory(f.build, i << 6);
		if (f.packed->wide)
			fill_block(&f, i, true);
		else
			fill_block(&f, i, false);
	}
}

enum hprof_status hp_packed_fill(struct hp_build *build,
				 const struct hp_reduction *reduction,
				 const struct hp_edges *edges,
				 const struct hp_packed_edges *packed,
				 uint32_t *edge, uint32_t *to)
{
	struct hp_mapped_table blocks = { 0 };
	struct filling f = { .build = build,
			     .reduction = reduction,
			     .edges = edges,
			     .packed = packed,
			     .tops = hp_reduction_tops(reduction),
			     .edge = edge,
			     .to = to };

	HP_TRY(hp_build_table(build, &blocks, hp_bit_words(reduction->count),
			      sizeof *f.blocks, HP_MAPPED_TABLE_RAW));
	f.blocks = blocks.at;
	hp_pieces_run(build, reduction->count, find_blocks, &f);
	hp_pieces_run(build, reduction->count, fill_range, &f);
	hp_build_free(build, &blocks);
	return HPROF_OK;
}
