/*
 * census_pool.c - each thread has a tally of its own and takes the next unit
 * when it is free. What units touch at their edges is stitched afterwards in
 * file order, so that nothing depends on which thread had which unit.
 */
#include "census_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "census_pass.h"
#include "mem.h"

struct worker {
	struct hp_pool *pool;
	pthread_t thread;
	bool started;
	struct hp_tally tally;
	/* Of the tally, when the last unit was done: under the lock. */
	uint64_t sample_mask;
	size_t sample_count;
};

struct hp_pool {
	const struct hprof_reader *parent;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct hp_run **runs;
	size_t run_count, run_room, next;
	size_t finished;
	uint64_t bytes_done;
	uint64_t sample_mask; /* all samples together demand it */
	bool closed; /* no more units will come */
	bool failed; /* a unit could not be read: stop early */
	unsigned worker_count;
	struct worker workers[];
};

static bool count_unit(struct worker *worker, struct hp_run *run)
{
	struct hprof_reader_options options = { .size = sizeof options };
	struct hprof_reader *reader;
	struct hprof_record record;
	struct hp_tally *t = &worker->tally;

	options.diagnostic = hp_diaglist_add;
	options.user = &run->diagnostics;
	if (hprof_reader_open_unit(worker->pool->parent, &run->unit, &options,
				   &reader, NULL) != HPROF_OK)
		return false;
	hp_tally_begin(t);
	if (run->unit.in_record)
		hp_tally_mark(t, run->unit.offset, true);
	hp_census_read(t, NULL, reader, &record);
	hp_tally_mark_end(t, run->unit.end);
	run->edge = t->cursor;
	run->proved = hprof_reader_unit_proved(reader);
	hprof_reader_close(reader);
	return run->proved && !t->no_memory && !t->overflowed;
}

/*
 * Threads do not each fill a table of samples only to thin them all when they
 * are merged: as soon as all together have too many, everybody thins.
 */
static void share_samples(struct hp_pool *pool, struct worker *worker)
{
	size_t count = 0;

	worker->sample_mask = worker->tally.sample_mask;
	worker->sample_count = worker->tally.sample_count;
	if (pool->sample_mask < worker->sample_mask)
		pool->sample_mask = worker->sample_mask;
	for (unsigned i = 0; i < pool->worker_count; i++)
		if (pool->workers[i].sample_mask == pool->sample_mask)
			count += pool->workers[i].sample_count;
	if (count >= HP_SAMPLE_MAX)
		pool->sample_mask = pool->sample_mask << 1 | 1;
}

/* With the lock: a unit of RUN is done. */
static void finish_unit(struct worker *worker, const struct hp_run *run,
			bool good)
{
	struct hp_pool *pool = worker->pool;

	pool->failed = pool->failed || !good;
	pool->finished++;
	pool->bytes_done += run->unit.end - run->unit.offset;
	share_samples(pool, worker);
	if (pool->finished == pool->run_count || pool->failed)
		pthread_cond_signal(&pool->done);
}

static void thin_to(struct hp_tally *t, uint64_t mask)
{
	while (t->sample_mask < mask)
		hp_tally_thin_samples(t);
	t->cursor.region = UINT64_MAX; /* is to be looked at anew */
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct hp_pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->next == pool->run_count && !pool->closed)
			pthread_cond_wait(&pool->more, &pool->lock);
		if (pool->next == pool->run_count || pool->failed)
			break;
		struct hp_run *run = pool->runs[pool->next++];
		uint64_t mask = pool->sample_mask;
		pthread_mutex_unlock(&pool->lock);
		thin_to(&worker->tally, mask);
		bool good = count_unit(worker, run);
		pthread_mutex_lock(&pool->lock);
		finish_unit(worker, run, good);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct hp_pool *hp_pool_new(const struct hprof_reader *parent,
			    unsigned threads, const struct hp_before *before)
{
	struct hp_pool *pool =
		hp_calloc(1, sizeof *pool + threads * sizeof pool->workers[0]);

	if (!pool)
		return NULL;
	pool->parent = parent;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->more, NULL);
	pthread_cond_init(&pool->done, NULL);
	for (unsigned i = 0; i < threads; i++) {
		struct worker *worker = &pool->workers[pool->worker_count];
		worker->pool = pool;
		if (hp_tally_init(&worker->tally, before->id_size)) {
			hp_tally_done(&worker->tally);
			break;
		}
		hp_tally_know(&worker->tally, before);
		pool->worker_count++;
		worker->started = pthread_create(&worker->thread, NULL, work,
						 worker) == 0;
		if (!worker->started)
			break;
	}
	if (pool->worker_count == 0 || !pool->workers[0].started) {
		hp_pool_free(pool);
		return NULL;
	}
	return pool;
}

int hp_pool_add(struct hp_pool *pool, const struct hprof_unit *unit)
{
	struct hp_run *run = hp_calloc(1, sizeof *run);
	int result = -1;

	if (!run)
		return -1;
	run->unit = *unit;
	pthread_mutex_lock(&pool->lock);
	if (hp_grow((void **)&pool->runs, &pool->run_room, pool->run_count,
		    sizeof *pool->runs) == 0) {
		pool->runs[pool->run_count++] = run;
		pthread_cond_signal(&pool->more);
		result = 0;
	}
	pthread_mutex_unlock(&pool->lock);
	if (result != 0)
		hp_free(run);
	return result;
}

uint64_t hp_pool_wait(struct hp_pool *pool, unsigned ms, bool *ret_idle)
{
	struct timespec until;
	uint64_t done;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&pool->lock);
	while (pool->finished < pool->run_count && !pool->failed &&
	       pthread_cond_timedwait(&pool->done, &pool->lock, &until) == 0)
		;
	*ret_idle = pool->finished == pool->run_count || pool->failed;
	done = pool->bytes_done;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

static void join(struct hp_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	pthread_cond_broadcast(&pool->more);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->worker_count; i++) {
		if (pool->workers[i].started)
			pthread_join(pool->workers[i].thread, NULL);
		pool->workers[i].started = false;
	}
}

static int compare_runs(const void *a, const void *b)
{
	const struct hp_run *x = *(struct hp_run *const *)a;
	const struct hp_run *y = *(struct hp_run *const *)b;

	return x->unit.offset < y->unit.offset ? -1 :
						 x->unit.offset > y->unit.offset;
}

/* All runs by place; the caller frees the array. NULL without memory. */
static struct hp_run **sorted_runs(struct hp_pool *pool, struct hp_run *own,
				   size_t own_count)
{
	size_t count = pool->run_count + own_count;
	struct hp_run **all = hp_calloc(count + 1, sizeof *all);

	if (!all)
		return NULL;
	for (size_t i = 0; i < pool->run_count; i++)
		all[i] = pool->runs[i];
	for (size_t i = 0; i < own_count; i++)
		all[pool->run_count + i] = &own[i];
	qsort(all, count, sizeof *all, compare_runs);
	return all;
}

static void stitch(struct hp_tally *into, struct hp_run **all, size_t count)
{
	const struct hp_cursor *before = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!all[i]->edge.any)
			continue;
		if (before)
			hp_tally_stitch(into, before, &all[i]->edge);
		before = &all[i]->edge;
	}
}

/* Samples are of use only where ids do not ascend. */
static void drop_useless_samples(struct hp_pool *pool, struct hp_tally *into)
{
	uint64_t descents = into->descents;

	for (unsigned i = 0; i < pool->worker_count; i++)
		descents += pool->workers[i].tally.descents;
	if (descents)
		return;
	into->sample_count = 0;
	for (unsigned i = 0; i < pool->worker_count; i++)
		pool->workers[i].tally.sample_count = 0;
}

bool hp_pool_finish(struct hp_pool *pool, struct hp_tally *into,
		    struct hp_run *own, size_t own_count,
		    struct hp_diaglist *diagnostics)
{
	struct hp_run **all;

	join(pool);
	if (pool->failed)
		return false;
	all = sorted_runs(pool, own, own_count);
	if (!all)
		return false;
	stitch(into, all, pool->run_count + own_count);
	hp_free(all);
	drop_useless_samples(pool, into);
	for (size_t i = 0; i < pool->run_count; i++)
		hp_diaglist_move(diagnostics, &pool->runs[i]->diagnostics);
	for (unsigned i = 0; i < pool->worker_count; i++)
		if (hp_tally_merge(into, &pool->workers[i].tally) != 0)
			return false;
	return !into->no_memory && !into->overflowed;
}

void hp_pool_free(struct hp_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->failed = true;
	pthread_mutex_unlock(&pool->lock);
	join(pool);
	for (unsigned i = 0; i < pool->worker_count; i++)
		hp_tally_done(&pool->workers[i].tally);
	for (size_t i = 0; i < pool->run_count; i++) {
		hp_diaglist_done(&pool->runs[i]->diagnostics);
		hp_free(pool->runs[i]);
	}
	hp_free(pool->runs);
	pthread_cond_destroy(&pool->more);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	hp_free(pool);
}
