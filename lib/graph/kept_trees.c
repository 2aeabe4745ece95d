/* SPDX-License-Identifier: MIT */
/*
 * kept_trees.c - see kept_trees.h.
 *
 * Trees grow from their leaves: an object of which all that hangs on it has been
 * counted reserves as many places behind its referrer. Then each object finds
 * its position by adding up these places on the way to the top, or to an object
 * whose position is known. Both are done by all threads at once, by number.
 */
#include "graph/kept_trees.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/prefetch.h"

struct planting {
	struct hp_build *build;
	struct hp_reduction *reduction;
	const uint32_t *referrer;
	const struct hp_ranked_bits *blocks;
	struct hp_ranked_bits *tops;
	/*
	 * By number, in units of WAITING: how many objects that hang on it have
	 * not been counted; the rest of it says how many there are of the others,
	 * of those that hang on these, and so on. As a single number, so that it
	 * is found and changed at once.
	 *
	 * Once these have been counted for its referrer, too: the number of that,
	 * in the same units, and how far behind that it is. Once its position is
	 * known: PLACED and that.
	 */
	uint64_t *growth;
	/*
	 * By number: that of its referrer; of tops, and of what has grown, its
	 * own. Later the positions.
	 */
	uint32_t *position;
	uint64_t *leaves; /* bits, by number */
	uint64_t grown;	  /* how many objects are */
	bool shared;	  /* there are several threads */
};

#define WAITING ((uint64_t)1 << 32)

/* Adds N to *AT; returns what was there before. */
static inline uint64_t add(const struct planting *p, uint64_t *at, uint64_t n)
{
	if (p->shared)
		return __atomic_fetch_add(at, n, __ATOMIC_ACQ_REL);
	*at += n;
	return *at - n;
}

/* ---- growing ------------------------------------------------------------- */

/*
 * Finds the number of each referrer, and how many wait for it. To add to what several
 * threads share takes long unless it is at hand: so all of a block are asked for first.
 */
static void find_referrers(void *user, const struct hp_range *range)
{
	const struct planting *p = user;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint32_t number = p->blocks[i].rank, ups[64], count = 0;

		for (uint64_t w = p->blocks[i].bits; w; w &= w - 1, number++) {
			uint32_t up = number;

			if (!(p->tops[i].bits & w & -w)) {
				up = hp_ranked_bits_number(
					p->blocks,
					p->referrer[i << 6 | hp_bit_lowest(w)] -
						1);
				hp_prefetch_write(&p->growth[up]);
				ups[count++] = up;
			}
			p->position[number] = up;
		}
		for (uint32_t k = 0; k < count; k++)
			add(p, &p->growth[ups[k]], WAITING);
	}
}

static void find_leaves(void *user, const struct hp_range *range)
{
	const struct planting *p = user;

	for (uint64_t n = range->begin; n < range->end; n++) {
		bool leaf = p->growth[n] < WAITING && p->position[n] != n;
		p->leaves[n >> 6] |= (uint64_t)leaf << (n & 63);
	}
}

/*
 * All that hangs on NUMBER has been counted. Goes on with its referrer if that
 * waits for nothing else. Returns how many objects have grown.
 */
static uint64_t grow_from(const struct planting *p, uint32_t number)
{
	uint64_t grown = 0;
	uint32_t up;

	while ((up = p->position[number]) != number) {
		uint64_t size = p->growth[number] + 1;
		uint64_t before = add(p, &p->growth[up], size - WAITING);
		p->growth[number] = up * WAITING + before % WAITING + 1;
		p->position[number] = number;
		grown++;
		if (before / WAITING != 1)
			break;
		number = up;
	}
	return grown;
}

static void grow_range(void *user, const struct hp_range *range)
{
	struct planting *p = user;
	uint64_t grown = 0;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		for (uint64_t w = p->leaves[i]; w; w &= w - 1)
			hp_prefetch_write(
				&p->growth[p->position[i << 6 |
						       hp_bit_lowest(w)]]);
		for (uint64_t w = p->leaves[i]; w; w &= w - 1)
			grown += grow_from(
				p, (uint32_t)(i << 6 | hp_bit_lowest(w)));
	}
	__atomic_fetch_add(&p->grown, grown, __ATOMIC_RELAXED);
}

/*
 * What has not grown is on a cycle of objects with single referrers, which is
 * garbage. The first object of each becomes a top, for which its referrer need
 * not wait any more; so the rest of the cycle grows.
 */
static void cut_cycles(const struct planting *p)
{
	for (uint64_t i = 0; i < hp_bit_words(p->reduction->count); i++) {
		uint32_t number = p->blocks[i].rank;
		for (uint64_t w = p->blocks[i].bits; w; w &= w - 1, number++) {
			uint32_t up = p->position[number];
			if (up == number)
				continue;
			p->tops[i].bits |= w & -w;
			p->position[number] = number;
			if (add(p, &p->growth[up], -WAITING) / WAITING == 1)
				grow_from(p, up);
		}
	}
}

static void grow(struct planting *p)
{
	const uint32_t count = p->reduction->count, kept = p->reduction->kept;
	uint64_t tops = 0;

	hp_pieces_run(p->build, count, find_referrers, p);
	hp_pieces_run(p->build, kept, find_leaves, p);
	hp_pieces_run(p->build, kept, grow_range, p);
	for (uint64_t i = 0; i < hp_bit_words(count); i++)
		tops += hp_bit_count(p->tops[i].bits);
	if (p->grown + tops < kept)
		cut_cycles(p);
}

/* ---- positions ----------------------------------------------------------- */

/* No referrer has that number. */
#define PLACED (UINT32_MAX * WAITING)

/* Other threads may place the same objects: they come to the same. */
static inline void set_place(const struct planting *p, uint32_t number,
			     uint32_t position)
{
	__atomic_store_n(&p->growth[number], PLACED | position,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&p->position[number], position, __ATOMIC_RELAXED);
}

static void place_tops(struct planting *p, uint32_t *first)
{
	uint32_t at = 0, tree = 0;

	for (uint64_t i = 0; i < hp_bit_words(p->reduction->count); i++)
		for (uint64_t w = p->tops[i].bits; w; w &= w - 1) {
			uint32_t number = hp_ranked_bits_number(
				p->blocks,
				(uint32_t)(i << 6 | hp_bit_lowest(w)));
			uint32_t size = (uint32_t)p->growth[number] + 1;
			first[tree++] = at;
			set_place(p, number, at);
			at += size;
		}
	first[tree] = at;
	assert(at == p->reduction->kept);
}

/*
 * Places NUMBER and all between it and the top, or what is placed already. What is known
 * of an object is read at once, so that it is never of two times.
 */
static void place(const struct planting *p, uint32_t number)
{
	uint32_t at = number, position = 0;
	uint64_t known;

	while ((known = __atomic_load_n(&p->growth[at], __ATOMIC_RELAXED)) <
	       PLACED) {
		position += (uint32_t)known;
		at = (uint32_t)(known / WAITING);
	}
	position += (uint32_t)known;
	at = number;
	while ((known = __atomic_load_n(&p->growth[at], __ATOMIC_RELAXED)) <
	       PLACED) {
		set_place(p, at, position);
		position -= (uint32_t)known;
		at = (uint32_t)(known / WAITING);
	}
}

static void place_range(void *user, const struct hp_range *range)
{
	const struct planting *p = user;

	for (uint64_t n = range->begin; n < range->end; n++)
		place(p, (uint32_t)n);
}

/* ---- entry points -------------------------------------------------------- */

static enum hprof_status plant(struct planting *p, const struct hp_edges *e,
			       struct hp_mapped_table *growth)
{
	struct hp_build *build = p->build;
	struct hp_kept_trees *trees = &p->reduction->trees;
	const uint64_t kept = p->reduction->kept;
	const size_t width = sizeof(uint32_t);

	if (!p->leaves)
		return hp_no_memory(build->error);
	HP_TRY(hp_build_table(build, growth, kept, sizeof *p->growth,
			      HP_MAPPED_TABLE_CLEAR));
	HP_TRY(hp_build_table(build, &trees->position, kept + HP_SPARE, width,
			      HP_MAPPED_TABLE_CLEAR));
	p->growth = growth->at;
	p->position = trees->position.at;
	grow(p);
	hp_reduction_number_tops(p->reduction, e);
	HP_TRY(hp_build_table(build, &trees->first,
			      (uint64_t)p->reduction->tree_count + 1, width,
			      HP_MAPPED_TABLE_RAW));
	place_tops(p, trees->first.at);
	hp_pieces_run(build, p->reduction->kept, place_range, p);
	return HPROF_OK;
}

enum hprof_status hp_kept_trees_make(struct hp_build *build,
				     const struct hp_edges *e,
				     struct hp_reduction *reduction)
{
	struct planting p = {
		.build = build,
		.reduction = reduction,
		.referrer = e->referrer.at,
		.blocks = reduction->blocks.at,
		.tops = reduction->top_blocks.at,
		.leaves = hp_calloc(hp_bit_words(reduction->kept),
				    sizeof *p.leaves),
		.shared = build->threads > 1,
	};
	struct hp_mapped_table growth = { 0 };
	enum hprof_status status = plant(&p, e, &growth);

	hp_build_free(build, &growth);
	hp_free(p.leaves);
	reduction->trees.referrer = e->referrer.at;
	if (status == HPROF_OK)
		status = hp_build_table(build, &reduction->trees.edge,
					(uint64_t)reduction->kept + 1,
					sizeof(uint32_t), HP_MAPPED_TABLE_RAW);
	return status;
}

/* ---- by position --------------------------------------------------------- */

enum { AHEAD = 16 };

static void find_ups(void *user, const struct hp_range *range)
{
	const struct hp_branches *b = user;
	const struct hp_ranked_bits *blocks = b->reduction->blocks.at;
	const struct hp_ranked_bits *tops = b->reduction->top_blocks.at;
	const struct hp_kept_trees *trees = &b->reduction->trees;
	const uint32_t *position = trees->position.at;
	struct hp_branch *branch = b->table.at;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint32_t number = blocks[i].rank;
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, number++) {
			uint64_t object = i << 6 | hp_bit_lowest(w);
			uint32_t at = position[number], up = at;
			hp_prefetch_write(&branch[position[number + AHEAD]]);
			if (!(tops[i].bits & w & -w))
				up = position[hp_ranked_bits_number(
					blocks, trees->referrer[object] - 1)];
			branch[at] = (struct hp_branch){ .up = up };
		}
	}
}

/*
 * From the last position of a tree to the first, `end` counts the objects that
 * hang on a position until that is reached.
 */
static void find_ends(void *user, const struct hp_range *range)
{
	const struct hp_branches *b = user;
	const struct hp_kept_trees *trees = &b->reduction->trees;
	const uint32_t *first = trees->first.at, *edge = trees->edge.at;
	struct hp_branch *branch = b->table.at;

	for (uint64_t at = first[range->end]; at-- > first[range->begin];) {
		uint32_t up = branch[at].up, below = branch[at].end;
		if (up != at)
			branch[up].end += below + 1;
		branch[at].end = edge[at + below + 1];
	}
}

enum hprof_status hp_kept_trees_branches(
	struct hp_build *build, const struct hp_reduction *reduction,
	struct hp_branches *ret, struct hp_pieces ret_pieces[HP_BRANCH_PIECES])
{
	*ret = (struct hp_branches){ .reduction = reduction };
	ret_pieces[0] = (struct hp_pieces){ reduction->count, find_ups, ret };
	ret_pieces[1] =
		(struct hp_pieces){ reduction->tree_count, find_ends, ret };
	return hp_build_table(build, &ret->table, reduction->kept,
			      sizeof(struct hp_branch), HP_MAPPED_TABLE_RAW);
}

struct arranging {
	const struct hp_build *build;
	const struct hp_reduction *reduction;
	const uint32_t *position; /* NULL: the numbers of objects */
	uint32_t *object;
};

static void find_objects(void *user, const struct hp_range *range)
{
	const struct arranging *a = user;
	const struct hp_ranked_bits *blocks = a->reduction->blocks.at;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint32_t number = blocks[i].rank;
		hp_build_trim_memory(a->build, i << 6);
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, number++) {
			uint32_t at = number;
			if (a->position) {
				at = a->position[number];
				hp_prefetch_write(
					&a->object[a->position[number +
							       AHEAD]]);
			}
			a->object[at] = (uint32_t)(i << 6 | hp_bit_lowest(w));
		}
	}
}

enum hprof_status hp_kept_trees_objects(struct hp_build *build,
					struct hp_reduction *reduction,
					struct hp_mapped_table *ret)
{
	struct arranging a = { .build = build,
			       .reduction = reduction,
			       .position = reduction->trees.position.at };

	HP_TRY(hp_build_table(build, ret, (uint64_t)reduction->kept + 1,
			      sizeof *a.object, HP_MAPPED_TABLE_RAW));
	a.object = ret->at;
	hp_pieces_run(build, reduction->count, find_objects, &a);
	hp_build_free(build, &reduction->trees.position);
	return HPROF_OK;
}
