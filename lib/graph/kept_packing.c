/* SPDX-License-Identifier: MIT */
/*
 * kept_packing.c - see kept_packing.h.
 *
 * There are no branches for what cannot be predicted: which targets are kept, how far
 * away they are, and which are edges. What is not wanted is written all the same, and
 * overwritten by what comes next.
 */
#include "graph/kept_packing.h"

#include <pthread.h>

#include "base/error.h"
#include "base/mem.h"

enum { BACK = 4 << 20 /* bytes of a file to reserve at a time */ };

/* Of 64 objects: which are kept, and which count as targets of edges. */
struct target_bits {
	uint64_t kept, several;
};

/* The bit of TARGET in its word of either. */
static inline uint32_t bit_of(uint64_t word, uint32_t target)
{
	return (uint32_t)(word >> (target & 63)) & 1;
}

/* Packed bytes: where the next ones go, and up to where there is room. */
struct span {
	uint64_t at, backed;
};

struct packing {
	struct hp_build *build;
	struct hp_edges *edges;
	const struct hp_reduction *reduction;
	struct hp_packed_edges *packed;
	const struct target_bits *bits;
	pthread_mutex_t lock; /* of what follows */
	struct span *spans;   /* that no thread has */
	size_t span_count;
	uint64_t bytes; /* of all that is packed */
};

/*
 * What is asked of each object and target, copied: what is written could have changed
 * the originals for all that a compiler knows.
 */
struct known {
	const struct hp_build *build;
	const struct target_bits *bits;
	struct hp_edges edges;
	struct hp_packed_edges packed;
};

/* The pass over one part. */
struct pass {
	const struct packing *packing;
	struct hp_edge_partition *part;
	struct hp_edge_walk walk;
	uint8_t *degree;
	uint32_t number;     /* of the next kept object */
	uint64_t at, backed; /* of its span */
	enum hprof_status status;
};

/* ---- room ---------------------------------------------------------------- */

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

/* For N targets of COUNT objects. Returns false if there is none. */
static inline bool make_room(struct pass *p, uint64_t n, unsigned count)
{
	const uint64_t most =
		hp_packed_most(n) + (uint64_t)(count - 1) * HP_PACKED_HEAD;

	if (p->at + most > p->backed)
		reserve(p, most);
	return p->status >= 0;
}

/* ---- one object ---------------------------------------------------------- */

/*
 * Packs N targets TO of OBJECT, but its class, at AT, and counts those that are EDGES.
 * Returns the end of the bytes.
 */
static inline __attribute__((always_inline)) uint8_t *
pack_targets(const struct known *known, uint32_t object, const uint32_t *to,
	     uint64_t n, uint8_t *at, uint64_t *ret_edges, const bool wide)
{
	const struct target_bits *all = known->bits;
	uint32_t last = object;
	uint64_t edges = 0;

	for (uint64_t k = 0; k < n; k++) {
		const uint32_t target = to[k];
		const uint32_t some = target != HP_NONE;
		const struct target_bits *bits = &all[some ? target >> 6 : 0];
		const uint32_t kept = some & bit_of(bits->kept, target);

		edges += some & bit_of(bits->several, target);
		at += hp_packed_store(at, target - last, wide) & (0 - kept);
		last ^= (last ^ target) & (0 - kept);
		hp_build_trim_memory_within(known->build, k);
	}
	*ret_edges = edges;
	return at;
}

/*
 * Packs N targets TO of OBJECT, which is the next number and has room. Returns how many
 * are edges.
 */
static inline __attribute__((always_inline)) uint64_t
pack_object(struct pass *p, const struct known *known, uint32_t object,
	    const uint32_t *to, uint64_t n, const bool wide)
{
	uint8_t *begin = (uint8_t *)known->packed.bytes.at + p->at, *end;
	uint64_t edges;
	const uint32_t last = n ? to[n - 1] : HP_NONE;
	const bool own = last != HP_NONE &&
			 last == hp_packed_edges_class(&known->packed,
						       &known->edges, object);

	end = pack_targets(known, object, to, n - own, begin, &edges, wide);
	if (own)
		edges += bit_of(known->bits[last >> 6].several, last);
	p->at += hp_packed_edges_note(p->packing->packed, object, p->number++,
				      own, begin, (uint64_t)(end - begin));
	return edges;
}

/* ---- the objects of a part ------------------------------------------------ */

static uint64_t pack_any(struct pass *p, const struct known *known,
			 uint32_t object, const uint32_t *to, uint64_t n)
{
	if (!make_room(p, n, 1))
		return 0;
	return known->packed.wide ? pack_object(p, known, object, to, n, true)
				  : pack_object(p, known, object, to, n, false);
}

/* An object may have no list though its degree says so: then it has no targets. */
static void take_object(struct pass *p, const struct known *known,
			uint32_t object)
{
	const uint32_t *to = NULL;
	const uint64_t n = hp_edge_walk_next(&p->walk, object, &to);
	struct hp_edge_list *list = NULL;
	uint64_t edges = 0;

	if (bit_of(known->bits[object >> 6].kept, object))
		edges = pack_any(p, known, object, to, n);
	if (p->degree[object] != HP_DEGREE_LIST)
		p->degree[object] = (uint8_t)edges;
	else
		list = hp_edge_walk_passed(&p->walk, p->packing->edges, object);
	if (list)
		list->count = edges;
}

/* The same for all objects from FIRST on that the walk passes at once. */
static inline __attribute__((always_inline)) void
take_block(struct pass *p, const struct known *known, uint32_t first,
	   const bool wide)
{
	const uint32_t *from = p->walk.target + p->walk.at;
	uint8_t *degree = p->degree + first, edges[HP_EDGE_BLOCK] = { 0 };
	struct hp_block_sums sums;
	const uint64_t n = hp_block_sums_find(&sums, degree);

	if (!make_room(p, n, HP_EDGE_BLOCK))
		return;
	for (uint64_t w = known->bits[first >> 6].kept; w; w &= w - 1) {
		const unsigned i = (unsigned)hp_bit_lowest(w);

		edges[i] = (uint8_t)pack_object(
			p, known, first + i,
			from + hp_block_sums_before(&sums, i), degree[i], wide);
	}
	memcpy(degree, edges, sizeof edges);
	p->walk.at += n;
}

/* What a thread packs is together, so that huge pages hold it. */
static struct span take_span(struct packing *packing)
{
	struct span span;

	pthread_mutex_lock(&packing->lock);
	span = packing->spans[--packing->span_count];
	pthread_mutex_unlock(&packing->lock);
	return span;
}

/* BYTES have been packed to it. */
static void leave_span(struct packing *packing, struct span span,
		       uint64_t bytes)
{
	pthread_mutex_lock(&packing->lock);
	packing->bytes += bytes;
	packing->spans[packing->span_count++] = span;
	pthread_mutex_unlock(&packing->lock);
}

static void take_part(void *user, struct hp_edge_partition *part)
{
	struct packing *packing = user;
	const struct hp_ranked_bits *blocks = packing->reduction->blocks.at;
	const struct span span = take_span(packing);
	const struct known known = { packing->build, packing->bits,
				     *packing->edges, *packing->packed };
	struct pass p = { .packing = packing,
			  .part = part,
			  .walk = part->walk,
			  .degree = packing->edges->degree.at,
			  .number = blocks[part->begin >> 6].rank,
			  .at = span.at,
			  .backed = span.backed };

	for (uint32_t i = part->begin; i < part->end && p.status >= 0;) {
		hp_build_trim_memory(packing->build, i);
		packing->packed->blocks[i >> 6].start = p.at;
		if (hp_edge_walk_enter_block(&p.walk, i, part->end)) {
			if (known.packed.wide)
				take_block(&p, &known, i, true);
			else
				take_block(&p, &known, i, false);
			i += HP_EDGE_BLOCK;
			continue;
		}
		do
			take_object(&p, &known, i);
		while (++i < part->end && i % HP_EDGE_BLOCK);
	}
	leave_span(packing, (struct span){ p.at, p.backed }, p.at - span.at);
}

/* ---- all parts ----------------------------------------------------------- */

/* Both bits of a target in one place, which is a cache miss for many of them. */
static void find_bits(const struct packing *packing, struct target_bits *bits)
{
	const struct hp_ranked_bits *blocks = packing->reduction->blocks.at;

	for (size_t i = 0; i < hp_bit_words(packing->edges->count); i++)
		bits[i] =
			(struct target_bits){ blocks[i].bits,
					      packing->reduction->several[i] };
}

static enum hprof_status sum_up(const struct packing *packing,
				const struct hp_edge_partitions *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->items[i].error.status >= 0)
			continue;
		*packing->build->error = parts->items[i].error;
		return packing->build->error->status;
	}
	hp_mapped_table_used(&packing->build->tables, &packing->packed->bytes,
			     packing->bytes);
	return HPROF_OK;
}

static enum hprof_status make_spans(struct packing *packing)
{
	const struct hp_packed_edges *p = packing->packed;

	packing->spans = hp_calloc(p->spans, sizeof *packing->spans);
	if (!packing->spans)
		return hp_no_memory(packing->build->error);
	while (packing->span_count < p->spans) {
		const uint64_t at = packing->span_count * p->span;

		packing->spans[packing->span_count++] = (struct span){ at, at };
	}
	return HPROF_OK;
}

enum hprof_status hp_kept_packing_run(struct hp_build *build,
				      struct hp_edges *edges,
				      struct hp_edge_partitions *parts,
				      struct hp_reduction *reduction,
				      struct hp_packed_edges *packed)
{
	struct packing packing = { .build = build,
				   .edges = edges,
				   .reduction = reduction,
				   .packed = packed,
				   .lock = PTHREAD_MUTEX_INITIALIZER };
	struct hp_build packers = *build;
	struct hp_mapped_table bits = { 0 };
	enum hprof_status status;

	packers.threads = (unsigned)packed->spans;
	HP_TRY(make_spans(&packing));
	status = hp_build_table(build, &bits, hp_bit_words(edges->count),
				sizeof *packing.bits, HP_MAPPED_TABLE_RAW);
	if (status == HPROF_OK) {
		packing.bits = bits.at;
		find_bits(&packing, bits.at);
		hp_edge_partitions_run(&packers, parts, take_part, &packing);
		status = sum_up(&packing, parts);
	}
	hp_build_free(build, &bits);
	hp_free(packing.spans);
	return status;
}
