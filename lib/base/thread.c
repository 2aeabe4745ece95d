/* SPDX-License-Identifier: MIT */
/*
 * thread.c - see thread.h. A new thread inherits the signal mask of the thread
 * that creates it, so signals are blocked here while that is done.
 */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum {
	/* More threads only wait for memory, and each needs some megabytes. */
	DEFAULT_THREADS = 8,
	MOST_THREADS = 256,
};

bool hp_thread_start(pthread_t *ret, void *(*run)(void *), void *argument)
{
	sigset_t all, old;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(ret, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !failed;
}

unsigned hp_thread_count(unsigned wanted)
{
	cpu_set_t set;
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (wanted)
		return wanted < MOST_THREADS ? wanted : MOST_THREADS;
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		n = CPU_COUNT(&set);
	if (n < 1)
		return 1;
	return n < DEFAULT_THREADS ? (unsigned)n : DEFAULT_THREADS;
}
