/* SPDX-License-Identifier: MIT */
/*
 * clock.c - see clock.h.
 */
#include "agent/common/clock.h"

#include <time.h>

uint64_t ag_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int64_t ag_clock_ms(void)
{
	return (int64_t)(ag_clock_ns() / 1000000);
}
