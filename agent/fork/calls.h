/* SPDX-License-Identifier: MIT */
/*
 * calls.h - what happens to the system calls of a forked process whose other
 * threads do not exist. It opens and starts nothing; each futex call is a signal
 * instead.
 */
#ifndef AG_CALLS_H
#define AG_CALLS_H

#include <stdbool.h>

/* Called in the handler of a signal. */
typedef void ag_on_call(void);

/*
 * From now on WAKES is called when a thread is to be woken; if it returns, none is.
 * WAITS, which must not return, when this thread would wait for another, unless it
 * is for a mutex: that is taken over. False if the kernel refuses it. It cannot be
 * undone.
 */
bool ag_calls_trap(ag_on_call *wakes, ag_on_call *waits);

#endif
