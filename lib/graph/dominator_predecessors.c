/* SPDX-License-Identifier: MIT */
/*
 * dominator_predecessors.c - the predecessors of each node that have larger
 * numbers, which is one for every three objects of an ordinary heap. The least
 * of the others is known already.
 *
 * All passes read the edges in memory order. The first turns targets into
 * numbers; then they are counted and sorted by these. What is read at random
 * places goes through a queue: it is prefetched well before it is needed.
 *
 * Several threads share the first pass by nodes, and the others by numbers: each
 * goes over all that is kept, which is read in sequence, and takes what leads to
 * its own numbers. Atomic counters would take three times the time.
 */
#include "graph/dominators.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "graph/edge_partitions.h"

enum { MANY = 255, AHEAD = HP_SPARE / 2, QUEUE = 4 * AHEAD };

/* What the first pass keeps of the edges of some nodes. */
struct sifted {
	uint32_t begin, end;   /* the nodes */
	uint32_t first, count; /* where what is kept begins in target */
	/* Counts from MANY on, from the last node to the first. */
	uint32_t *many;
	size_t many_count, many_room;
	bool no_memory;
};

struct pass {
	struct hp_build *build;
	const struct hp_dominators *dom;
	const uint32_t *number;
	uint32_t *offset, *target;
	uint32_t *ends, *from;
	bool shared; /* there are several threads */
	uint32_t kept;
	/*
	 * How many edges of each node are kept, in the memory of its offset;
	 * MANY: see many, in order.
	 */
	uint8_t *degree;
	uint32_t *many;
	struct sifted parts[HP_RANGES];
};

/* ---- targets as numbers -------------------------------------------------- */

/* Edges on their way, by how many had entered before. */
struct queue {
	uint32_t node[QUEUE], from[QUEUE], to[QUEUE];
	uint64_t entered, found, stored;
	uint32_t kept; /* where the last one was stored */
};

/*
 * Garbage does not hold live objects, nor does a node hold itself. Such edges
 * go to number 0, whose predecessors nobody asks for.
 */
static inline void look_up(const struct pass *p, struct queue *q)
{
	uint64_t i = q->found++ % QUEUE;
	uint32_t from = q->from[i], to = p->number[q->node[i]];

	if (to >= from || (to <= p->dom->live && from > p->dom->live))
		to = 0;
	q->to[i] = to;
	if (!p->shared)
		hp_prefetch_write(&p->ends[to]);
}

static inline void store(const struct pass *p, struct queue *q)
{
	uint32_t to = q->to[q->stored++ % QUEUE];

	if (!p->shared)
		p->ends[to]++;
	p->target[--q->kept] = to;
}

static inline void enter(const struct pass *p, struct queue *q, uint32_t from,
			 uint32_t node)
{
	uint64_t i = q->entered++ % QUEUE;

	hp_prefetch(&p->number[node]);
	q->node[i] = node;
	q->from[i] = from;
	if (q->entered - q->found > AHEAD)
		look_up(p, q);
	if (q->found - q->stored > AHEAD)
		store(p, q);
}

static void drain(const struct pass *p, struct queue *q)
{
	while (q->found < q->entered)
		look_up(p, q);
	while (q->stored < q->entered)
		store(p, q);
}

static inline uint8_t degree_of(struct sifted *part, uint32_t count)
{
	if (count < MANY)
		return (uint8_t)count;
	if (hp_grow((void **)&part->many, &part->many_room, part->many_count,
		    sizeof *part->many) != HPROF_OK)
		part->no_memory = true;
	else
		part->many[part->many_count++] = count;
	return MANY;
}

/*
 * Where the degrees of nodes up to END end at first: over offsets that nobody
 * reads any more. The offset of END is also the next part's first, which that
 * part keeps, unless it has only one node: then it is the last.
 */
static inline uint8_t *degrees_end(const struct pass *p, uint64_t end)
{
	return (uint8_t *)(p->offset + end + (end == p->dom->count));
}

/* From last to first, as the edges of a node are at the end of its rows. */
static void sift_range(void *user, const struct hp_range *range)
{
	struct pass *p = user;
	struct sifted *part = &p->parts[range->number];
	uint8_t *degree = degrees_end(p, range->end);
	uint32_t end = p->offset[range->end];
	struct queue q = { .kept = end };

	*part = (struct sifted){ .begin = (uint32_t)range->begin,
				 .end = (uint32_t)range->end };
	for (uint64_t node = range->end; node-- > range->begin;) {
		uint32_t from = p->number[node], begin = p->offset[node];
		uint32_t e = from ? end : begin;
		for (; e > begin && p->target[e - 1] != HP_NO_TARGET; e--) {
			enter(p, &q, from, p->target[e - 1]);
			hp_build_trim_memory_within(p->build, e);
		}
		*--degree = degree_of(part, from ? end - e : 0);
		end = begin;
		hp_build_trim_memory(p->build, node);
	}
	drain(p, &q);
	part->first = q.kept;
	part->count = (uint32_t)q.stored;
}

/* Moves what the parts keep together. */
static enum hprof_status join_parts(struct pass *p)
{
	size_t many = 0, at = 0;

	for (unsigned i = 0; i < HP_RANGES; i++) {
		if (p->parts[i].no_memory)
			return hp_no_memory(p->build->error);
		many += p->parts[i].many_count;
	}
	p->many = hp_calloc(many + 1, sizeof *p->many);
	if (!p->many)
		return hp_no_memory(p->build->error);
	p->degree = (uint8_t *)p->offset;
	for (unsigned i = 0; i < HP_RANGES; i++) {
		const struct sifted *part = &p->parts[i];
		if (part->begin == part->end)
			continue;
		size_t nodes = part->end - part->begin;
		memmove(p->degree + part->begin,
			degrees_end(p, part->end) - nodes, nodes);
		memmove(p->target + p->kept, p->target + part->first,
			(size_t)part->count * sizeof *p->target);
		p->kept += part->count;
		for (size_t k = part->many_count; k > 0; k--)
			p->many[at++] = part->many[k - 1];
	}
	return HPROF_OK;
}

/* ---- by target ----------------------------------------------------------- */

/* Rows that are prefetched must hold valid numbers. */
static void pad(uint32_t *target, uint32_t from)
{
	for (unsigned i = 0; i < HP_SPARE; i++)
		target[from + i] = 0;
}

static inline bool is_in(const struct hp_range *range, uint32_t to)
{
	return to - range->begin < range->end - range->begin;
}

/* Prefetches the end of what leads to TO, if that is in RANGE. */
static inline void fetch(const struct pass *p, const struct hp_range *range,
			 uint32_t to)
{
	hp_prefetch_write(&p->ends[is_in(range, to) ? to : range->begin]);
}

static void count_range(void *user, const struct hp_range *range)
{
	const struct pass *p = user;

	for (uint32_t e = 0; e < p->kept; e++) {
		uint32_t to = p->target[e];
		fetch(p, range, p->target[e + AHEAD]);
		if (is_in(range, to))
			p->ends[to]++;
		hp_build_trim_memory(p->build, e);
	}
}

/* Each counter becomes where the list of its number begins. */
static void add_up(const struct pass *p)
{
	uint32_t sum = 0;

	for (uint32_t v = 0; v <= p->dom->reached; v++) {
		uint32_t n = p->ends[v];
		p->ends[v] = sum;
		sum += n;
		hp_build_trim_memory(p->build, v);
	}
}

static inline __attribute__((always_inline)) void
sort(const struct pass *p, const struct hp_range *range, const bool shared)
{
	const uint32_t *many = p->many;
	uint32_t e = 0;

	for (uint32_t node = 0; node < p->dom->count; node++) {
		uint32_t from = p->number[node], n = p->degree[node];
		if (n == MANY)
			n = *many++;
		for (uint32_t end = e + n; e < end; e++) {
			uint32_t to = p->target[e],
				 ahead = p->target[e + AHEAD];
			if (shared)
				fetch(p, range, ahead);
			else
				hp_prefetch_write(&p->ends[ahead]);
			if (!shared || is_in(range, to))
				p->from[p->ends[to]++] = from;
			hp_build_trim_memory_within(p->build, e);
		}
		hp_build_trim_memory(p->build, node);
	}
}

static void sort_range(void *user, const struct hp_range *range)
{
	const struct pass *p = user;

	if (p->shared)
		sort(p, range, true);
	else
		sort(p, range, false);
}

/* ---- entry points -------------------------------------------------------- */

static enum hprof_status find_preds(struct pass *p, struct hp_dominators *dom,
				    struct hp_predecessors *preds)
{
	struct hp_build *build = p->build;
	const uint64_t numbers = (uint64_t)dom->reached + 1;

	hp_ranges_run_even(build, dom->count, p->offset, p->offset[dom->count],
			   sift_range, p);
	HP_TRY(join_parts(p));
	pad(p->target, p->kept);
	hp_mapped_table_cut(&build->tables, &dom->target,
			    ((uint64_t)p->kept + HP_SPARE) * sizeof(uint32_t));
	hp_mapped_table_cut(&build->tables, &dom->offset, dom->count);
	HP_TRY(hp_build_table(build, &preds->from, (uint64_t)p->kept + HP_SPARE,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	p->from = preds->from.at;
	if (p->shared)
		hp_ranges_run(build, numbers, count_range, p);
	add_up(p);
	hp_ranges_run_even(build, numbers, p->ends, p->kept, sort_range, p);
	return HPROF_OK;
}

enum hprof_status hp_dominators_predecessors(struct hp_build *build,
					     struct hp_dominators *dom,
					     struct hp_predecessors *preds)
{
	struct pass *p;
	uint64_t rows = (uint64_t)dom->reached + 1;
	enum hprof_status status;

	HP_TRY(hp_build_table(build, &preds->offset, rows, sizeof(uint32_t),
			      HP_MAPPED_TABLE_CLEAR));
	p = hp_calloc(1, sizeof *p);
	if (!p)
		return hp_no_memory(build->error);
	*p = (struct pass){ .build = build,
			    .dom = dom,
			    .number = dom->number.at,
			    .offset = dom->offset.at,
			    .target = dom->target.at,
			    .ends = preds->offset.at,
			    .shared = build->threads > 1 };
	status = find_preds(p, dom, preds);
	for (unsigned i = 0; i < HP_RANGES; i++)
		hp_free(p->parts[i].many);
	hp_free(p->many);
	hp_free(p);
	return status;
}

void hp_predecessors_done(struct hp_build *build, struct hp_predecessors *preds)
{
	hp_build_free(build, &preds->offset);
	hp_build_free(build, &preds->from);
}
