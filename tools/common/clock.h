/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the monotonic clock.
 */
#ifndef TOOLS_CLOCK_H
#define TOOLS_CLOCK_H

#include <stdint.h>

/* Milliseconds since a fixed moment before the program started. */
uint64_t clock_ms(void);
/* Microseconds since then. */
uint64_t clock_us(void);

#endif
