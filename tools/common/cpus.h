/* SPDX-License-Identifier: MIT */
/*
 * cpus.h - how many threads are worth starting.
 */
#ifndef TOOLS_CPUS_H
#define TOOLS_CPUS_H

/* The CPUs that the process may use: at least 1, at most MOST. */
unsigned cpu_count(unsigned most);

#endif
