/* SPDX-License-Identifier: MIT */
/*
 * edge_partitions.c - see edge_partitions.h.
 *
 * The position of an object's targets is known only at the beginning of a run.
 * So there is one part for each run: it begins at the first multiple of 64
 * objects in the run, and takes the objects before that multiple from the next
 * run.
 */
#include "graph/edge_partitions.h"

#include <assert.h>

#include "base/mem.h"
#include "base/parallel_for.h"
#include "base/search.h"
#include "base/thread_pool.h"
#include "base/thread.h"

static uint64_t round_up(uint64_t i)
{
	return (i + 63) & ~(uint64_t)63;
}

/*
 * The part that begins in RUN. *LIST is the first list that may belong to it;
 * since runs ascend, the search for the next part continues from there.
 */
static struct hp_edge_partition make_part(const struct hp_edges *e, size_t run,
					  const struct hp_edge_list **list)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(e);
	uint64_t begin = run ? round_up(e->runs[run].first) : 0;
	uint64_t end = run + 1 < e->run_count ? round_up(e->runs[run + 1].first)
					      : e->count;
	const uint32_t *targets;

	if (begin > e->count)
		begin = e->count;
	if (end > e->count)
		end = e->count;
	if (run) {
		walk.run += run;
		while (*list != walk.list_end &&
		       (*list)->from < e->runs[run].first)
			++*list;
		walk.list = *list;
		for (uint64_t i = e->runs[run].first; i < begin; i++)
			hp_edge_walk_next(&walk, (uint32_t)i, &targets);
	}
	/* Of the first run it is not the beginning if class objects are first. */
	const bool enters = walk.run != walk.run_end &&
			    (run == 0 || walk.run->first == begin);
	return (struct hp_edge_partition){ .begin = (uint32_t)begin,
					   .end = (uint32_t)end,
					   .walk = walk,
					   .own = walk.run + enters,
					   .row = enters ? walk.run->at
							 : walk.at };
}

enum hprof_status hp_edge_partitions_make(struct hp_edge_partitions *parts,
					  const struct hp_edges *e,
					  unsigned threads)
{
	size_t count = threads > 1 && e->run_count > 1 ? e->run_count : 1;
	const struct hp_edge_list *list = e->lists;

	parts->count = 0;
	parts->items = hp_calloc(count, sizeof *parts->items);
	if (!parts->items)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < count; i++) {
		struct hp_edge_partition part = make_part(e, i, &list);
		if (count == 1)
			part.end = e->count;
		if (part.begin < part.end)
			parts->items[parts->count++] = part;
	}
	/* Together they cover all objects. */
	assert(e->count == 0 || parts->items[parts->count - 1].end == e->count);
	return HPROF_OK;
}

void hp_edge_partitions_done(struct hp_edge_partitions *parts)
{
	hp_free(parts->items);
	*parts = (struct hp_edge_partitions){ 0 };
}

struct call {
	hp_edge_partition_fn *fn;
	void *user;
};

static bool run(void *state, void *item)
{
	const struct call *call = state;

	call->fn(call->user, item);
	return true;
}

/* Returns how many parts are done: all of them, unless memory ran out. */
static size_t run_pool(const struct hp_build *build,
		       struct hp_edge_partitions *parts, struct call *call)
{
	static const struct hp_thread_pool_ops ops = { .run = run };
	const unsigned threads = parts->count < build->threads
					 ? (unsigned)parts->count
					 : build->threads;
	void **states = hp_calloc(threads, sizeof *states);
	struct hp_thread_pool *pool = NULL;
	size_t added = 0;

	for (unsigned i = 0; states && i < threads; i++)
		states[i] = call;
	if (states)
		pool = hp_thread_pool_new(&ops, states, threads);
	while (pool && added < parts->count &&
	       hp_thread_pool_add(pool, &parts->items[added], 1) == HPROF_OK)
		added++;
	if (pool)
		hp_thread_pool_join(pool);
	hp_thread_pool_free(pool);
	hp_free(states);
	return added;
}

void hp_edge_partitions_run(const struct hp_build *build,
			    struct hp_edge_partitions *parts,
			    hp_edge_partition_fn *fn, void *user)
{
	struct call call = { fn, user };
	size_t done = 0;

	if (build->threads > 1 && parts->count > 1)
		done = run_pool(build, parts, &call);
	for (; done < parts->count; done++)
		fn(user, &parts->items[done]);
}

/* ---- ranges -------------------------------------------------------------- */

struct range_thread {
	struct hp_range range;
	hp_range_fn *fn;
	void *user;
	pthread_t thread;
	bool started;
};

/* Of few objects most are. */
static bool is_empty(const struct range_thread *r)
{
	return r->range.begin >= r->range.end;
}

static void *run_range(void *argument)
{
	const struct range_thread *r = argument;

	if (!is_empty(r))
		r->fn(r->user, &r->range);
	return NULL;
}

static unsigned range_count(unsigned wanted)
{
	return wanted < 1 ? 1 : wanted < HP_RANGES ? wanted : HP_RANGES;
}

/* Range I of COUNT begins where the one before it ends. */
void hp_ranges_run_in(const struct hp_ranges *ranges, hp_range_fn *fn,
		      void *user)
{
	struct range_thread threads[HP_RANGES];
	uint64_t at = 0;

	for (unsigned i = 0; i < ranges->count; i++) {
		threads[i] =
			(struct range_thread){ .range = { at, ranges->ends[i],
							  i },
					       .fn = fn,
					       .user = user };
		at = ranges->ends[i];
	}
	for (unsigned i = 1; i < ranges->count; i++)
		threads[i].started = !is_empty(&threads[i]) &&
				     hp_thread_start(&threads[i].thread,
						     run_range, &threads[i]);
	for (unsigned i = 0; i < ranges->count; i++) {
		if (threads[i].started)
			pthread_join(threads[i].thread, NULL);
		else
			run_range(&threads[i]);
	}
}

void hp_ranges_run(const struct hp_build *build, uint64_t count,
		   hp_range_fn *fn, void *user)
{
	struct hp_ranges ranges = { .count = range_count(build->threads) };
	const uint64_t step = round_up(count / ranges.count + 1);
	uint64_t at = 0;

	for (unsigned i = 0; i < ranges.count; i++)
		ranges.ends[i] = at = count - at < step ? count : at + step;
	assert(at == count);
	hp_ranges_run_in(&ranges, fn, user);
}

struct hp_ranges hp_ranges_even(unsigned count, uint64_t rows, unsigned shift,
				const uint64_t *sums, uint64_t all)
{
	const size_t sum_count = (size_t)(rows >> shift) + 1;
	struct hp_ranges ret = { .count = range_count(count) };

	for (unsigned i = 0; i < ret.count; i++) {
		uint64_t *end = &ret.ends[i];
		HP_LOWER_BOUND(end, sum_count,
			       sums[hp_at] < all / ret.count * (i + 1));
		*end = i + 1 < ret.count && *end << shift < rows ? *end << shift
								 : rows;
	}
	return ret;
}

/* ---- pieces -------------------------------------------------------------- */

static void run_piece(void *state, uint32_t begin, uint32_t end)
{
	const struct hp_pieces *pieces = state;

	pieces->fn(pieces->user, &(struct hp_range){ begin, end, 0 });
}

void hp_pieces_run_all(const struct hp_build *build,
		       const struct hp_pieces *pieces, unsigned count,
		       struct hp_beside *beside)
{
	struct hp_parallel_pass passes[HP_PARALLEL_PASSES_MOST];

	assert(count <= HP_PARALLEL_PASSES_MOST);
	for (unsigned i = 0; i < count; i++)
		passes[i] = (struct hp_parallel_pass){
			pieces[i].count, run_piece, NULL,
			(void *)(uintptr_t)&pieces[i]
		};
	hp_parallel_passes(passes, count, build->threads, beside);
}

void hp_pieces_run(const struct hp_build *build, uint32_t count,
		   hp_range_fn *fn, void *user)
{
	const struct hp_pieces pieces = { count, fn, user };

	hp_pieces_run_all(build, &pieces, 1, NULL);
}
