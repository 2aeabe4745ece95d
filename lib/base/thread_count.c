/* SPDX-License-Identifier: MIT */
/*
 * thread_count.c - see thread_count.h.
 *
 * Not more threads by default than it takes to be as fast as memory is: each
 * of them needs some megabytes.
 */
#include "base/thread_count.h"

#include <sched.h>
#include <unistd.h>

unsigned hp_thread_count(unsigned wanted)
{
	enum { ENOUGH = 8, MOST = 256 };
	cpu_set_t set;
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (wanted)
		return wanted < MOST ? wanted : MOST;
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		n = CPU_COUNT(&set);
	return n < 1 ? 1 : n < ENOUGH ? (unsigned)n : ENOUGH;
}
