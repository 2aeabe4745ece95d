/* SPDX-License-Identifier: MIT */
/*
 * interrupt.c - see interrupt.h.
 *
 * One thread waits for the signals, which all others block. So no system call
 * is interrupted, and no code is limited to async-signal-safe functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/capture/interrupt.h"

static int ends[2] = { -1, -1 };
static atomic_int stopped_by;
static sigset_t stop_signals;
static unsigned grace_s;

static void *wait_for_signals(void *unused)
{
	const struct timespec grace = { grace_s, 0 };
	int number = 0;

	(void)unused;
	if (sigwait(&stop_signals, &number) != 0)
		return NULL;
	atomic_store(&stopped_by, number);
	close(ends[1]);
	/*
	 * Ignores SIGCONT, which shells send as well: it only interrupts the
	 * wait.
	 */
	while (sigtimedwait(&stop_signals, NULL, &grace) < 0 && errno == EINTR)
		;
	_exit(CLI_TROUBLE);
}

/* nohup(1), and shells for background jobs, ignore some of the signals. */
static void add_unless_ignored(int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) != 0 ||
	    action.sa_handler != SIG_IGN)
		sigaddset(&stop_signals, number);
}

bool stop_begin(unsigned seconds)
{
	pthread_t thread;

	grace_s = seconds;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	sigemptyset(&stop_signals);
	add_unless_ignored(SIGINT);
	add_unless_ignored(SIGTERM);
	add_unless_ignored(SIGHUP);
	signal(SIGTSTP, SIG_IGN);
	if (pthread_sigmask(SIG_BLOCK, &stop_signals, NULL) != 0 ||
	    pthread_create(&thread, NULL, wait_for_signals, NULL) != 0)
		return false;
	pthread_detach(thread);
	return true;
}

bool stop_wanted(void)
{
	return atomic_load(&stopped_by) != 0;
}

int stop_fd(void)
{
	return ends[0];
}

const char *stop_reason(void)
{
	switch (atomic_load(&stopped_by)) {
	case SIGINT:
		return "interrupted by SIGINT";
	case SIGHUP:
		return "interrupted by SIGHUP";
	default:
		return "interrupted by SIGTERM";
	}
}
