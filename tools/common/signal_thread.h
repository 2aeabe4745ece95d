/* SPDX-License-Identifier: MIT */
/*
 * signal_thread.h - a thread that waits for signals, which all others block.
 *
 * So no system call is interrupted, no code is limited to async-signal-safe
 * functions, and it does not matter what the other threads are waiting for.
 */
#ifndef TOOLS_SIGNAL_THREAD_H
#define TOOLS_SIGNAL_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Called once, in that thread; SIGNALS are those that it waited for. */
typedef void signal_thread_fn(int number, const sigset_t *signals);

/*
 * Waits for the first of COUNT signals. Those that are ignored stay ignored, as
 * nohup(1) and shells, for background jobs, want it. Call it while there is one
 * thread. False, and no signal is blocked, if there is no thread to be had.
 */
bool signal_thread_begin(const int *numbers, size_t count,
			 signal_thread_fn *caught);

#endif
