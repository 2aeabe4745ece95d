/* SPDX-License-Identifier: MIT */
/* signal_thread.c - see signal_thread.h. */
#include <pthread.h>

#include "tools/common/signal_thread.h"

static sigset_t awaited;
static signal_thread_fn *when_caught;

static void *wait_for_signal(void *unused)
{
	int number = 0;

	(void)unused;
	if (sigwait(&awaited, &number) == 0)
		when_caught(number, &awaited);
	return NULL;
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 &&
	       action.sa_handler == SIG_IGN;
}

bool signal_thread_begin(const int *numbers, size_t count,
			 signal_thread_fn *caught)
{
	pthread_t thread;
	sigset_t before;

	when_caught = caught;
	sigemptyset(&awaited);
	for (size_t i = 0; i < count; i++)
		if (!is_ignored(numbers[i]))
			sigaddset(&awaited, numbers[i]);
	if (pthread_sigmask(SIG_BLOCK, &awaited, &before) != 0)
		return false;
	if (pthread_create(&thread, NULL, wait_for_signal, NULL) != 0) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		return false;
	}
	pthread_detach(thread);
	return true;
}
