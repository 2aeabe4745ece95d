/* SPDX-License-Identifier: MIT */
/*
 * retained_sizes.c - see retained_sizes.h.
 *
 * Reduced subtrees are added up first (reduced_subtrees.h). The trees of kept
 * objects follow: within those that dominate no other by all threads, then by one
 * and by descending depth-first number, as a dominator's number is always smaller.
 *
 * Sizes are multiples of some power of 2; in such units, 32 bits suffice for
 * all but the largest heaps.
 */
#include "graph/retained_sizes.h"

#include <string.h>

#include "base/error.h"
#include "graph/edge_partitions.h"
#include "graph/kept_trees.h"
#include "graph/reduced_subtrees.h"
#include "base/mem.h"
#include "base/prefetch.h"

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

	hp_pieces_run(build, e->count, start_range, &work);
	for (size_t i = 0; i < e->large_count; i++)
		start_row(s, e->larges[i].index, e->larges[i].size / s->unit);
}

/* ---- kept objects -------------------------------------------------------- */

/* The positions of a tree: the top, and behind it what hangs on it. */
struct span {
	uint32_t first, end;
};

struct finding {
	const struct hp_build *build;
	const struct hp_dominators *dom;
	struct hp_retained_sizes *sizes;
	const uint32_t *first;	/* by tree; NULL: positions are trees */
	const uint32_t *object; /* by position */
	struct span *spans;	/* by number */
	/* Bits, by number: trees that dominate others; all if one thread sums up. */
	uint64_t *inner;
};

static struct span span_of(const struct finding *f, uint64_t tree)
{
	return f->first ? (struct span){ f->first[tree], f->first[tree + 1] }
			: (struct span){ (uint32_t)tree, (uint32_t)tree + 1 };
}

/*
 * Finds the trees by their numbers. Of those that nobody holds, objects are not
 * reachable; what no number has dominates nothing either.
 */
static void find_spans(void *user, const struct hp_range *range)
{
	const struct finding *f = user;
	const uint32_t *number = f->dom->number.at;
	uint32_t *dominator = f->sizes->dominator.at;

	for (uint64_t tree = range->begin; tree < range->end; tree++) {
		struct span span = span_of(f, tree);
		hp_build_trim_memory(f->build, tree);
		if (number[tree])
			f->spans[number[tree]] = span;
		if (number[tree] && number[tree] <= f->dom->live)
			continue;
		for (uint32_t i = span.first; i < span.end; i++) {
			uint32_t at = f->object[i];
			dominator[at] = 0;
			__atomic_fetch_and(&f->sizes->reachable[at >> 6],
					   ~((uint64_t)1 << (at & 63)),
					   __ATOMIC_RELAXED);
		}
	}
}

/* Asks for the rows of OBJECT, which are read and written soon. */
static inline void fetch(const struct hp_retained_sizes *s, uint32_t object,
			 const bool wide)
{
	const uint32_t *retained = s->retained.at;
	const uint32_t *dominator = s->dominator.at;

	hp_prefetch_write(&dominator[object]);
	hp_prefetch(&retained[wide ? 2 * (uint64_t)object : object]);
}

enum { TREES_AHEAD = 8, OBJECTS_AHEAD = 16 };

/* Where the last objects of a tree begin, which are summed up first. */
static inline uint32_t last_of(const struct span *span)
{
	return span->end - span->first > OBJECTS_AHEAD
		       ? span->end - OBJECTS_AHEAD
		       : span->first;
}

/* Asks for what is read and written of the last objects of the tree V. */
static inline void fetch_tree(const struct finding *f, uint32_t v,
			      const bool wide)
{
	const struct span *span = &f->spans[v];

	for (uint32_t i = last_of(span); i < span->end; i++)
		fetch(f->sizes, f->object[i], wide);
}

/* Of number V, the position of what dominates it, which has number IDOM. */
static inline uint32_t position_of(const struct finding *f, uint32_t v,
				   uint32_t idom)
{
	const uint32_t *entry = f->dom->entry.at;

	return entry ? entry[v] : f->spans[idom].first;
}

/*
 * Adds up the objects of tree V below its top, and finds what dominates that. All
 * trees that it dominates have been added.
 */
static inline __attribute__((always_inline)) void
sum_tree(const struct finding *f, uint32_t v, const bool wide)
{
	const uint32_t *idom = f->dom->idom.at, *object = f->object;
	const struct span span = f->spans[v];
	uint32_t *dominator = f->sizes->dominator.at;

	for (uint32_t i = span.end - 1; i > span.first; i--) {
		if (i - span.first >= OBJECTS_AHEAD)
			fetch(f->sizes, object[i - OBJECTS_AHEAD], wide);
		hp_retained_sizes_add(f->sizes, dominator[object[i]] - 1,
				      object[i], wide);
	}
	dominator[object[span.first]] =
		idom[v] ? object[position_of(f, v, idom[v])] + 1 : 0;
}

/* Row V of these is that of number V + 1; bit 0 is set by what nobody dominates. */
static void find_inner(void *user, const struct hp_range *range)
{
	const struct finding *f = user;
	const uint32_t *idom = f->dom->idom.at;

	for (uint64_t v = range->begin + 1; v <= range->end; v++) {
		uint64_t *word = &f->inner[idom[v] >> 6];
		uint64_t bit = (uint64_t)1 << (idom[v] & 63);
		if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
			__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
	}
}

static inline __attribute__((always_inline)) void
sum_outer(const struct finding *f, const struct hp_range *range,
	  const bool wide)
{
	for (uint64_t v = range->end; v > range->begin; v--) {
		uint64_t far = v - 2 * TREES_AHEAD, near = v - TREES_AHEAD;
		if (v > range->begin + 2 * TREES_AHEAD &&
		    !hp_bit(f->inner, far))
			hp_prefetch(&f->object[last_of(&f->spans[far])]);
		if (v > range->begin + TREES_AHEAD && !hp_bit(f->inner, near))
			fetch_tree(f, (uint32_t)near, wide);
		if (!hp_bit(f->inner, v))
			sum_tree(f, (uint32_t)v, wide);
	}
}

static void sum_range(void *user, const struct hp_range *range)
{
	const struct finding *f = user;

	if (f->sizes->wide)
		sum_outer(f, range, true);
	else
		sum_outer(f, range, false);
}

/* Asks for what is read and written soon, when the trees before V are added. */
static inline void fetch_kept(const struct finding *f, uint32_t v,
			      const bool wide)
{
	const uint32_t *object = f->object, *idom = f->dom->idom.at;

	if (v > 2 * TREES_AHEAD) {
		const uint32_t far = v - 2 * TREES_AHEAD;
		const struct span *span = &f->spans[far];
		hp_prefetch(&object[hp_bit(f->inner, far) ? last_of(span)
							  : span->first]);
	}
	if (v > TREES_AHEAD) {
		const uint32_t near = v - TREES_AHEAD;
		if (hp_bit(f->inner, near))
			fetch_tree(f, near, wide);
		else if (idom[near])
			fetch(f->sizes, object[f->spans[near].first], wide);
	}
}

/*
 * A tree is added to what dominates it when all that it dominates has been: by one
 * thread, but most trees dominate nothing, and others have added up what is below
 * their tops.
 */
static inline __attribute__((always_inline)) void
sum_kept(const struct finding *f, const bool wide)
{
	const uint32_t *dominator = f->sizes->dominator.at;
	const uint32_t *idom = f->dom->idom.at;

	for (uint32_t v = f->dom->reached; v >= 1; v--) {
		fetch_kept(f, v, wide);
		hp_build_trim_memory(f->build, v);
		if (hp_bit(f->inner, v))
			sum_tree(f, v, wide);
		if (!idom[v])
			continue;
		uint32_t top = f->object[f->spans[v].first];
		hp_retained_sizes_add(f->sizes, dominator[top] - 1, top, wide);
	}
}

static enum hprof_status sum_trees(struct finding *f)
{
	const size_t words = hp_bit_words((uint64_t)f->dom->reached + 1);
	/* Without trees, as with limited memory, there is nothing below tops. */
	const bool alone = f->build->threads <= 1 || !f->first;

	f->inner = hp_calloc(words, sizeof *f->inner);
	if (!f->inner)
		return hp_no_memory(f->build->error);
	if (alone)
		memset(f->inner, 0xff, words * sizeof *f->inner);
	else
		hp_pieces_run_all(f->build,
				  (struct hp_pieces[]){
					  { f->dom->reached, find_inner, f },
					  { f->dom->reached, sum_range, f },
				  },
				  2, NULL);
	if (f->sizes->wide)
		sum_kept(f, true);
	else
		sum_kept(f, false);
	hp_free(f->inner);
	return HPROF_OK;
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

	if (!f)
		return hp_no_memory(build->error);
	status = hp_reduced_subtrees_begin(build, reduction, heads, s, f);
	if (status == HPROF_OK)
		status = hp_reduced_subtrees_sum(f);
	hp_reduced_subtrees_done(f);
	hp_free(f);
	return status;
}

/* The kept objects by position, and the trees by number. */
static enum hprof_status
find_trees(struct hp_build *build, struct hp_reduction *reduction,
	   struct hp_dominators *dom, struct hp_mapped_table *spans,
	   struct hp_mapped_table *objects, struct finding *f)
{
	const struct hp_ranked_bits *blocks = reduction->blocks.at;

	HP_TRY(hp_kept_trees_objects(build, reduction, objects));
	HP_TRY(hp_build_table(build, spans, (uint64_t)dom->reached + 1,
			      sizeof *f->spans, HP_MAPPED_TABLE_RAW));
	f->object = objects->at;
	f->spans = spans->at;
	for (uint64_t i = 0; i < hp_bit_words(reduction->count); i++)
		f->sizes->reachable[i] = blocks[i].bits;
	hp_pieces_run(build, dom->count, find_spans, f);
	hp_build_free(build, &dom->number);
	return HPROF_OK;
}

static void count_reachable(struct hp_retained_sizes *s, uint64_t count)
{
	for (uint64_t i = 0; i < hp_bit_words(count); i++)
		s->reachable_count += hp_bit_count(s->reachable[i]);
}

enum hprof_status hp_retained_sizes_find(struct hp_build *build,
					 struct hp_edges *e,
					 struct hp_reduction *reduction,
					 struct hp_dominators *dom,
					 struct hp_beside *reached,
					 struct hp_retained_sizes *s)
{
	struct hp_mapped_table objects = { 0 }, spans = { 0 };
	struct finding f = { .build = build,
			     .dom = dom,
			     .sizes = s,
			     .first = reduction->trees.first.at };
	enum hprof_status status;

	HP_TRY(hp_build_phase(build, "retained sizes"));
	HP_TRY(begin(build, e, s));
	status = find_trees(build, reduction, dom, &spans, &objects, &f);
	if (status == HPROF_OK)
		status = sum_peeled(build, reduction, dom->heads != NULL, s);
	if (status == HPROF_OK) {
		count_reachable(s, e->count);
		hp_beside_run(reached);
	}
	/* What is not lent only takes room from tables in files. */
	if (build->tables.limit)
		hp_mapped_tables_release(&build->tables);
	if (status == HPROF_OK)
		status = sum_trees(&f);
	hp_build_free(build, &objects);
	hp_build_free(build, &spans);
	return status;
}

void hp_retained_sizes_done(struct hp_build *build, struct hp_retained_sizes *s)
{
	hp_build_free(build, &s->dominator);
	hp_build_free(build, &s->retained);
	hp_free(s->reachable);
	*s = (struct hp_retained_sizes){ 0 };
}
