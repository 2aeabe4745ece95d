/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the monotonic clock.
 */
#ifndef AG_CLOCK_H
#define AG_CLOCK_H

#include <stdint.h>

uint64_t ag_clock_ns(void);
int64_t ag_clock_ms(void);

#endif
