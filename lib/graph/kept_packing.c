/* SPDX-License-Identifier: MIT */
/*
 * kept_packing.c - see kept_packing.h.
 *
 * There are no branches for what cannot be predicted: which targets are kept, how far
 * away they are, and which are edges. What is not wanted is written all the same, and
 * overwritten by what comes next.
 */
#include "graph/kept_packing.h"

#include "graph/moved_rows.h"

enum { BACK = 4 << 20 /* bytes of a file to reserve at a time */ };

/* The pass over one part. */
struct pass {
	const struct hp_kept_packing *packing;
	struct hp_edge_partition *part;
	struct hp_edge_walk walk;
	uint8_t *degree;
	uint32_t number; /* of the next kept object */
	struct hp_moved_rows rows;
	/* Packed bytes: where the next ones go, and up to where there is room. */
	uint64_t at, backed;
	enum hprof_status status;
};

/* ---- one object ---------------------------------------------------------- */

/* On the disk; memory needs none. Without room, nothing is packed any more. */
static void reserve(struct pass *p, uint64_t bytes)
{
	struct hp_mapped_table *table = &p->packing->packed->bytes;
	uint64_t end = p->at + bytes + BACK;

	if (end > table->bytes)
		end = table->bytes;
	if (p->status >= 0)
		p->status = hp_mapped_table_back(table, p->backed, end,
						 &p->part->error);
	p->backed = end;
}

/*
 * Packs N targets TO of OBJECT, but its class, at AT. Those that are edges go to
 * *STAY. Returns the end of the bytes.
 */
static inline __attribute__((always_inline)) uint8_t *
pack_targets(const struct hp_kept_packing *packing, uint32_t object,
	     const uint32_t *to, uint64_t n, uint8_t *at, uint32_t **stay,
	     const bool wide)
{
	const struct hp_ranked_bits *blocks = packing->reduction->blocks.at;
	const uint64_t *several = packing->reduction->several;
	uint32_t last = object, *edges = *stay;

	for (uint64_t k = 0; k < n; k++) {
		const uint32_t target = to[k];
		const bool some = target != HP_NONE;
		const uint32_t kept =
			some & hp_ranked_bits_have(blocks, some ? target : 0);

		*edges = target;
		edges += hp_reduction_counts(several, target);
		at += hp_packed_store(at, target - last, wide) & (0 - kept);
		last ^= (last ^ target) & (0 - kept);
		hp_build_trim_memory_within(packing->build, k);
	}
	*stay = edges;
	return at;
}

/*
 * Packs N targets TO of OBJECT, which is the next number. Those that are edges go to
 * STAY; returns their end.
 */
static inline uint32_t *pack_object(struct pass *p, uint32_t object,
				    const uint32_t *to, uint64_t n,
				    uint32_t *stay)
{
	const struct hp_kept_packing *packing = p->packing;
	struct hp_packed_edges *packed = packing->packed;
	uint8_t *bytes = packed->bytes.at, *begin, *end;
	uint32_t *edges = stay;
	bool own;

	if (p->at + hp_packed_most(n) > p->backed)
		reserve(p, hp_packed_most(n));
	if (p->status < 0)
		return stay;
	own = n && to[n - 1] != HP_NONE &&
	      to[n - 1] ==
		      hp_packed_edges_class(packed, packing->edges, object);
	begin = bytes + p->at;
	end = packed->wide ? pack_targets(packing, object, to, n - own, begin,
					  &edges, true)
			   : pack_targets(packing, object, to, n - own, begin,
					  &edges, false);
	if (own) {
		*edges = to[n - 1];
		edges += hp_reduction_counts(packing->reduction->several,
					     to[n - 1]);
	}
	p->at += hp_packed_edges_note(packed, object, p->number++, own, begin,
				      (uint64_t)(end - begin));
	return edges;
}

/* ---- rows ---------------------------------------------------------------- */

/* The N targets TO of OBJECT, which are in LIST unless that is NULL. */
static void take_rows(struct pass *p, uint32_t object, bool kept,
		      const uint32_t *to, uint64_t n, struct hp_edge_list *list)
{
	struct hp_edges *e = p->packing->edges;
	uint32_t *target = e->target.at, *stay, *end;
	const bool apart = list && list->apart;

	if (!apart)
		hp_moved_rows_go_on(&p->rows, p->walk.run, to);
	stay = apart ? e->apart + list->at : p->rows.stay;
	end = kept ? pack_object(p, object, to, n, stay) : stay;
	if (list)
		list->count = (uint64_t)(end - stay);
	else
		p->degree[object] = (uint8_t)(end - stay);
	if (apart)
		return;
	if (list)
		list->at = (uint64_t)(stay - target);
	p->rows.stay = end;
	p->rows.read += n;
}

/* An object may have no list though its degree says so: then it has no targets. */
static void take_object(struct pass *p, uint32_t object)
{
	const bool kept =
		hp_ranked_bits_have(p->packing->reduction->blocks.at, object);
	struct hp_edge_list *list = NULL;
	const uint32_t *to = NULL;
	const uint64_t n = hp_edge_walk_next(&p->walk, object, &to);

	if (p->degree[object] == HP_DEGREE_LIST)
		list = hp_moved_rows_list(&p->rows, &p->walk, object);
	if (list || p->degree[object] != HP_DEGREE_LIST)
		take_rows(p, object, kept, to, n, list);
	else if (kept)
		pack_object(p, object, NULL, 0, p->rows.stay);
}

/* The same for all objects from FIRST on that the walk passes at once. */
static void take_block(struct pass *p, uint32_t first)
{
	const struct hp_ranked_bits *blocks = p->packing->reduction->blocks.at;
	const uint32_t *from = p->walk.target + p->walk.at;
	uint8_t *degree = p->degree + first, stay[HP_EDGE_BLOCK] = { 0 };
	struct hp_block_sums sums;
	const uint64_t n = hp_block_sums_find(&sums, degree);

	hp_moved_rows_go_on(&p->rows, p->walk.run, from);
	for (uint64_t w = blocks[first >> 6].bits; w; w &= w - 1) {
		const unsigned i = (unsigned)hp_bit_lowest(w);
		uint32_t *end = pack_object(
			p, first + i, from + hp_block_sums_before(&sums, i),
			degree[i], p->rows.stay);
		stay[i] = (uint8_t)(end - p->rows.stay);
		p->rows.stay = end;
	}
	memcpy(degree, stay, sizeof stay);
	p->rows.read += n;
	p->walk.at += n;
}

static void take_part(void *user, struct hp_edge_partition *part)
{
	const struct hp_kept_packing *packing = user;
	const struct hp_ranked_bits *blocks = packing->reduction->blocks.at;
	struct pass p = { .packing = packing,
			  .part = part,
			  .walk = part->walk,
			  .degree = packing->edges->degree.at,
			  .number = blocks[part->begin >> 6].rank,
			  .rows = { .edges = packing->edges, .part = part },
			  .at = part->packed_at,
			  .backed = part->packed_at };

	for (uint32_t i = part->begin; i < part->end && p.status >= 0;) {
		hp_build_trim_memory(packing->build, i);
		packing->packed->blocks[i >> 6].start = p.at;
		if (hp_edge_walk_enter_block(&p.walk, i, part->end)) {
			take_block(&p, i);
			i += HP_EDGE_BLOCK;
			continue;
		}
		do
			take_object(&p, i);
		while (++i < part->end && i % HP_EDGE_BLOCK);
	}
	hp_moved_rows_leave(&p.rows);
	part->packed_bytes = p.at - part->packed_at;
}

enum hprof_status hp_kept_packing_run(struct hp_kept_packing *packing,
				      struct hp_edge_partitions *parts)
{
	uint64_t sum = 0;

	hp_edge_partitions_run(packing->build, parts, take_part, packing);
	packing->reduction->thin = true;
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->items[i].error.status < 0) {
			*packing->build->error = parts->items[i].error;
			return packing->build->error->status;
		}
		sum += parts->items[i].packed_bytes;
	}
	hp_mapped_table_used(&packing->build->tables, &packing->packed->bytes,
			     sum);
	return HPROF_OK;
}
