/* SPDX-License-Identifier: MIT */
/*
 * cpu_timers.h - a timer for each thread that sends it a signal whenever it has
 * used so much CPU time.
 */
#ifndef AG_CPU_TIMERS_H
#define AG_CPU_TIMERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the timers of this process are. */
struct ag_timers_kind {
	uint64_t counters, timers; /* set so far: by perf, by timer_create */
	uint64_t refused;	   /* threads that have none */
};

/* Timers send SIGNAL_NUMBER each INTERVAL_NS from now on. */
void ag_timers_init(int signal_number, uint64_t interval_ns);

/*
 * For a thread of this process, which need not be the calling one. SERIAL is
 * remembered with it. False if there can be none; true if there is one already.
 */
bool ag_timers_add(pid_t tid, uint32_t serial);
uint32_t ag_timers_serial(pid_t tid); /* 0: it has no timer */
void ag_timers_remove(pid_t tid);
void ag_timers_remove_all(void);

/*
 * The periods that a signal stands for; 0 if it is not one of ours. Safe in a
 * handler, as is the next one.
 */
uint64_t ag_timers_weight(const siginfo_t *info);

/* Lets the timer go on that sent the signal; to be called last. */
void ag_timers_rearm(const siginfo_t *info);

struct ag_timers_kind ag_timers_kind(void);

#endif
