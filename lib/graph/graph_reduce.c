/* SPDX-License-Identifier: MIT */
/*
 * graph_reduce.c - see graph_reduce.h. There are three ways to the table of
 * edges, by how many threads there are and whether all references stay.
 */
#include "graph/graph_reduce.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/packed_edges.h"

struct work {
	struct hp_build *build;
	struct hp_reduction *reduction;
	struct hp_edges *edges;
	struct hp_packed_edges *packed; /* or NULL */
	uint32_t *all_targets;		/* the table of EDGES */
	const struct hp_edge_partition *last;
	uint32_t *offset, *to; /* the graph that is made: dom->offset, target */
};

static enum hprof_status mark_roots(struct hp_build *build,
				    struct hp_reduction *p,
				    const struct hp_edges *e, bool heads)
{
	const struct hp_reduction_block *blocks = p->blocks.at;
	const uint32_t *referrer = e->referrer.at;

	p->roots = hp_calloc(hp_bit_words(p->kept), sizeof *p->roots);
	if (heads)
		p->heads = hp_calloc(hp_bit_words(p->kept), sizeof *p->heads);
	if (!p->roots || (heads && !p->heads))
		return hp_no_memory(build->error);
	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		uint32_t node = blocks[i].rank;
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, node++) {
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

/* The number of edges of a part that are in the reduced graph. */
static uint64_t count(const struct work *work,
		      const struct hp_edge_partition *part)
{
	struct hp_edge_walk walk = part->walk;
	const struct hp_reduction_block *blocks = work->reduction->blocks.at;
	const uint64_t *several = work->reduction->several;
	const uint32_t *from = NULL;
	uint64_t stay = 0;

	for (uint32_t i = part->begin; i < part->end; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &from);
		hp_build_trim_memory(work->build, i);
		if (!hp_reduction_keeps(blocks, i))
			continue;
		for (uint64_t k = 0; k < n; k++) {
			stay += from[k] != HP_NONE && hp_bit(several, from[k]);
			hp_build_trim_memory_within(work->build, k);
		}
	}
	return stay;
}

static void count_part(void *user, struct hp_edge_partition *part)
{
	part->count = count(user, part);
}

/* Packs the references of OBJECT, of which those to roots are not in TO. */
static void pack(const struct work *work, struct hp_packer *packer,
		 uint32_t object, uint32_t node, const uint32_t *to,
		 uint64_t count)
{
	const struct hp_reduction_block *blocks = work->reduction->blocks.at;

	hp_packer_open(packer, work->edges, object, node, count);
	for (uint64_t k = 0; k < count; k++) {
		if (to[k] != HP_NONE && hp_reduction_keeps(blocks, to[k]))
			hp_packer_put(packer, to[k]);
		hp_build_trim_memory_within(work->build, k);
	}
	hp_packer_close(packer, node);
}

/*
 * Writes the edges of a part to TO, and the offsets of its nodes, which count
 * from BASE. TO may be where the targets of the part are: since edges are only
 * left out, writing never overtakes reading. Returns how many edges there are.
 */
static uint64_t fill(const struct work *work,
		     const struct hp_edge_partition *part, uint32_t *to,
		     uint64_t base, struct hp_packer *packer)
{
	struct hp_edge_walk walk = part->walk;
	const struct hp_reduction_block *blocks = work->reduction->blocks.at;
	const uint64_t *several = work->reduction->several;
	const uint32_t *from = NULL;
	uint32_t node = blocks[part->begin >> 6].rank;
	uint64_t used = 0;

	for (uint32_t i = part->begin; i < part->end; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &from);
		hp_build_trim_memory(work->build, i);
		if (!hp_reduction_keeps(blocks, i))
			continue;
		if (packer)
			pack(work, packer, i, node, from, n);
		work->offset[node++] = (uint32_t)(base + used);
		for (uint64_t k = 0; k < n; k++) {
			uint32_t object = from[k];
			if (object != HP_NONE && hp_bit(several, object))
				to[used++] = hp_reduction_node(blocks, object);
			hp_build_trim_memory_within(work->build, k);
		}
		/* Too many; the caller checks as well. */
		if (used > MOST_EDGES)
			break;
	}
	return used;
}

/* The same, and packs them. PART->packed is then the end of what was packed. */
static uint64_t fill_and_pack(const struct work *work,
			      struct hp_edge_partition *part, uint32_t *to)
{
	struct hp_packer packer;
	uint64_t begin = part->packed, used;

	if (!work->packed)
		return fill(work, part, to, 0, NULL);
	hp_packer_init(&packer, work->packed, part);
	used = fill(work, part, to, 0, &packer);
	part->packed = packer.at - begin;
	part->error = packer.error;
	return used;
}

/* References that stay need not be packed. */
static enum hprof_status begin_packing(struct work *work,
				       struct hp_edge_partitions *parts,
				       bool edges_stay)
{
	const struct hp_reduction_block *blocks = work->reduction->blocks.at;

	HP_TRY(hp_packed_edges_init(work->build, work->edges, work->packed));
	if (!edges_stay)
		return hp_packed_edges_begin(work->build, work->edges, parts,
					     work->reduction->kept,
					     work->packed);
	for (uint64_t i = 0; i < hp_bit_words(work->reduction->count); i++)
		work->packed->blocks[i].kept = blocks[i].bits;
	return HPROF_OK;
}

/* What packing came to. */
static enum hprof_status end_packing(struct work *work,
				     const struct hp_edge_partitions *parts)
{
	uint64_t sum = 0;

	if (!work->packed)
		return HPROF_OK;
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->items[i].error.status < 0) {
			*work->build->error = parts->items[i].error;
			return work->build->error->status;
		}
		sum += parts->items[i].packed;
	}
	hp_packed_edges_end(work->build, work->packed, sum);
	return HPROF_OK;
}

static void fill_part(void *user, struct hp_edge_partition *part)
{
	const struct work *work = user;

	fill(work, part, work->to + part->at, part->at, NULL);
}

static enum hprof_status too_many(struct hp_build *build)
{
	return hp_fail(build->error, HPROF_E_LIMIT, HP_NO_OFFSET,
		       "more than %u references between objects that "
		       "several others refer to",
		       MOST_EDGES);
}

/* ---- in a new table ------------------------------------------------------ */

static enum hprof_status fill_table(struct work *work,
				    struct hp_edge_partitions *parts,
				    struct hp_dominators *dom)
{
	struct hp_build *build = work->build;
	uint64_t sum = 0;

	hp_edge_partitions_run(build, parts, count_part, work);
	for (size_t i = 0; i < parts->count; i++) {
		parts->items[i].at = sum;
		sum += parts->items[i].count;
	}
	if (sum > MOST_EDGES)
		return too_many(build);
	HP_TRY(hp_build_table(build, &dom->target, sum + HP_SPARE,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	work->to = dom->target.at;
	hp_edge_partitions_run(build, parts, fill_part, work);
	work->offset[dom->count] = (uint32_t)sum;
	return HPROF_OK;
}

/* ---- in the table of all targets ----------------------------------------- */

/*
 * A single thread writes from the front. The edges of class objects, which are
 * in a separate table, fit in, since edge_build.c left room for them.
 */
static enum hprof_status fill_in_place(struct work *work,
				       struct hp_edge_partitions *parts,
				       struct hp_dominators *dom)
{
	struct hp_build *build = work->build;
	uint64_t sum;

	dom->target = work->edges->target;
	work->edges->target.at = NULL;
	work->to = dom->target.at;
	sum = fill_and_pack(work, &parts->items[0], work->to);
	if (sum > MOST_EDGES)
		return too_many(build);
	work->offset[dom->count] = (uint32_t)sum;
	return hp_mapped_table_back(&dom->target, 0,
				    (sum + HP_SPARE) * sizeof(uint32_t),
				    build->error);
}

/*
 * With several threads, each writes the edges of a part to where its targets
 * begin; then all parts are moved together. A part with class objects has more
 * edges than targets there, since the targets of class objects are in a
 * separate table: such a part is written to memory of its own.
 */
static bool has_classes(const struct hp_edge_partition *part)
{
	const struct hp_edge_list *list = part->walk.list;

	for (; list != part->walk.list_end && list->from < part->end; list++)
		if (list->apart)
			return true;
	return false;
}

/* The row of the targets of its first object. */
static uint64_t first_row(const struct hp_edge_partition *part)
{
	const struct hp_edge_walk *w = &part->walk;
	bool begins = w->run != w->run_end && w->run->first == part->begin;

	return begins ? w->run->at : w->at;
}

static void fill_at_targets(void *user, struct hp_edge_partition *part)
{
	const struct work *work = user;

	part->filled = work->all_targets + first_row(part);
	part->apart = NULL;
	if (has_classes(part)) {
		part->count = count(work, part);
		part->apart =
			hp_alloc((size_t)part->count * sizeof *part->apart);
		part->filled = part->apart;
	}
	if (part->filled)
		part->count = fill_and_pack(work, part, part->filled);
}

/*
 * Moves a part to its place in the graph, and releases the memory of its
 * targets, which are no longer needed.
 */
static void move(void *user, struct hp_edge_partition *part)
{
	const struct work *work = user;
	const struct hp_reduction_block *blocks = work->reduction->blocks.at;
	uint32_t node = blocks[part->begin >> 6].rank;
	uint32_t end = part->end < work->reduction->count
			       ? blocks[part->end >> 6].rank
			       : work->reduction->kept;

	for (; node < end; node++)
		work->offset[node] += (uint32_t)part->at;
	if (part->count)
		memcpy(work->to + part->at, part->filled,
		       (size_t)part->count * sizeof *work->to);
	if (part != work->last)
		hp_mapped_table_drop(&work->edges->target,
				     first_row(part) * sizeof *work->to,
				     first_row(part + 1) * sizeof *work->to);
}

static enum hprof_status move_parts(struct work *work,
				    struct hp_edge_partitions *parts,
				    struct hp_dominators *dom)
{
	struct hp_build *build = work->build;
	uint64_t sum = 0;

	for (size_t i = 0; i < parts->count; i++) {
		if (!parts->items[i].filled)
			return hp_no_memory(build->error);
		parts->items[i].at = sum;
		sum += parts->items[i].count;
	}
	if (sum > MOST_EDGES)
		return too_many(build);
	/*
	 * The table of all targets is released as that of the graph fills up.
	 */
	uint64_t stored = work->edges->stored;
	hp_mapped_table_used(&build->tables, &work->edges->target,
			     (stored > sum ? stored - sum : 0) *
				     sizeof(uint32_t));
	HP_TRY(hp_build_table(build, &dom->target, sum + HP_SPARE,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	work->to = dom->target.at;
	work->last = &parts->items[parts->count - 1];
	hp_edge_partitions_run(build, parts, move, work);
	work->offset[dom->count] = (uint32_t)sum;
	return HPROF_OK;
}

static enum hprof_status fill_by_parts(struct work *work,
				       struct hp_edge_partitions *parts,
				       struct hp_dominators *dom)
{
	enum hprof_status status;

	work->all_targets = work->edges->target.at;
	hp_edge_partitions_run(work->build, parts, fill_at_targets, work);
	status = move_parts(work, parts, dom);
	for (size_t i = 0; i < parts->count; i++)
		hp_free(parts->items[i].apart);
	return status;
}

static enum hprof_status make_graph(struct work *work,
				    struct hp_edge_partitions *parts,
				    bool heads, bool edges_stay,
				    struct hp_dominators *dom)
{
	struct hp_build *build = work->build;
	struct hp_reduction *p = work->reduction;
	struct hp_edges *e = work->edges;

	HP_TRY(hp_reduction_keep(build, e, parts, work->packed != NULL, p));
	HP_TRY(mark_roots(build, p, e, heads));
	if (work->packed)
		HP_TRY(begin_packing(work, parts, edges_stay));
	dom->count = p->kept;
	dom->roots = p->roots;
	dom->heads = p->heads;
	HP_TRY(hp_build_table(build, &dom->offset, (uint64_t)p->kept + 1,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	work->offset = dom->offset.at;
	if (edges_stay)
		HP_TRY(fill_table(work, parts, dom));
	else if (parts->count > 1)
		HP_TRY(fill_by_parts(work, parts, dom));
	else
		HP_TRY(fill_in_place(work, parts, dom));
	if (!edges_stay) {
		HP_TRY(end_packing(work, parts));
		hp_build_free(build, &e->target);
		hp_build_free(build, &e->degree);
	}
	hp_mapped_table_cut(&build->tables, &dom->target,
			    ((uint64_t)work->offset[p->kept] + HP_SPARE) *
				    sizeof(uint32_t));
	hp_free(p->several);
	p->several = NULL;
	return HPROF_OK;
}

enum hprof_status hp_reduction_graph(struct hp_build *build, struct hp_edges *e,
				     bool heads, bool edges_stay,
				     struct hp_reduction *p,
				     struct hp_packed_edges *packed,
				     struct hp_dominators *dom)
{
	struct work work = {
		.build = build, .reduction = p, .edges = e, .packed = packed
	};
	struct hp_edge_partitions parts = { 0 };
	enum hprof_status status;

	HP_TRY(hp_build_phase(build, "peeling"));
	if (hp_edge_partitions_make(&parts, e, build->threads) != HPROF_OK)
		return hp_no_memory(build->error);
	status = make_graph(&work, &parts, heads, edges_stay, dom);
	hp_edge_partitions_done(&parts);
	return status;
}
