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
 * Several threads share both passes by nodes. Each has counters of its own, which
 * become where it writes within the list of each number. Atomic counters would take
 * three times the time; and to share the second pass by numbers, each thread would
 * have to go over the edges of all.
 */
#include "graph/dominators.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "graph/edge_partitions.h"
#include "graph/prefix_sums.h"

enum {
	MANY = 255,
	AHEAD = HP_SPARE / 2,
	QUEUE = 4 * AHEAD,
	PARTS_MOST = 4 /* counters take memory */
};

/* The edges of some nodes, which one thread has. */
struct part {
	uint32_t begin, end;   /* the nodes */
	uint32_t first, count; /* where what is kept begins in target */
	/* Counts from MANY on, from the last node to the first. */
	uint32_t *many;
	size_t many_count, many_room;
	bool no_memory;
	/*
	 * By number: how many edges lead there; then where the next one goes. The
	 * table is that of preds->offset for the last part.
	 */
	uint32_t *ends;
	struct hp_mapped_table counts;
};

struct pass {
	struct hp_build *build;
	const struct hp_dominators *dom;
	const uint32_t *number;
	uint32_t *offset, *target;
	uint32_t *from;
	uint32_t kept;
	/*
	 * How many edges of each node are kept, in the memory of its offset;
	 * MANY: see many of its part.
	 */
	uint8_t *degree;
	struct hp_ranges ranges;
	struct part parts[PARTS_MOST]; /* one for each */
};

/* ---- targets as numbers -------------------------------------------------- */

/* Edges on their way, by how many had entered before. */
struct queue {
	uint32_t node[QUEUE], from[QUEUE], to[QUEUE];
	uint64_t entered, found, stored;
	uint32_t kept; /* where the last one was stored */
	uint32_t *ends;
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
	hp_prefetch_write(&q->ends[to]);
}

static inline void store(const struct pass *p, struct queue *q)
{
	uint32_t to = q->to[q->stored++ % QUEUE];

	q->ends[to]++;
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

static inline uint8_t degree_of(struct part *part, uint32_t count)
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
	struct part *part = &p->parts[range->number];
	uint8_t *degree = degrees_end(p, range->end);
	uint32_t end = p->offset[range->end];
	struct queue q = { .kept = end, .ends = part->ends };

	part->begin = (uint32_t)range->begin;
	part->end = (uint32_t)range->end;
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
	p->degree = (uint8_t *)p->offset;
	for (unsigned i = 0; i < p->ranges.count; i++) {
		struct part *part = &p->parts[i];
		size_t nodes = part->end - part->begin;

		if (part->no_memory)
			return hp_no_memory(p->build->error);
		if (!nodes)
			continue;
		memmove(p->degree + part->begin,
			degrees_end(p, part->end) - nodes, nodes);
		memmove(p->target + p->kept, p->target + part->first,
			(size_t)part->count * sizeof *p->target);
		part->first = p->kept;
		p->kept += part->count;
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

/* Each counter becomes where its part of the list of its number begins. */
static void add_up(const struct pass *p)
{
	uint32_t *ends[PARTS_MOST];

	for (unsigned i = 0; i < p->ranges.count; i++)
		ends[i] = p->parts[i].ends;
	hp_prefix_sums(p->build, ends, p->ranges.count,
		       (uint64_t)p->dom->reached + 1);
}

static void sort_range(void *user, const struct hp_range *range)
{
	const struct pass *p = user;
	const struct part *part = &p->parts[range->number];
	size_t many = part->many_count;
	uint32_t e = part->first;

	for (uint32_t node = part->begin; node < part->end; node++) {
		uint32_t from = p->number[node], n = p->degree[node];
		if (n == MANY)
			n = part->many[--many];
		for (uint32_t end = e + n; e < end; e++) {
			uint32_t to = p->target[e];
			hp_prefetch_write(&part->ends[p->target[e + AHEAD]]);
			p->from[part->ends[to]++] = from;
			hp_build_trim_memory_within(p->build, e);
		}
		hp_build_trim_memory(p->build, node);
	}
}

/* ---- entry points -------------------------------------------------------- */

/* A node takes time as well, whether edges of it stay or not. */
static struct hp_ranges share(const struct hp_dominators *dom, unsigned count)
{
	uint64_t sums[HP_STAY_ROWS + 1], sum = 0;

	for (unsigned i = 0; i <= dom->count >> dom->stay_shift; i++) {
		sums[i] = sum;
		sum += dom->stay[i] + ((uint64_t)1 << dom->stay_shift);
	}
	return hp_ranges_even(count, dom->count, dom->stay_shift, sums, sum);
}

/* The counters of the last part end where the lists do. */
static enum hprof_status make_counters(struct pass *p,
				       struct hp_predecessors *preds)
{
	const uint64_t rows = (uint64_t)p->dom->reached + 1;
	const unsigned last = p->ranges.count - 1;

	for (unsigned i = 0; i <= last; i++) {
		struct hp_mapped_table *table =
			i < last ? &p->parts[i].counts : &preds->offset;
		HP_TRY(hp_build_table(p->build, table, rows, sizeof(uint32_t),
				      HP_MAPPED_TABLE_CLEAR));
		p->parts[i].ends = table->at;
	}
	return HPROF_OK;
}

static enum hprof_status find_preds(struct pass *p, struct hp_dominators *dom,
				    struct hp_predecessors *preds)
{
	struct hp_build *build = p->build;

	p->ranges = share(dom, build->threads < PARTS_MOST ? build->threads
							   : PARTS_MOST);
	HP_TRY(make_counters(p, preds));
	hp_ranges_run_in(&p->ranges, sift_range, p);
	HP_TRY(join_parts(p));
	pad(p->target, p->kept);
	hp_mapped_table_cut(&build->tables, &dom->target,
			    ((uint64_t)p->kept + HP_SPARE) * sizeof(uint32_t));
	hp_mapped_table_cut(&build->tables, &dom->offset, dom->count);
	HP_TRY(hp_build_table(build, &preds->from, (uint64_t)p->kept + HP_SPARE,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	p->from = preds->from.at;
	add_up(p);
	hp_ranges_run_in(&p->ranges, sort_range, p);
	return HPROF_OK;
}

enum hprof_status hp_dominators_predecessors(struct hp_build *build,
					     struct hp_dominators *dom,
					     struct hp_predecessors *preds)
{
	struct pass *p = hp_calloc(1, sizeof *p);
	enum hprof_status status;

	if (!p)
		return hp_no_memory(build->error);
	*p = (struct pass){ .build = build,
			    .dom = dom,
			    .number = dom->number.at,
			    .offset = dom->offset.at,
			    .target = dom->target.at };
	status = find_preds(p, dom, preds);
	for (unsigned i = 0; i < p->ranges.count; i++) {
		hp_build_free(build, &p->parts[i].counts);
		hp_free(p->parts[i].many);
	}
	hp_free(p);
	return status;
}

void hp_predecessors_done(struct hp_build *build, struct hp_predecessors *preds)
{
	hp_build_free(build, &preds->offset);
	hp_build_free(build, &preds->from);
}
