/* SPDX-License-Identifier: MIT */
/*
 * cpus.c - see cpus.h.
 */
#include <sched.h>
#include <unistd.h>

#include "tools/common/cpus.h"

unsigned cpu_count(unsigned most)
{
	cpu_set_t set;
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = CPU_COUNT(&set);
	if (count < 1)
		return 1;
	return (unsigned long)count < most ? (unsigned)count : most;
}
