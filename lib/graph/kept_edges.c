/* SPDX-License-Identifier: MIT */
/*
 * kept_edges.c - see kept_edges.h.
 *
 * Which targets have several referrers cannot be predicted, nor how many targets
 * an object has. So there are no branches for either: the targets of 64 objects
 * are taken as if they were those of one, with the sum so far before each, and the
 * objects find theirs by the sums at both ends.
 */
#include "graph/kept_edges.h"

#include "graph/moved_rows.h"

struct keeping {
	const struct hp_build *build;
	struct hp_reduction *reduction;
	struct hp_edges *edges;
};

/* The pass over one part. */
struct pass {
	const struct keeping *keeping;
	const uint64_t *several;
	struct hp_edge_walk walk;
	uint8_t *degree;
	bool thin;
	struct hp_moved_rows rows; /* if edges are thin */
	/* Of the rows of a block: how many before each one count. */
	uint16_t sums[HP_EDGE_BLOCK / 8 * (HP_DEGREE_LIST - 1) + 1];
};

/* ---- what stays ---------------------------------------------------------- */

/* Moves those of N targets that count to TO, and returns how many they are. */
static uint64_t thin_rows(const struct pass *p, uint32_t *to,
			  const uint32_t *from, uint64_t n)
{
	uint64_t moved = 0;

	for (uint64_t k = 0; k < n; k++) {
		const uint32_t target = from[k];
		to[moved] = target;
		moved += hp_reduction_counts(p->several, target);
	}
	return moved;
}

static uint64_t count_rows(const struct pass *p, const uint32_t *from,
			   uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t k = 0; k < n; k++) {
		sum += hp_reduction_counts(p->several, from[k]);
		hp_build_trim_memory_within(p->keeping->build, k);
	}
	return sum;
}

/* ---- one object ---------------------------------------------------------- */

static uint64_t thin_read(struct pass *p, const uint32_t *to, uint64_t n)
{
	uint64_t stay;

	hp_moved_rows_go_on(&p->rows, p->walk.run, to);
	stay = thin_rows(p, p->rows.stay, p->rows.read, n);
	p->rows.stay += stay;
	p->rows.read += n;
	return stay;
}

/*
 * Of OBJECT, which may have no list at all. The rows of a list that is not apart
 * are where those of a degree would be.
 */
static uint64_t thin_list(struct pass *p, uint32_t object, const uint32_t *to,
			  uint64_t n)
{
	struct hp_edges *e = p->keeping->edges;
	struct hp_edge_list *list = hp_edge_walk_passed(&p->walk, e, object);
	uint32_t *rows;

	if (!list)
		return 0;
	if (list->apart) {
		rows = e->apart + list->at;
		return list->count = thin_rows(p, rows, rows, n);
	}
	list->count = thin_read(p, to, n);
	rows = p->rows.stay - list->count;
	list->at = (uint64_t)(rows - (uint32_t *)e->target.at);
	return list->count;
}

/* Returns how many targets of OBJECT count. */
static uint64_t take_object(struct pass *p, uint32_t object)
{
	const uint32_t *to = NULL;
	uint64_t n = hp_edge_walk_next(&p->walk, object, &to), sum;

	/* It may be long, and what keeps it already may be that. */
	if (!p->thin &&
	    hp_ranked_bits_have(p->keeping->reduction->blocks.at, object))
		return 0;
	if (!p->thin)
		return count_rows(p, to, n);
	if (p->degree[object] == HP_DEGREE_LIST)
		return thin_list(p, object, to, n);
	sum = thin_read(p, to, n);
	p->degree[object] = (uint8_t)sum;
	return sum;
}

/* ---- many objects -------------------------------------------------------- */

/* Returns bits: which of the objects from FIRST on have targets that count. */
static uint64_t take_plain(struct pass *p, uint32_t first)
{
	uint8_t *degree = p->degree + first;
	const uint64_t n = hp_block_sum(degree, HP_EDGE_BLOCK);
	const uint32_t *from = p->walk.target + p->walk.at;
	uint64_t bits = 0;
	uint32_t at = 0;
	uint16_t sum = 0;

	if (n == 0)
		return 0;
	if (p->thin)
		hp_moved_rows_go_on(&p->rows, p->walk.run, from);
	for (uint64_t k = 0; k < n; k++) {
		const uint32_t target = from[k];
		p->sums[k] = sum;
		if (p->thin)
			p->rows.stay[sum] = target;
		sum = (uint16_t)(sum + hp_reduction_counts(p->several, target));
	}
	p->sums[n] = sum;
	for (unsigned k = 0; k < HP_EDGE_BLOCK; k++) {
		const uint32_t end = at + degree[k];
		const unsigned some = p->sums[end] - p->sums[at];
		bits |= (uint64_t)(some != 0) << k;
		if (p->thin)
			degree[k] = (uint8_t)some;
		at = end;
	}
	p->walk.at += n;
	if (p->thin) {
		p->rows.stay += sum;
		p->rows.read += n;
	}
	return bits;
}

static void take_part(void *user, struct hp_edge_partition *part)
{
	const struct keeping *keeping = user;
	struct hp_ranked_bits *blocks = keeping->reduction->blocks.at;
	struct pass p = { .keeping = keeping,
			  .several = keeping->reduction->several,
			  .walk = part->walk,
			  .degree = keeping->edges->degree.at,
			  .thin = keeping->reduction->thin,
			  .rows = { .edges = keeping->edges, .part = part } };

	for (uint32_t i = part->begin; i < part->end;) {
		hp_build_trim_memory(keeping->build, i);
		if (hp_edge_walk_enter_block(&p.walk, i, part->end)) {
			blocks[i >> 6].bits |= take_plain(&p, i);
			i += HP_EDGE_BLOCK;
			continue;
		}
		do
			if (take_object(&p, i))
				hp_ranked_bits_set(blocks, i);
		while (++i < part->end && i % HP_EDGE_BLOCK);
	}
	if (p.thin)
		hp_moved_rows_leave(&p.rows);
}

void hp_reduction_keep_edges(const struct hp_build *build,
			     struct hp_edges *edges,
			     struct hp_edge_partitions *parts,
			     struct hp_reduction *reduction)
{
	struct keeping keeping = { build, reduction, edges };

	hp_edge_partitions_run(build, parts, take_part, &keeping);
}
