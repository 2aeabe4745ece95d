/* SPDX-License-Identifier: MIT */
/*
 * parallel_for.c - see parallel_for.h. There are many more spans than threads,
 * because some spans take longer than others: a thread takes the next span when
 * it is done with one. Nothing of this needs memory, so nothing can fail.
 */
#include "base/parallel_for.h"

#include <stdbool.h>

#include "base/thread.h"

enum { SPANS_EACH = 16, SPAN_MOST = 1 << 16 };

struct loop {
	uint32_t count, size; /* objects: all, and of a span */
	uint64_t next;	      /* where the next span begins */
	hp_parallel_for_fn *fn;
};

struct worker {
	struct loop *loop;
	void *state;
	pthread_t thread;
	bool started;
};

unsigned hp_parallel_for_threads(uint32_t count, unsigned threads)
{
	unsigned most = count / SPAN_MOST + 1;

	return threads < 1 ? 1 : threads < most ? threads : most;
}

static uint32_t span_size(uint32_t count, unsigned threads)
{
	uint64_t size = count / ((uint64_t)SPANS_EACH * threads) + 1;

	size = (size + 63) & ~(uint64_t)63;
	return size < SPAN_MOST ? (uint32_t)size : SPAN_MOST;
}

static uint64_t take(struct loop *loop)
{
	return __atomic_fetch_add(&loop->next, loop->size, __ATOMIC_RELAXED);
}

static void *work(void *argument)
{
	const struct worker *worker = argument;
	struct loop *loop = worker->loop;

	for (uint64_t at; (at = take(loop)) < loop->count;) {
		bool is_last = loop->count - at <= loop->size;

		loop->fn(worker->state, (uint32_t)at,
			 is_last ? loop->count : (uint32_t)at + loop->size);
	}
	return NULL;
}

void hp_beside_run(struct hp_beside *beside)
{
	if (!beside || !beside->run)
		return;
	beside->run(beside->user);
	beside->run = NULL;
}

void hp_parallel_for_beside(uint32_t count, unsigned threads,
			    void *const *states, hp_parallel_for_fn *fn,
			    struct hp_beside *beside)
{
	struct worker workers[HP_PARALLEL_FOR_MOST];
	struct loop loop = { .count = count, .fn = fn };

	if (threads <= 1) {
		hp_beside_run(beside);
		if (count)
			fn(states[0], 0, count);
		return;
	}
	if (threads > HP_PARALLEL_FOR_MOST)
		threads = HP_PARALLEL_FOR_MOST;
	loop.size = span_size(count, threads);
	for (unsigned i = 0; i < threads; i++)
		workers[i] = (struct worker){ &loop, states[i], 0, false };
	for (unsigned i = 1; i < threads; i++)
		workers[i].started =
			hp_thread_start(&workers[i].thread, work, &workers[i]);
	hp_beside_run(beside);
	work(&workers[0]);
	for (unsigned i = 1; i < threads; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}

void hp_parallel_for(uint32_t count, unsigned threads, void *const *states,
		     hp_parallel_for_fn *fn)
{
	hp_parallel_for_beside(count, threads, states, fn, NULL);
}
