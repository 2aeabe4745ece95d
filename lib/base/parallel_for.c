/* SPDX-License-Identifier: MIT */
/*
 * parallel_for.c - see parallel_for.h. There are many more spans than threads,
 * because some spans take longer than others: a thread takes the next span when
 * it is done with one. Nothing of this needs memory, so nothing can fail.
 */
#include "base/parallel_for.h"

#include <assert.h>
#include <stdbool.h>

#include "base/thread.h"

enum { SPANS_EACH = 16, SPAN_LEAST = 64, SPAN_MOST = 1 << 16 };

struct loop {
	const struct hp_parallel_pass *pass;
	uint32_t size; /* of a span */
	uint64_t next; /* where the next span begins */
	uint32_t left; /* objects of spans that are not done */
};

struct loops {
	struct loop items[HP_PARALLEL_PASSES_MOST];
	unsigned count, threads;
	struct hp_crew *crew; /* or NULL */
	pthread_mutex_t lock;
	pthread_cond_t ended; /* one of them has */
};

struct worker {
	struct loops *loops;
	unsigned number;
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

	size = (size + SPAN_LEAST - 1) / SPAN_LEAST * SPAN_LEAST;
	return size < SPAN_MOST ? (uint32_t)size : SPAN_MOST;
}

static uint64_t take(struct loop *loop)
{
	return __atomic_fetch_add(&loop->next, loop->size, __ATOMIC_RELAXED);
}

static void end_span(struct loops *loops, struct loop *loop, uint32_t size)
{
	if (__atomic_sub_fetch(&loop->left, size, __ATOMIC_ACQ_REL))
		return;
	pthread_mutex_lock(&loops->lock);
	pthread_cond_broadcast(&loops->ended);
	pthread_mutex_unlock(&loops->lock);
}

static void run_spans(struct loops *loops, struct loop *loop, unsigned number)
{
	const struct hp_parallel_pass *pass = loop->pass;
	void *state = pass->states ? pass->states[number] : pass->state;

	for (uint64_t at; (at = take(loop)) < pass->count;) {
		uint32_t begin = (uint32_t)at, end = pass->count;
		if (end - begin > loop->size)
			end = begin + loop->size;
		pass->fn(state, begin, end);
		end_span(loops, loop, end - begin);
	}
}

/* There is nothing to take any more, but others may not be done yet. */
static void wait_for(struct loops *loops, struct loop *loop)
{
	if (!__atomic_load_n(&loop->left, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&loops->lock);
	while (__atomic_load_n(&loop->left, __ATOMIC_ACQUIRE))
		pthread_cond_wait(&loops->ended, &loops->lock);
	pthread_mutex_unlock(&loops->lock);
}

/* ---- a crew -------------------------------------------------------------- */

void hp_crew_init(struct hp_crew *crew, unsigned threads)
{
	crew->threads = threads;
	crew->away = 0;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
}

void hp_crew_done(struct hp_crew *crew)
{
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
}

void hp_crew_leave(struct hp_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->away++;
	pthread_mutex_unlock(&crew->lock);
}

void hp_crew_return(struct hp_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->away--;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

static bool all_is_taken(const struct loops *loops)
{
	const struct loop *last = &loops->items[loops->count - 1];

	return __atomic_load_n(&last->next, __ATOMIC_RELAXED) >=
	       last->pass->count;
}

/* Threads that are away have the processors of those with the highest numbers. */
static void wait_for_processor(const struct worker *worker)
{
	const struct loops *loops = worker->loops;
	struct hp_crew *crew = loops->crew;

	if (!crew || !worker->number)
		return;
	pthread_mutex_lock(&crew->lock);
	while (worker->number + crew->away >= crew->threads &&
	       !all_is_taken(loops))
		pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

/* The first thread has seen that nothing is left. */
static void end_waiting(struct hp_crew *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

/* ---- loops --------------------------------------------------------------- */

static void *work(void *argument)
{
	const struct worker *worker = argument;
	struct loops *loops = worker->loops;

	wait_for_processor(worker);
	for (unsigned i = 0; i < loops->count; i++) {
		if (i)
			wait_for(loops, &loops->items[i - 1]);
		run_spans(loops, &loops->items[i], worker->number);
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

static void run_alone(const struct hp_parallel_pass *passes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct hp_parallel_pass *pass = &passes[i];
		if (pass->count)
			pass->fn(pass->states ? pass->states[0] : pass->state,
				 0, pass->count);
	}
}

static void run_together(struct loops *loops, struct hp_beside *beside)
{
	const unsigned threads = loops->threads;
	struct worker workers[HP_PARALLEL_FOR_MOST];

	for (unsigned i = 0; i < threads; i++)
		workers[i] = (struct worker){ loops, i, 0, false };
	for (unsigned i = 1; i < threads; i++)
		workers[i].started =
			hp_thread_start(&workers[i].thread, work, &workers[i]);
	hp_beside_run(beside);
	work(&workers[0]);
	end_waiting(loops->crew);
	for (unsigned i = 1; i < threads; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}

/* Of THREADS those that can have a span. */
static unsigned threads_for(const struct hp_parallel_pass *passes,
			    unsigned count, unsigned threads)
{
	unsigned most = 1;

	for (unsigned i = 0; i < count; i++) {
		unsigned spans = (passes[i].count - 1) / SPAN_LEAST + 1;

		if (passes[i].count && spans > most)
			most = spans;
	}
	if (most > HP_PARALLEL_FOR_MOST)
		most = HP_PARALLEL_FOR_MOST;
	return threads < most ? threads : most;
}

static void run(const struct hp_parallel_pass *passes, unsigned count,
		unsigned threads, struct hp_crew *crew,
		struct hp_beside *beside)
{
	struct loops loops = { .count = count, .crew = crew };

	assert(count <= HP_PARALLEL_PASSES_MOST);
	loops.threads = threads_for(passes, count, threads);
	if (loops.threads <= 1) {
		hp_beside_run(beside);
		run_alone(passes, count);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		loops.items[i] = (struct loop){
			.pass = &passes[i],
			.size = span_size(passes[i].count, loops.threads),
			.left = passes[i].count,
		};
	pthread_mutex_init(&loops.lock, NULL);
	pthread_cond_init(&loops.ended, NULL);
	run_together(&loops, beside);
	pthread_cond_destroy(&loops.ended);
	pthread_mutex_destroy(&loops.lock);
}

void hp_parallel_passes(const struct hp_parallel_pass *passes, unsigned count,
			unsigned threads, struct hp_beside *beside)
{
	run(passes, count, threads, NULL, beside);
}

void hp_parallel_for_crew(uint32_t count, unsigned threads, void *const *states,
			  hp_parallel_for_fn *fn, struct hp_crew *crew,
			  struct hp_beside *beside)
{
	const struct hp_parallel_pass pass = { count, fn, states, NULL };

	run(&pass, 1, threads, crew, beside);
}

void hp_parallel_for(uint32_t count, unsigned threads, void *const *states,
		     hp_parallel_for_fn *fn)
{
	hp_parallel_for_crew(count, threads, states, fn, NULL, NULL);
}
