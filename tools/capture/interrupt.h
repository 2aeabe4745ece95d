/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h - signals that ask the program to stop, for a program that must
 * clean up.
 *
 * SIGINT, SIGTERM and SIGHUP set a flag, and a descriptor becomes readable for
 * good. Code that waits checks one of the two. The process exits with status 2
 * on a second signal, or if it has not ended some seconds after the first.
 * SIGTSTP is ignored: while we are stopped, a JVM that waits for us would be
 * stopped, too.
 */
#ifndef TOOLS_INTERRUPT_H
#define TOOLS_INTERRUPT_H

#include <stdbool.h>

/* To be called while there is only one thread. GRACE_S: those seconds. */
bool stop_begin(unsigned grace_s);

bool stop_wanted(void);

/*
 * Becomes readable on such a signal; never read from it. -1 before stop_begin.
 */
int stop_fd(void);

/* "interrupted by SIGINT" */
const char *stop_reason(void);

#endif
