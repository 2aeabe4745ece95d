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
 * Both passes read the edges in memory order. The first keeps only those that
 * the second has to sort, as numbers.
 */
#include "graph/dominators.h"

#include "base/error.h"
#include "base/mem.h"

struct pass {
	const struct hp_dominators *dom;
	const uint32_t *number;
	uint32_t *offset, *target;
	uint32_t *semi;
	uint32_t *ends;
	/*
	 * How many edges of each node are kept, in the memory of its offset.
	 * Counts from MANY on are in many, in order.
	 */
	uint8_t *degree;
	uint32_t *many;
	size_t many_count, many_room;
};

enum { MANY = 255 };

/* Parents in the depth-first tree are the initial least predecessors. */
static void copy(struct hp_build *build, uint32_t *semi, const uint32_t *parent,
		 uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		semi[i] = parent[i];
		hp_build_trim_memory(build, i);
	}
}

static void start_roots(struct pass *p, const uint64_t *roots)
{
	for (uint64_t i = 0; i < hp_bit_words(p->dom->count); i++)
		for (uint64_t word = roots[i]; word; word &= word - 1)
			p->semi[p->number[i << 6 | hp_bit_lowest(word)]] = 0;
}

/* Whether the edge counts: garbage does not hold live objects. */
static inline bool counts(const struct hp_dominators *dom, uint32_t from,
			  uint32_t to)
{
	return to > dom->live || from <= dom->live;
}

/* Goes over the edges of FROM and keeps those to be listed at KEPT onward. */
static inline uint32_t sift(const struct hp_build *build, struct pass *p,
			    uint32_t from, uint32_t begin, uint32_t end,
			    uint32_t kept)
{
	for (uint32_t e = begin; e < end; e++) {
		__builtin_prefetch(&p->number[p->target[e + HP_SPARE / 2]]);
		uint32_t to = p->number[p->target[e]];
		if (from < to) {
			if (from < p->semi[to] && counts(p->dom, from, to))
				p->semi[to] = from;
		} else if (from > to && p->semi[to] &&
			   counts(p->dom, from, to)) {
			p->ends[to]++;
			p->target[kept++] = to;
		}
		hp_build_trim_memory_within(build, e - begin);
	}
	return kept;
}

static enum hprof_status note_degree(struct hp_build *build, struct pass *p,
				     uint32_t node, uint32_t count)
{
	p->degree[node] = (uint8_t)(count < MANY ? count : MANY);
	if (count < MANY)
		return HPROF_OK;
	if (hp_grow((void **)&p->many, &p->many_room, p->many_count,
		    sizeof *p->many) != HPROF_OK)
		return hp_no_memory(build->error);
	p->many[p->many_count++] = count;
	return HPROF_OK;
}

static enum hprof_status sift_all(struct hp_build *build, struct pass *p,
				  uint32_t *ret_kept)
{
	uint32_t begin = p->offset[0], kept = 0;

	for (uint32_t node = 0; node < p->dom->count; node++) {
		uint32_t from = p->number[node], end = p->offset[node + 1];
		uint32_t before = kept;
		if (from)
			kept = sift(build, p, from, begin, end, kept);
		HP_TRY(note_degree(build, p, node, kept - before));
		begin = end;
		hp_build_trim_memory(build, node);
	}
	*ret_kept = kept;
	return HPROF_OK;
}

static void sort(struct hp_build *build, struct pass *p, uint32_t *ret_from)
{
	const uint32_t *many = p->many;
	uint32_t sum = 0, e = 0;

	for (uint32_t v = 0; v <= p->dom->reached; v++) {
		uint32_t n = p->ends[v];
		p->ends[v] = sum;
		sum += n;
		hp_build_trim_memory(build, v);
	}
	for (uint32_t node = 0; node < p->dom->count; node++) {
		uint32_t from = p->number[node], n = p->degree[node];
		if (n == MANY)
			n = *many++;
		for (uint32_t end = e + n; e < end; e++) {
			__builtin_prefetch(
				&p->ends[p->target[e + HP_SPARE / 2]], 1);
			ret_from[p->ends[p->target[e]]++] = from;
			hp_build_trim_memory_within(build, e);
		}
		hp_build_trim_memory(build, node);
	}
}

/* Rows that are prefetched must hold valid numbers. */
static void pad(uint32_t *target, uint32_t from)
{
	for (unsigned i = 0; i < HP_SPARE; i++)
		target[from + i] = 0;
}

static enum hprof_status find_preds(struct hp_build *build,
				    struct hp_dominators *dom,
				    struct hp_predecessors *preds,
				    struct pass *p)
{
	uint32_t kept;

	copy(build, p->semi, dom->idom.at, (uint64_t)dom->reached + 1);
	start_roots(p, dom->roots);
	pad(p->target, p->offset[dom->count]);
	HP_TRY(sift_all(build, p, &kept));
	pad(p->target, kept);
	hp_mapped_table_cut(&build->tables, &dom->target,
			    ((uint64_t)kept + HP_SPARE) * sizeof(uint32_t));
	hp_mapped_table_cut(&build->tables, &dom->offset, dom->count);
	HP_TRY(hp_build_table(build, &preds->from, (uint64_t)kept + HP_SPARE,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	sort(build, p, preds->from.at);
	return HPROF_OK;
}

enum hprof_status hp_dominators_predecessors(struct hp_build *build,
					     struct hp_dominators *dom,
					     struct hp_predecessors *preds)
{
	struct pass p = { .dom = dom,
			  .number = dom->number.at,
			  .offset = dom->offset.at,
			  .target = dom->target.at,
			  .degree = dom->offset.at };
	uint64_t rows = (uint64_t)dom->reached + 1;
	enum hprof_status status;

	HP_TRY(hp_build_table(build, &preds->semi, rows, sizeof(uint32_t),
			      HP_MAPPED_TABLE_RAW));
	HP_TRY(hp_build_table(build, &preds->offset, rows, sizeof(uint32_t),
			      HP_MAPPED_TABLE_CLEAR));
	p.semi = preds->semi.at;
	p.ends = preds->offset.at;
	status = find_preds(build, dom, preds, &p);
	hp_free(p.many);
	return status;
}

void hp_predecessors_done(struct hp_build *build, struct hp_predecessors *preds)
{
	hp_build_free(build, &preds->semi);
	hp_build_free(build, &preds->offset);
	hp_build_free(build, &preds->from);
}
