/* SPDX-License-Identifier: MIT */
/*
 * own_handler.c - a library with a handler of SIGPROF, to be preloaded. At the
 * end it says whether the handler was left alone.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

static void handle(int number)
{
	(void)number;
}

__attribute__((constructor)) static void begin(void)
{
	signal(SIGPROF, handle);
}

__attribute__((destructor)) static void end(void)
{
	struct sigaction now;

	if (!sigaction(SIGPROF, NULL, &now) && now.sa_handler == handle)
		fprintf(stderr, "own_handler: still there\n");
}
