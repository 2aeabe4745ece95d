/* SPDX-License-Identifier: MIT */
/*
 * fake-counters.h - the performance counters of fake-jvm, in a file with the
 * layout of HotSpot's, ./hsperfdata_fake/PID.
 */
#ifndef TESTS_FAKE_COUNTERS_H
#define TESTS_FAKE_COUNTERS_H

#include <stdbool.h>

/*
 * Creates and maps the file. MAY_ATTACH: whether they allow to attach. VERSION:
 * of the JDK, such as "1.8", or NULL.
 */
void counters_make(bool may_attach, const char *version);

/* Counts one more safepoint of 0.25 s. Does nothing without counters. */
void counters_pause(void);

#endif
