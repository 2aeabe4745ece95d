/* SPDX-License-Identifier: MIT */
/*
 * retained_sizes.c - see retained_sizes.h.
 *
 * Reduced subtrees are added up first (reduced_subtrees.h). The kept objects
 * follow by descending depth-first number, as a dominator's number is always
 * smaller.
 *
 * Sizes are multiples of some power of 2; in such units, 32 bits suffice for
 * all but the largest heaps.
 */
#include "graph/retained_sizes.h"

#include <assert.h>

#include "base/error.h"
#include "graph/edge_partitions.h"
#include "graph/reduced_subtrees.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "base/search.h"

uint64_t hp_edges_shallow(const struct hp_edges *e, uint32_t i)
{
	const uint8_t *shallow = e->shallow.at;
	size_t low;

	if (shallow[i] != HP_SHALLOW_LARGE)
		return (uint64_t)shallow[i] * e->unit;
	HP_LOWER_BOUND(&low, e->large_count, e->larges[hp_at].index < i);
	assert(low < e->large_count && e->larges[low].index == i);
	return e->larges[low].size;
}

/* ---- searches ------------------------------------------------------------ */

/* No branches within the loops, so that several objects are compared at once. */
bool hp_retained_sizes_any(const struct hp_retained_sizes *s, uint32_t from,
			   uint64_t least)
{
	uint32_t some = 0;

	if (!s->wide && least > UINT32_MAX)
		return false;
	if (s->wide) {
		const uint64_t *units = (const uint64_t *)s->retained.at + from;
		for (unsigned k = 0; k < HP_RETAINED_BLOCK; k++)
			some |= units[k] >= least;
	} else {
		const uint32_t *units = (const uint32_t *)s->retained.at + from;
		const uint32_t bound = (uint32_t)least;
		for (unsigned k = 0; k < HP_RETAINED_BLOCK; k++)
			some |= units[k] >= bound;
	}
	return some;
}

uint32_t hp_retained_sizes_next(const struct hp_build *build,
				const struct hp_retained_sizes *s, uint32_t i,
				uint32_t end, uint64_t least)
{
	uint64_t units = least / s->unit + (least % s->unit != 0);

	while (i < end) {
		hp_build_trim_memory(build, i);
		if (i % HP_RETAINED_BLOCK == 0 &&
		    end - i >= HP_RETAINED_BLOCK &&
		    !hp_retained_sizes_any(s, i, units)) {
			i += HP_RETAINED_BLOCK;
			continue;
		}
		if (hp_retained_sizes_retained(s, i) >= least)
			return i;
		i++;
	}
	return end;
}

/* ---- initial sizes ------------------------------------------------------- */

static inline void start_row(struct hp_retained_sizes *s, uint64_t i,
			     uint64_t units)
{
	if (s->wide)
		((uint64_t *)s->retained.at)[i] = units;
	else
		((uint32_t *)s->retained.at)[i] = (uint32_t)units;
}

struct starting {
	const struct hp_build *build;
	struct hp_retained_sizes *sizes;
	const struct hp_edges *edges;
};

static void start_range(void *user, const struct hp_range *range)
{
	const struct starting *work = user;
	struct hp_retained_sizes *s = work->sizes;
	const uint8_t *shallow = work->edges->shallow.at;
	const uint32_t factor = work->edges->unit / s->unit;
	uint32_t *narrow = s->retained.at;

	for (uint64_t from = range->begin; from < range->end;
	     from += HP_TRIM_INTERVAL) {
		uint64_t to = range->end - from < HP_TRIM_INTERVAL
				      ? range->end
				      : from + HP_TRIM_INTERVAL;
		hp_build_trim_memory(work->build, 0);
		for (uint64_t i = from; i < to && !s->wide; i++)
			narrow[i] = shallow[i] * factor;
		for (uint64_t i = from; i < to && s->wide; i++)
			start_row(s, i, (uint64_t)shallow[i] * factor);
	}
}

static void start(struct hp_build *build, struct hp_retained_sizes *s,
		  const struct hp_edges *e)
{
	struct starting work = { build, s, e };

	hp_ranges_run(build, e->count, start_range, &work);
	for (size_t i = 0; i < e->large_count; i++)
		start_row(s, e->larges[i].index, e->larges[i].size / s->unit);
}

/* ---- kept objects -------------------------------------------------------- */

struct finding {
	const struct hp_build *build;
	const struct hp_reduction *reduction;
	const struct hp_dominators *dom;
	struct hp_retained_sizes *sizes;
	uint32_t *object;
};

/*
 * OBJECT[number] becomes the object that has the number. The dominators of kept
 * objects are set to 0, and reachable objects are marked.
 */
static void find_objects(void *user, const struct hp_range *range)
{
	const struct finding *work = user;
	const struct hp_reduction_block *blocks = work->reduction->blocks.at;
	const uint32_t *number = work->dom->number.at;
	uint32_t *dominator = work->sizes->dominator.at;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint32_t node = blocks[i].rank;
		uint64_t alive = 0;
		hp_build_trim_memory(work->build, i << 6);
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, node++) {
			uint64_t at = i << 6 | hp_bit_lowest(w);
			dominator[at] = 0;
			if (number[node] == 0)
				continue;
			work->object[number[node]] = (uint32_t)at;
			if (number[node] <= work->dom->live)
				alive |= w & -w;
		}
		work->sizes->reachable[i] = alive;
	}
}

static inline __attribute__((always_inline)) void
sum_kept(struct hp_build *build, const struct hp_dominators *dom,
	 const uint32_t *object, struct hp_retained_sizes *s, const bool wide)
{
	enum { AHEAD = 16 };
	const uint32_t *idom = dom->idom.at;
	const uint32_t *retained = s->retained.at;
	uint32_t *dominator = s->dominator.at;

	for (uint32_t v = dom->reached; v >= 1; v--) {
		if (v > AHEAD) {
			uint64_t ahead = object[v - AHEAD];
			hp_prefetch_write(&dominator[ahead]);
			hp_prefetch(&retained[wide ? 2 * ahead : ahead]);
		}
		hp_build_trim_memory(build, v);
		if (idom[v] == 0)
			continue;
		dominator[object[v]] = object[idom[v]] + 1;
		hp_retained_sizes_add(s, object[idom[v]], object[v], wide);
	}
}

/* ---- entry points -------------------------------------------------------- */

static enum hprof_status begin(struct hp_build *build, struct hp_edges *e,
			       struct hp_retained_sizes *s)
{
	s->dominator = e->referrer;
	e->referrer.at = NULL;
	s->unit = e->unit;
	while (s->unit > 1 && e->size_bits % s->unit)
		s->unit /= 2;
	s->wide = e->shallow_total / s->unit > UINT32_MAX;
	s->reachable = hp_calloc(hp_bit_words(e->count), sizeof *s->reachable);
	if (!s->reachable)
		return hp_no_memory(build->error);
	HP_TRY(hp_build_table(build, &s->retained, e->count,
			      s->wide ? sizeof(uint64_t) : sizeof(uint32_t),
			      HP_MAPPED_TABLE_RAW));
	start(build, s, e);
	return HPROF_OK;
}

static enum hprof_status sum_peeled(struct hp_build *build,
				    const struct hp_reduction *reduction,
				    bool heads, struct hp_retained_sizes *s)
{
	struct hp_reduced_subtrees *f = hp_calloc(1, sizeof *f);
	enum hprof_status status;

	if (!f || hp_reduced_subtrees_begin(build, reduction, heads, s, f) !=
			  HPROF_OK) {
		hp_free(f);
		return hp_no_memory(build->error);
	}
	status = hp_reduced_subtrees_sum(f);
	hp_reduced_subtrees_done(f);
	hp_free(f);
	return status;
}

enum hprof_status hp_retained_sizes_find(struct hp_build *build,
					 struct hp_edges *e,
					 const struct hp_reduction *reduction,
					 struct hp_dominators *dom,
					 struct hp_retained_sizes *s)
{
	struct hp_mapped_table objects = { 0 };
	enum hprof_status status;

	HP_TRY(hp_build_phase(build, "retained sizes"));
	HP_TRY(begin(build, e, s));
	HP_TRY(hp_build_table(build, &objects, (uint64_t)dom->reached + 1,
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	struct finding finding = { build, reduction, dom, s, objects.at };
	hp_ranges_run(build, reduction->count, find_objects, &finding);
	hp_build_free(build, &dom->number);
	status = sum_peeled(build, reduction, dom->heads != NULL, s);
	/* No later table can reuse this memory. */
	hp_mapped_tables_release(&build->tables);
	if (status == HPROF_OK && s->wide)
		sum_kept(build, dom, objects.at, s, true);
	else if (status == HPROF_OK)
		sum_kept(build, dom, objects.at, s, false);
	hp_build_free(build, &objects);
	for (uint64_t i = 0; i < hp_bit_words(e->count); i++)
		s->reachable_count += hp_bit_count(s->reachable[i]);
	return status;
}

void hp_retained_sizes_done(struct hp_build *build, struct hp_retained_sizes *s)
{
	hp_build_free(build, &s->dominator);
	hp_build_free(build, &s->retained);
	hp_free(s->reachable);
	*s = (struct hp_retained_sizes){ 0 };
}
