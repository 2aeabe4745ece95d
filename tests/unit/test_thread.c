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
