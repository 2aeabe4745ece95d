/* SPDX-License-Identifier: MIT */
/*
 * fake-counters.h - the performance counters of fake-jvm, in a file that is
 * laid out as that of a HotSpot JVM is, ./hsperfdata_fake/PID.
 */
#ifndef TESTS_FAKE_COUNTERS_H
#define TESTS_FAKE_COUNTERS_H

#include <stdbool.h>

/* Makes and maps the file. MAY_ATTACH: what they say about that. */
void counters_make(bool may_attach);

/* One more safepoint, of 0.25 s. Does nothing without counters. */
void counters_pause(void);

#endif
