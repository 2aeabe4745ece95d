/* SPDX-License-Identifier: MIT */
/*
 * cpu_signal.c - see cpu_signal.h. The state is static, so that a late signal
 * finds it whatever has ended.
 */
#include "agent/sampling/cpu_signal.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "agent/sampling/cpu_timers.h"
#include "agent/sampling/sigprof.h"

static struct {
	ag_cpu_signal_fn *call; /* constant while it is armed */
	atomic_bool armed;	/* handlers may call it */
	atomic_uint inside;	/* handlers that run */
} the;

static void on_signal(int number, siginfo_t *info, void *context)
{
	const int saved = errno;

	(void)number;
	atomic_fetch_add(&the.inside, 1);
	if (atomic_load(&the.armed)) {
		const uint64_t weight = ag_timers_weight(info);

		if (weight) {
			the.call(context, weight);
			ag_timers_rearm(info);
		}
	}
	atomic_fetch_sub(&the.inside, 1);
	errno = saved;
}

const char *ag_cpu_signal_start(uint64_t interval_ns, ag_cpu_signal_fn *call)
{
	const char *why;

	assert(!atomic_load(&the.armed));
	why = ag_sigprof_handle(on_signal);
	if (why)
		return why;
	the.call = call;
	ag_timers_init(SIGPROF, interval_ns);
	atomic_store(&the.armed, true);
	return NULL;
}

bool ag_cpu_signal_is_on(void)
{
	return atomic_load(&the.armed);
}

void ag_cpu_signal_stop(void)
{
	const struct timespec moment = { 0, 1000000 };

	if (!atomic_exchange(&the.armed, false))
		return;
	ag_timers_remove_all();
	while (atomic_load(&the.inside))
		nanosleep(&moment, NULL);
	ag_sigprof_ignore(on_signal);
}
