/* SPDX-License-Identifier: MIT */
/*
 * thread_pool.c - see thread_pool.h. One lock is enough, because each item is
 * megabytes of work.
 */
#include "base/thread_pool.h"

#include <time.h>

#include "base/mem.h"
#include "base/thread.h"

struct hp_thread_pool {
	const struct hp_thread_pool_ops *ops;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct item {
		void *item;
		uint64_t size;
	} *items;
	size_t count, room, next;
	size_t finished;
	uint64_t size_done;
	bool closed; /* no more items will come */
	bool failed; /* a run failed: stop early */
	bool alone;  /* the system gave no thread */
	unsigned thread_count;
	struct worker {
		struct hp_thread_pool *pool;
		pthread_t thread;
		void *state;
	} workers[];
};

/* With the lock held, but for the run. False if there is none to do now. */
static bool run_next(struct worker *worker)
{
	struct hp_thread_pool *pool = worker->pool;
	struct item item;
	bool good;

	if (pool->next == pool->count || pool->failed)
		return false;
	item = pool->items[pool->next++];
	if (pool->ops->take)
		pool->ops->take(worker->state);
	pthread_mutex_unlock(&pool->lock);
	good = pool->ops->run(worker->state, item.item);
	pthread_mutex_lock(&pool->lock);
	if (pool->ops->give)
		pool->ops->give(worker->state);
	pool->failed = pool->failed || !good;
	pool->finished++;
	pool->size_done += item.size;
	if (pool->finished == pool->count || pool->failed)
		pthread_cond_signal(&pool->done);
	return true;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct hp_thread_pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	do {
		while (pool->next == pool->count && !pool->closed)
			pthread_cond_wait(&pool->more, &pool->lock);
	} while (run_next(worker));
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct hp_thread_pool *hp_thread_pool_new(const struct hp_thread_pool_ops *ops,
					  void *const *states, unsigned threads)
{
	struct hp_thread_pool *pool =
		hp_calloc(1, sizeof *pool + threads * sizeof pool->workers[0]);

	if (!pool)
		return NULL;
	pool->ops = ops;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->more, NULL);
	pthread_cond_init(&pool->done, NULL);
	for (unsigned i = 0; i < threads; i++) {
		struct worker *worker = &pool->workers[i];
		worker->pool = pool;
		worker->state = states[i];
		if (!hp_thread_start(&worker->thread, work, worker))
			break;
		pool->thread_count++;
	}
	/* Without any, whoever waits does the work. */
	pool->alone = pool->thread_count == 0;
	return pool;
}

enum hprof_status hp_thread_pool_add(struct hp_thread_pool *pool, void *item,
				     uint64_t size)
{
	enum hprof_status status;

	pthread_mutex_lock(&pool->lock);
	status = hp_grow((void **)&pool->items, &pool->room, pool->count,
			 sizeof *pool->items);
	if (status == HPROF_OK) {
		pool->items[pool->count++] = (struct item){ item, size };
		pthread_cond_signal(&pool->more);
	}
	pthread_mutex_unlock(&pool->lock);
	return status;
}

uint64_t hp_thread_pool_wait(struct hp_thread_pool *pool, unsigned ms,
			     bool *ret_idle)
{
	struct timespec until;
	uint64_t done;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&pool->lock);
	if (pool->alone)
		run_next(&pool->workers[0]);
	while (!pool->alone && pool->finished < pool->count && !pool->failed &&
	       pthread_cond_timedwait(&pool->done, &pool->lock, &until) == 0)
		;
	*ret_idle = pool->finished == pool->count || pool->failed;
	done = pool->size_done;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

bool hp_thread_pool_join(struct hp_thread_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	pthread_cond_broadcast(&pool->more);
	while (pool->alone && run_next(&pool->workers[0]))
		;
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->thread_count; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pool->thread_count = 0;
	return !pool->failed;
}

void hp_thread_pool_free(struct hp_thread_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	if (!pool->closed)
		pool->failed = true;
	pthread_mutex_unlock(&pool->lock);
	hp_thread_pool_join(pool);
	hp_free(pool->items);
	pthread_cond_destroy(&pool->more);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	hp_free(pool);
}
