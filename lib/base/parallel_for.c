/* SPDX-License-Identifier: MIT */
/*
 * parallel_for.c - see parallel_for.h. There are many more spans than threads,
 * because some spans take longer than others.
 */
#include "base/parallel_for.h"

#include "base/mem.h"
#include "base/thread_pool.h"

enum { SPAN = 1 << 16, SPAN_MOST = 1 << 18 };

struct span {
	uint32_t begin, end;
};

struct worker {
	void *state;
	hp_parallel_for_fn *fn;
};

unsigned hp_parallel_for_threads(uint32_t count, unsigned threads)
{
	unsigned most = count / SPAN + 1;

	return threads < 1 ? 1 : threads < most ? threads : most;
}

static bool run(void *state, void *item)
{
	const struct worker *worker = state;
	const struct span *span = item;

	worker->fn(worker->state, span->begin, span->end);
	return true;
}

static uint32_t cut(struct span *spans, uint32_t count)
{
	uint32_t size = count / 64 > SPAN_MOST ? SPAN_MOST : SPAN, used = 0;

	for (uint64_t at = 0; at < count; at += size) {
		uint64_t end = at + size < count ? at + size : count;

		spans[used++] = (struct span){ (uint32_t)at, (uint32_t)end };
	}
	return used;
}

/* Returns how many objects were processed: all, unless memory ran out. */
static uint32_t run_pool(uint32_t count, unsigned threads, void *const *states,
			 hp_parallel_for_fn *fn)
{
	static const struct hp_thread_pool_ops ops = { .run = run };
	struct span *spans = hp_calloc(count / SPAN + 1, sizeof *spans);
	struct worker *workers = hp_calloc(threads, sizeof *workers);
	void **each = hp_calloc(threads, sizeof *each);
	struct hp_thread_pool *pool = NULL;
	uint32_t done = 0;

	for (unsigned i = 0; workers && each && i < threads; i++) {
		workers[i] = (struct worker){ states[i], fn };
		each[i] = &workers[i];
	}
	if (spans && workers && each)
		pool = hp_thread_pool_new(&ops, each, threads);
	if (pool) {
		uint32_t all = cut(spans, count), i = 0;

		while (i < all && hp_thread_pool_add(pool, &spans[i], 1) == 0)
			done = spans[i++].end;
		hp_thread_pool_join(pool);
	}
	hp_thread_pool_free(pool);
	hp_free(spans);
	hp_free(workers);
	hp_free(each);
	return done;
}

void hp_parallel_for(uint32_t count, unsigned threads, void *const *states,
		     hp_parallel_for_fn *fn)
{
	uint32_t done = 0;

	if (threads > 1)
		done = run_pool(count, threads, states, fn);
	if (done < count)
		fn(states[0], done, count);
}
