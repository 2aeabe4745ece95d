/* SPDX-License-Identifier: MIT */
/*
 * cpu_signal.h - a function that is called in each thread with a timer whenever
 * the thread has used so much CPU time, in the handler of SIGPROF. Both cpu=samples
 * of our agent and libhprof-prof take their samples in such a function.
 *
 * There is one handler in a process, so there is one such function at a time.
 * Threads get their timers by ag_timers_add. Start and stop are for one thread
 * at a time.
 */
#ifndef AG_CPU_SIGNAL_H
#define AG_CPU_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * WEIGHT is the number of intervals since the last call, at least 1. Whatever it
 * does must be safe in a handler.
 */
typedef void ag_cpu_signal_fn(void *context, uint64_t weight);

/*
 * Calls CALL each INTERVAL_NS of a thread from now on. Returns NULL, or why not:
 * the program has a handler of its own.
 */
const char *ag_cpu_signal_start(uint64_t interval_ns, ag_cpu_signal_fn *call);

/* Is it started, and not stopped? Any thread, and safe in a handler. */
bool ag_cpu_signal_is_on(void);

/*
 * Ends it, and all timers: calls that run now come to their end before it
 * returns, and there are no later ones. Nothing happens without a start.
 */
void ag_cpu_signal_stop(void);

#endif
