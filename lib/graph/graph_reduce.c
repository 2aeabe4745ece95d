/* SPDX-License-Identifier: MIT */
/*
 * graph_reduce.c - see graph_reduce.h. The edges of all kept objects are counted,
 * then each object writes its own to where its position says. Parts of the heap
 * are independent of each other. Where references were packed, edges are taken from
 * these: the table of all targets is gone by then, before trees need as much memory.
 */
#include "graph/graph_reduce.h"

#include "base/error.h"
#include "base/mem.h"
#include "graph/kept_packing.h"
#include "graph/kept_trees.h"
#include "graph/packed_fill.h"
#include "graph/prefix_sums.h"

struct work {
	struct hp_build *build;
	struct hp_reduction *reduction;
	struct hp_edges *edges;
	struct hp_packed_edges *packed; /* or NULL */
	bool targets_stay;
	uint64_t dropped;    /* the rows of targets before this one are */
	uint32_t *edge, *to; /* by position; the edges */
	uint64_t sum;	     /* number of edges */
};

static enum hprof_status mark_roots(struct hp_build *build,
				    struct hp_reduction *p,
				    const struct hp_edges *e, bool heads)
{
	const struct hp_ranked_bits *tops = hp_reduction_tops(p);
	const uint32_t *referrer = e->referrer.at;

	p->roots = hp_calloc(hp_bit_words(p->tree_count), sizeof *p->roots);
	if (heads)
		p->heads = hp_calloc(hp_bit_words(p->tree_count),
				     sizeof *p->heads);
	if (!p->roots || (heads && !p->heads))
		return hp_no_memory(build->error);
	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		uint32_t node = tops[i].rank;
		for (uint64_t w = tops[i].bits; w; w &= w - 1, node++) {
			uint64_t object = i << 6 | hp_bit_lowest(w);
			if (hp_bit(e->roots, object))
				hp_bit_set(p->roots, node);
			else if (heads && referrer[object] == 0)
				hp_bit_set(p->heads, node);
		}
	}
	return HPROF_OK;
}

/* More edges than this cannot be counted in 32 bits. */
#define MOST_EDGES (UINT32_MAX - 2 * HP_SPARE)

/* Where the edges of kept object NUMBER begin, or how many there are. */
static inline uint32_t *edge_of(const struct work *work, uint32_t number)
{
	return hp_kept_trees_edge(work->reduction, work->edge, number);
}

/* ---- the kept objects of a part ------------------------------------------ */

/*
 * Which objects are kept cannot be predicted. So of a block of objects, it is found
 * out for each where its targets begin, and only bits lead to those that are kept.
 */
struct kept_walk {
	const struct work *work;
	struct hp_edge_walk walk;
	uint32_t next, end;	   /* objects */
	uint64_t left;		   /* bits: of the block before NEXT */
	uint64_t row;		   /* where its targets begin */
	struct hp_block_sums sums; /* of its degrees */
	/* The last one's targets, some of which are edges. */
	const uint32_t *to;
	uint64_t count;
	uint64_t read; /* the row behind these, unless they are apart */
	const struct hp_edge_run *own;
	uint64_t own_row; /* the walk is there in the run of the part, or was */
};

static struct kept_walk walk_kept(const struct work *work,
				  const struct hp_edge_partition *part)
{
	return (struct kept_walk){ .work = work,
				   .walk = part->walk,
				   .next = part->begin,
				   .end = part->end,
				   .own = part->own,
				   .own_row = part->row };
}

static inline void take_block(struct kept_walk *k)
{
	const struct hp_ranked_bits *blocks = k->work->reduction->blocks.at;

	k->row = k->walk.at;
	k->walk.at += hp_block_sums_find(&k->sums, k->walk.degree + k->next);
	k->left = blocks[k->next >> 6].bits;
	k->next += HP_EDGE_BLOCK;
}

static inline void take_kept(struct kept_walk *k)
{
	const unsigned i = (unsigned)hp_bit_lowest(k->left);
	const uint64_t row = k->row + hp_block_sums_before(&k->sums, i);

	k->left &= k->left - 1;
	k->to = k->walk.target + row;
	k->count = k->walk.degree[k->next - HP_EDGE_BLOCK + i];
	k->read = row + k->count;
}

/* False: there are no more. */
static inline __attribute__((always_inline)) bool next_kept(struct kept_walk *k)
{
	const struct hp_ranked_bits *blocks = k->work->reduction->blocks.at;

	while (!k->left && k->next < k->end) {
		const uint32_t i = k->next;
		bool block = hp_edge_walk_enter_block(&k->walk, i, k->end);
		hp_build_trim_memory(k->work->build, i);
		if (block)
			take_block(k);
		else
			k->count =
				hp_edge_walk_next(&k->walk, k->next++, &k->to);
		if (k->walk.run == k->own)
			k->own_row = k->walk.at;
		if (block)
			continue;
		k->read = k->walk.at;
		if (hp_ranked_bits_have(blocks, i))
			return true;
	}
	if (!k->left)
		return false;
	take_kept(k);
	return true;
}

/* Of the last object. */
static inline uint64_t count_edges(const struct kept_walk *k)
{
	const uint64_t *several = k->work->reduction->several;
	uint64_t edges = 0;

	for (uint64_t i = 0; i < k->count; i++) {
		edges += hp_reduction_counts(several, k->to[i]);
		hp_build_trim_memory_within(k->work->build, i);
	}
	return edges;
}

/* ---- counting ------------------------------------------------------------ */

/* Counts the edges of the objects of a part. */
static void count_part(void *user, struct hp_edge_partition *part)
{
	struct work *work = user;
	const struct hp_ranked_bits *blocks = work->reduction->blocks.at;
	uint32_t number = blocks[part->begin >> 6].rank;
	struct kept_walk k = walk_kept(work, part);
	uint64_t sum = 0;

	while (next_kept(&k)) {
		uint64_t edges = count_edges(&k);
		sum += edges;
		*edge_of(work, number++) = (uint32_t)edges;
	}
	__atomic_fetch_add(&work->sum, sum, __ATOMIC_RELAXED);
}

/*
 * The same once only edges are left: degrees are their numbers, but for what has a
 * list.
 */
static void count_degrees(void *user, const struct hp_range *range)
{
	struct work *work = user;
	const struct hp_ranked_bits *blocks = work->reduction->blocks.at;
	const uint8_t *degree = work->edges->degree.at;
	uint64_t sum = 0;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint32_t number = blocks[i].rank;
		hp_build_trim_memory(work->build, i << 6);
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, number++) {
			uint8_t n = degree[i << 6 | hp_bit_lowest(w)];
			if (n == HP_DEGREE_LIST)
				n = 0;
			*edge_of(work, number) = n;
			sum += n;
		}
	}
	__atomic_fetch_add(&work->sum, sum, __ATOMIC_RELAXED);
}

/* A walk takes the first list of an object, and none unless its degree says so. */
static void count_lists(struct work *work)
{
	const struct hp_ranked_bits *blocks = work->reduction->blocks.at;
	const struct hp_edges *e = work->edges;
	const uint8_t *degree = e->degree.at;

	for (size_t i = 0; i < e->list_count; i++) {
		const struct hp_edge_list *list = &e->lists[i];

		if (!hp_ranked_bits_have(blocks, list->from) ||
		    degree[list->from] != HP_DEGREE_LIST ||
		    (i > 0 && list[-1].from == list->from))
			continue;
		*edge_of(work, hp_ranked_bits_number(blocks, list->from)) =
			(uint32_t)list->count;
		work->sum += list->count;
	}
}

/* Whether all references that are needed are packed. */
static bool is_packed(const struct work *work)
{
	return work->packed && work->packed->bytes.at;
}

static void count(struct work *work, struct hp_edge_partitions *parts)
{
	if (!work->reduction->thin && !is_packed(work)) {
		hp_edge_partitions_run(work->build, parts, count_part, work);
		return;
	}
	hp_pieces_run(work->build, work->reduction->count, count_degrees, work);
	count_lists(work);
}

/*
 * Rows of targets that were read, FROM up to TO, are given back in pieces, as many
 * as there are new ones. The memory of the rest is used again by other tables.
 */
enum { PIECE = 1 << 20 };

static uint64_t drop_targets(const struct work *work, uint64_t from,
			     uint64_t to)
{
	uint64_t end = to < work->dropped ? to : work->dropped;

	if (from < end)
		hp_mapped_table_drop(&work->edges->target,
				     from * sizeof(uint32_t),
				     end * sizeof(uint32_t));
	return to;
}

/* Writes those of COUNT targets TO that are edges, from number EDGE on. */
static inline void write_edges(const struct work *work, uint32_t edge,
			       const uint32_t *to, uint64_t count)
{
	const struct hp_ranked_bits *tops = hp_reduction_tops(work->reduction);
	const uint64_t *several = work->reduction->several;
	uint32_t *at = work->to + edge;

	if (work->reduction->thin) {
		for (uint64_t k = 0; k < count; k++) {
			at[k] = hp_ranked_bits_number(tops, to[k]);
			hp_build_trim_memory_within(work->build, k);
		}
		return;
	}
	for (uint64_t k = 0; k < count; k++) {
		if (hp_reduction_counts(several, to[k]))
			*at++ = hp_ranked_bits_number(tops, to[k]);
		hp_build_trim_memory_within(work->build, k);
	}
}

static void fill_part(void *user, struct hp_edge_partition *part)
{
	const struct work *work = user;
	const struct hp_ranked_bits *blocks = work->reduction->blocks.at;
	struct kept_walk k = walk_kept(work, part);
	uint32_t number = blocks[part->begin >> 6].rank;
	uint64_t dropped = k.own_row, end = dropped;

	while (next_kept(&k)) {
		if (end / PIECE > dropped / PIECE)
			dropped = drop_targets(work, dropped,
					       end / PIECE * PIECE);
		write_edges(work, *edge_of(work, number++), k.to, k.count);
		if (k.walk.run == k.own)
			end = k.read;
	}
	drop_targets(work, dropped, k.own_row);
}

/*
 * What other memory needs: edges, and what is in no table, like bits by object. Files
 * are given back as soon as possible.
 */
static uint64_t rows_to_drop(const struct work *work, uint64_t sum)
{
	const uint64_t rows = work->edges->target_count;
	uint64_t drop = sum + work->reduction->count / 2;

	drop = (drop + PIECE - 1) / PIECE * PIECE;
	return work->build->tables.limit || drop > rows ? rows : drop;
}

/* The edges, and where those of each position begin. */
static enum hprof_status fill(struct work *work,
			      struct hp_edge_partitions *parts,
			      struct hp_dominators *dom)
{
	struct hp_build *build = work->build;
	struct hp_mapped_table *target = &work->edges->target;

	count(work, parts);
	if (work->sum > MOST_EDGES)
		return hp_fail(build->error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "more than %u references between objects that "
			       "several others refer to",
			       MOST_EDGES);
	work->edge[work->reduction->kept] =
		hp_prefix_sums(build, &work->edge, 1, work->reduction->kept);
	/* As the new table fills up, that of all targets is released. */
	if (!work->targets_stay && !is_packed(work)) {
		work->dropped = rows_to_drop(work, work->sum);
		hp_mapped_table_drop_front(&build->tables, target,
					   work->dropped * sizeof(uint32_t));
	}
	HP_TRY(hp_build_table(build, &dom->target, work->sum + HP_SPARE,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	work->to = dom->target.at;
	if (is_packed(work))
		return hp_packed_fill(build, work->reduction, work->edges,
				      work->packed, work->edge, work->to);
	hp_edge_partitions_run(build, parts, fill_part, work);
	return HPROF_OK;
}

/* Of each tree, the edges of the top come first. */
static void find_offsets(const struct work *work, struct hp_dominators *dom)
{
	const uint32_t *first = work->reduction->trees.first.at;
	uint32_t *offset = dom->offset.at;

	if (!first)
		return; /* OFFSET is what was filled */
	for (uint64_t i = 0; i <= dom->count; i++)
		offset[i] = work->edge[first[i]];
}

static enum hprof_status make_graph(struct work *work,
				    struct hp_edge_partitions *parts,
				    struct hp_dominators *dom)
{
	struct hp_build *build = work->build;
	struct hp_reduction *p = work->reduction;

	dom->count = p->tree_count;
	dom->roots = p->roots;
	dom->heads = p->heads;
	dom->trees = p->top_blocks.at ? p : NULL;
	HP_TRY(hp_build_table(build, &dom->offset, (uint64_t)dom->count + 1,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	work->edge = p->trees.position.at ? p->trees.edge.at : dom->offset.at;
	HP_TRY(fill(work, parts, dom));
	find_offsets(work, dom);
	if (!work->targets_stay) {
		hp_build_free(build, &work->edges->target);
		hp_build_free(build, &work->edges->degree);
	}
	hp_free(p->several);
	p->several = NULL;
	return HPROF_OK;
}

/*
 * Trees need tables for random access, which is slow where these must be files.
 * With garbage, searches also begin within cycles of single referrers, at objects
 * that are no tops.
 */
static bool wants_trees(const struct hp_build *build, bool heads)
{
	return !heads && !build->tables.limit;
}

/* Packs references, unless they stay. All others are lost then: nothing needs them. */
static enum hprof_status pack(const struct work *work,
			      struct hp_edge_partitions *parts)
{
	struct hp_reduction *p = work->reduction;

	HP_TRY(hp_packed_edges_init(work->build, work->edges, p->blocks.at,
				    work->packed));
	if (work->targets_stay)
		return HPROF_OK;
	HP_TRY(hp_packed_edges_begin(work->build, work->edges, parts, p->kept,
				     work->packed));
	HP_TRY(hp_kept_packing_run(work->build, work->edges, parts, p,
				   work->packed));
	hp_build_free(work->build, &work->edges->target);
	return HPROF_OK;
}

static enum hprof_status reduce(struct work *work,
				struct hp_edge_partitions *parts, bool heads,
				struct hp_dominators *dom)
{
	struct hp_build *build = work->build;
	struct hp_reduction *p = work->reduction;
	const bool trees = wants_trees(build, heads);

	HP_TRY(hp_reduction_keep(build, work->edges, parts,
				 work->packed != NULL, trees,
				 work->targets_stay, p));
	if (!trees)
		hp_reduction_number_tops(p, work->edges);
	if (work->packed)
		HP_TRY(pack(work, parts));
	if (trees)
		HP_TRY(hp_kept_trees_make(build, work->edges, p));
	HP_TRY(mark_roots(build, p, work->edges, heads));
	return make_graph(work, parts, dom);
}

enum hprof_status hp_reduction_graph(struct hp_build *build, struct hp_edges *e,
				     bool heads, bool targets_stay,
				     struct hp_reduction *p,
				     struct hp_packed_edges *packed,
				     struct hp_dominators *dom)
{
	struct work work = { .build = build,
			     .reduction = p,
			     .edges = e,
			     .packed = packed,
			     .targets_stay = targets_stay };
	struct hp_edge_partitions parts = { 0 };
	enum hprof_status status;

	HP_TRY(hp_build_phase(build, "peeling"));
	if (hp_edge_partitions_make(&parts, e, build->threads) != HPROF_OK)
		return hp_no_memory(build->error);
	status = reduce(&work, &parts, heads, dom);
	hp_edge_partitions_done(&parts);
	return status;
}
