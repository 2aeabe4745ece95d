/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h - signals that ask the program to stop, for a program that must
 * clean up.
 *
 * SIGINT, SIGTERM and SIGHUP set a flag, and a descriptor becomes readable
 * permanently. Code that waits checks one of the two. A second signal, or some
 * seconds without an end, ends the process with status 2. SIGTSTP is ignored:
 * while we are stopped, the JVM that waits for us would be, too.
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
