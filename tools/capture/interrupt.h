/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h - signals that ask the program to stop, for one that must tidy
 * up.
 *
 * SIGINT, SIGTERM and SIGHUP set a flag, and a descriptor becomes readable
 * for good. Whoever waits looks at one of them. A second signal, or some
 * seconds without an end, ends the process with status 2. SIGTSTP is ignored:
 * while we are stopped, so is what waits for us.
 */
#ifndef TOOLS_INTERRUPT_H
#define TOOLS_INTERRUPT_H

#include <stdbool.h>

/* Call it while there is one thread. GRACE_S: those seconds. */
bool stop_begin(unsigned grace_s);

bool stop_wanted(void);

/* Readable once a stop is wanted; never to be read. -1 before stop_begin. */
int stop_fd(void);

/* "interrupted by SIGINT" */
const char *stop_reason(void);

#endif
