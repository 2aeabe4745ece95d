/* SPDX-License-Identifier: MIT */
/*
 * dominator_predecessors.c - the predecessors of each node, as far as
 * dominators depend on them.
 *
 * Of the predecessors with smaller numbers only the least matters: it is the
 * initial value of the semidominator. Only those with larger numbers are
 * listed, which is one for every three objects of an ordinary heap. A node that
 * is a root has the semidominator 0, whatever else refers to it.
 *
 * All passes read the edges in memory order. The first keeps only those to be
 * listed, as numbers; then they are counted and sorted by target.
 *
 * Several threads share the first pass by nodes, and the others by numbers: each
 * goes over all that is kept, which is read in sequence, and takes what leads to
 * its own numbers. Atomic counters would take three times the time.
 */
#include "graph/dominators.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/edge_partitions.h"

enum { MANY = 255, AHEAD = HP_SPARE / 2 };

/* What the first pass keeps of the edges of some nodes. */
struct sifted {
	uint32_t begin, end;   /* the nodes */
	uint32_t first, count; /* where what is kept begins in target */
	/* Counts from MANY on, in order. */
	uint32_t *many;
	size_t many_count, many_room;
	bool no_memory;
};

struct pass {
	struct hp_build *build;
	const struct hp_dominators *dom;
	const uint32_t *number;
	uint32_t *offset, *target;
	uint32_t *semi, *ends, *from;
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

/* Parents in the depth-first tree are the initial least predecessors. */
static void copy(void *user, const struct hp_range *range)
{
	const struct pass *p = user;
	const uint32_t *parent = p->dom->idom.at;

	for (uint64_t i = range->begin; i < range->end; i++) {
		p->semi[i] = parent[i];
		hp_build_trim_memory(p->build, i);
	}
}

static void start_roots(const struct pass *p, const uint64_t *roots)
{
	for (uint64_t i = 0; i < hp_bit_words(p->dom->count); i++)
		for (uint64_t word = roots[i]; word; word &= word - 1)
			p->semi[p->number[i << 6 | hp_bit_lowest(word)]] = 0;
}

/* ---- the edges that count ------------------------------------------------ */

/* Whether the edge counts: garbage does not hold live objects. */
static inline bool counts(const struct hp_dominators *dom, uint32_t from,
			  uint32_t to)
{
	return to > dom->live || from <= dom->live;
}

/* *LEAST, which other threads may lower as well, becomes FROM at most. */
static inline void lower(uint32_t *least, uint32_t from, bool shared)
{
	uint32_t old = __atomic_load_n(least, __ATOMIC_RELAXED);

	if (!shared && from < old)
		*least = from;
	while (shared && from < old &&
	       !__atomic_compare_exchange_n(least, &old, from, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * Goes over the edges of FROM and keeps those to be listed at KEPT onward. From
 * STOP on, another thread may be doing so.
 */
static inline uint32_t sift(struct pass *p, uint32_t from, uint32_t begin,
			    uint32_t end, uint32_t kept, uint32_t stop)
{
	for (uint32_t e = begin; e < end; e++) {
		uint32_t ahead = stop - e > AHEAD ? e + AHEAD : e;
		__builtin_prefetch(&p->number[p->target[ahead]]);
		uint32_t to = p->number[p->target[e]];
		if (from < to) {
			if (counts(p->dom, from, to))
				lower(&p->semi[to], from, p->shared);
		} else if (from > to && counts(p->dom, from, to) &&
			   __atomic_load_n(&p->semi[to], __ATOMIC_RELAXED)) {
			if (!p->shared)
				p->ends[to]++;
			p->target[kept++] = to;
		}
		hp_build_trim_memory_within(p->build, e - begin);
	}
	return kept;
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

/* Where the degrees of a part are at first: behind its first offset. */
static inline uint8_t *degrees(const struct pass *p, uint64_t begin)
{
	return (uint8_t *)(p->offset + begin + 1);
}

static void sift_range(void *user, const struct hp_range *range)
{
	struct pass *p = user;
	struct sifted *part = &p->parts[range->number];
	uint8_t *degree = degrees(p, range->begin);
	uint32_t begin = p->offset[range->begin], kept = begin;
	const uint32_t stop = p->offset[range->end];

	*part = (struct sifted){ .begin = (uint32_t)range->begin,
				 .end = (uint32_t)range->end,
				 .first = begin };
	for (uint64_t node = range->begin; node < range->end; node++) {
		uint32_t from = p->number[node], end = p->offset[node + 1];
		uint32_t before = kept;
		if (from)
			kept = sift(p, from, begin, end, kept, stop);
		*degree++ = degree_of(part, kept - before);
		begin = end;
		hp_build_trim_memory(p->build, node);
	}
	part->count = kept - part->first;
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
		memmove(p->degree + part->begin, degrees(p, part->begin),
			part->end - part->begin);
		memmove(p->target + p->kept, p->target + part->first,
			(size_t)part->count * sizeof *p->target);
		p->kept += part->count;
		if (part->many_count)
			memcpy(p->many + at, part->many,
			       part->many_count * sizeof *p->many);
		at += part->many_count;
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
	__builtin_prefetch(&p->ends[is_in(range, to) ? to : range->begin], 1);
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
				__builtin_prefetch(&p->ends[ahead], 1);
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

	hp_ranges_run(build, numbers, copy, p);
	start_roots(p, dom->roots);
	hp_ranges_run(build, dom->count, sift_range, p);
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
	hp_ranges_run(build, numbers, sort_range, p);
	return HPROF_OK;
}

enum hprof_status hp_dominators_predecessors(struct hp_build *build,
					     struct hp_dominators *dom,
					     struct hp_predecessors *preds)
{
	struct pass *p;
	uint64_t rows = (uint64_t)dom->reached + 1;
	enum hprof_status status;

	HP_TRY(hp_build_table(build, &preds->semi, rows, sizeof(uint32_t),
			      HP_MAPPED_TABLE_RAW));
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
			    .semi = preds->semi.at,
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
	hp_build_free(build, &preds->semi);
	hp_build_free(build, &preds->offset);
	hp_build_free(build, &preds->from);
}
