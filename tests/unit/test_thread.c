/* SPDX-License-Identifier: MIT */
/*
 * test_thread.c - threads of the library: signals, how many there are, and what is left
 * to them.
 */
#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>

#include "base/job.h"
#include "base/thread.h"
#include "base/thread_pool.h"

static void *get_mask(void *mask)
{
	pthread_sigmask(SIG_SETMASK, NULL, mask);
	return mask;
}

Test(thread, takes_no_signals)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGUSR1, SIGALRM };
	pthread_t thread;
	sigset_t mask, before, after;

	sigemptyset(&mask);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	cr_assert(hp_thread_start(&thread, get_mask, &mask));
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		cr_assert_eq(sigismember(&mask, signals[i]), 1);
		cr_assert_eq(sigismember(&after, signals[i]),
			     sigismember(&before, signals[i]));
	}
}

Test(thread, count)
{
	unsigned usual = hp_thread_count(0);
	cpu_set_t one;

	cr_assert(usual >= 1 && usual <= 8);
	cr_assert_eq(hp_thread_count(1), 1);
	cr_assert_eq(hp_thread_count(100), 100);
	cr_assert_eq(hp_thread_count(1000), 256);
	/* Not the CPUs of the machine, but those that the process may use. */
	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
	cr_assert_eq(hp_thread_count(0), 1);
}

static void add_one(void *user)
{
	++*(int *)user;
}

/* Begun or not, what is ended has been done, once. */
Test(thread, jobs_are_done_once)
{
	int done = 0;
	struct hp_job job = { .run = add_one, .user = &done }, none = { 0 };

	hp_job_begin(&job);
	hp_job_begin(&job);
	hp_job_end(&job);
	cr_assert_eq(done, 1);
	hp_job_end(&job);
	hp_job_begin(&job);
	cr_assert_eq(done, 1);
	job.run = add_one;
	hp_job_end(&job);
	cr_assert_eq(done, 2);
	job.run = add_one;
	hp_job_leave(&job);
	hp_job_end(&job);
	cr_assert_eq(done, 2);
	hp_job_begin(&none);
	hp_job_end(&none);
	cr_assert_not(none.begun);
}

/* No thread can be started from now on: none has that much room for its stack. */
static void refuse_threads(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int unused;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SIZE_MAX / 2 + 1);
	cr_assert_eq(pthread_setattr_default_np(&attributes), 0);
	pthread_attr_destroy(&attributes);
	cr_assert_not(hp_thread_start(&thread, get_mask, &unused));
}

Test(thread, a_job_without_a_thread)
{
	int done = 0;
	struct hp_job job = { .run = add_one, .user = &done };

	refuse_threads();
	hp_job_begin(&job);
	cr_assert_eq(done, 0);
	hp_job_end(&job);
	cr_assert_eq(done, 1);
	job.run = add_one;
	hp_job_begin(&job);
	hp_job_leave(&job);
	cr_assert_eq(done, 1);
}

static bool add_item(void *state, void *item)
{
	*(int *)state += *(int *)item;
	return *(int *)item < 100;
}

static struct hp_thread_pool *pool_of(void *const *states, int *items,
				      size_t count)
{
	static const struct hp_thread_pool_ops ops = { .run = add_item };
	struct hp_thread_pool *pool = hp_thread_pool_new(&ops, states, 2);

	cr_assert_not_null(pool);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(hp_thread_pool_add(pool, &items[i], 1), HPROF_OK);
	return pool;
}

/* Whoever waits does the work then; a dump can be read all the same. */
Test(thread, a_pool_without_threads)
{
	int sums[2] = { 0 }, items[] = { 1, 2, 3, 100, 4 };
	void *const states[] = { &sums[0], &sums[1] };
	struct hp_thread_pool *pool;
	bool idle = false;

	refuse_threads();
	pool = pool_of(states, items, 3);
	cr_assert_eq(hp_thread_pool_wait(pool, 1, &idle), 1);
	cr_assert_not(idle);
	cr_assert(hp_thread_pool_join(pool));
	cr_assert_eq(hp_thread_pool_wait(pool, 1, &idle), 3);
	cr_assert(idle);
	hp_thread_pool_free(pool);
	cr_assert_eq(sums[0], 6);
	cr_assert_eq(sums[1], 0);
	/* One fails: those after it are not done. */
	pool = pool_of(states, items, 5);
	cr_assert_not(hp_thread_pool_join(pool));
	hp_thread_pool_free(pool);
	cr_assert_eq(sums[0], 112);
	/* Nobody waits: none is done. */
	hp_thread_pool_free(pool_of(states, items, 5));
	cr_assert_eq(sums[0], 112);
}
