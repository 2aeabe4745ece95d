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

/* What a thread waits for; it does one of each at a time. */
enum ag_wait {
	AG_WAIT_ENTER, /* for a monitor that another thread has */
	AG_WAIT_NOTIFY /* Object.wait */
};

/*
 * THREAD, any number that is its own, begins to wait. A wait of it that has not
 * ended is forgotten.
 */
void ag_monitor_wait_begin(struct ag_monitor_times *times, enum ag_wait what,
			   uint64_t thread, uint32_t trace,
			   uint32_t class_number, uint64_t now_ns);

/*
 * It has ended. False if it is not known to have begun: JVMs tell of virtual
 * threads' ends without beginnings. Sets *RET_NS to the time.
 */
bool ag_monitor_wait_end(struct ag_monitor_times *times, enum ag_wait what,
			 uint64_t thread, uint64_t now_ns, uint64_t *ret_ns);

/* Adds one wait. Waits that end by ag_monitor_wait_end for AG_WAIT_ENTER are. */
void ag_monitor_times_add(struct ag_monitor_times *times, uint32_t trace,
			  uint32_t class_number, uint64_t ns);

/* Forgets what was counted, not who waits. */
void ag_monitor_times_clear(struct ag_monitor_times *times);

/* All rows and totals, unsorted. False without memory. */
bool ag_monitor_times_rows(struct ag_monitor_times *times,
			   struct ag_cost_table *ret_table);

#endif
