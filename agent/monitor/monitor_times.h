/* SPDX-License-Identifier: MIT */
/*
 * monitor_times.h - how long threads waited for monitors, by trace and class of
 * the monitor. Independent of the JVM. Any function by any thread at any time.
 */
#ifndef AG_MONITOR_TIMES_H
#define AG_MONITOR_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/profile/profile.h"

struct ag_monitor_times;

struct ag_monitor_times *ag_monitor_times_new(void); /* NULL without memory */
void ag_monitor_times_free(struct ag_monitor_times *times); /* NULL is fine */

/* Adds one wait. */
void ag_monitor_times_add(struct ag_monitor_times *times, uint32_t trace,
			  uint32_t class_number, uint64_t ns);

/* Forgets what was counted. */
void ag_monitor_times_clear(struct ag_monitor_times *times);

/* All rows and totals, unsorted. False without memory. */
bool ag_monitor_times_rows(struct ag_monitor_times *times,
			   struct ag_cost_table *ret_table);

#endif
