/* SPDX-License-Identifier: MIT */
/*
 * monitor_events.h - waits for monitors as JVMTI tells of them, each end with its
 * time: for the profile of monitors, and for libhprof-prof.
 */
#ifndef AG_MONITOR_EVENTS_H
#define AG_MONITOR_EVENTS_H

#include <jvmti.h>

#include "agent/monitor/waits.h"

struct ag_monitor_events;

struct ag_monitor_event {
	enum ag_wait what;
	bool ended;
	jobject monitor;
	jlong timeout;	   /* of Object.wait that begins: milliseconds */
	bool timed_out;	   /* of Object.wait that ended */
	int64_t waited_ns; /* of what ended; -1: not known */
	uint64_t kept;	   /* of what ended, if the time is known */
};

/*
 * In the thread that waits. What it returns when a wait begins is told when that
 * one ends.
 */
typedef uint64_t (*ag_monitor_told)(void *user, JNIEnv *jni, jthread thread,
				    const struct ag_monitor_event *event);

/*
 * Never freed: a thread may be in a callback until the end. NULL if the JVM does
 * not tell of monitors, or without memory.
 */
struct ag_monitor_events *
ag_monitor_events_new(JavaVM *vm, ag_monitor_told told, void *user);

/* False: the JVM does not. Waits that go on meanwhile end without a time. */
bool ag_monitor_events_enable(struct ag_monitor_events *events, bool on);

/*
 * Do threads have numbers in this JVM? If not, no time is known. In the live
 * phase.
 */
bool ag_monitor_events_know_threads(struct ag_monitor_events *events,
				    JNIEnv *jni);

/* Waits that are not told of with a time, for want of memory. */
uint64_t ag_monitor_events_lost(struct ag_monitor_events *events);

#endif
