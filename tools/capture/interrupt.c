/* SPDX-License-Identifier: MIT */
/* interrupt.c - see interrupt.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/signal_thread.h"
#include "tools/capture/interrupt.h"

static int ends[2] = { -1, -1 };
static atomic_int stopped_by;
static unsigned grace_s;

static void stop(int number, const sigset_t *signals)
{
	const struct timespec grace = { grace_s, 0 };

	atomic_store(&stopped_by, number);
	close(ends[1]);
	/*
	 * Ignores SIGCONT, which shells send as well: it only interrupts the
	 * wait.
	 */
	while (sigtimedwait(signals, NULL, &grace) < 0 && errno == EINTR)
		;
	_exit(CLI_TROUBLE);
}

bool stop_begin(unsigned seconds)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	grace_s = seconds;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	signal(SIGTSTP, SIG_IGN);
	return signal_thread_begin(numbers,
				   sizeof(numbers) / sizeof(numbers[0]), stop);
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
