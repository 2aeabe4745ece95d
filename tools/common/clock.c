/* SPDX-License-Identifier: MIT */
/*
 * clock.c - see clock.h.
 */
#include <time.h>

#include "tools/common/clock.h"

uint64_t clock_us(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t clock_ms(void)
{
	return clock_us() / 1000;
}
