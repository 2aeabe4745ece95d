/* SPDX-License-Identifier: MIT */
/*
 * tracker.h - the tracker in the running JVM: there is one, whoever loads the
 * agent. Each function is called by a thread of the JVM, with its JNIEnv; no
 * exception is left pending.
 */
#ifndef AG_TRACKER_H
#define AG_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

/* Defines the class, if it is not there yet. Until then no method may call it. */
bool ag_tracker_define(JNIEnv *jni);

/*
 * Counts from now on, by traces of DEPTH frames. SERIAL, if not NULL, tells the
 * serial of the current thread: traces are told apart by it, too.
 */
bool ag_tracker_engage(JNIEnv *jni, unsigned depth,
		       uint32_t (*serial)(JNIEnv *));
void ag_tracker_disengage(JNIEnv *jni);
void ag_tracker_clear(JNIEnv *jni);

/* The current thread is about to end. */
void ag_tracker_end_thread(JNIEnv *jni);

/* What one trace has cost. */
struct ag_time_row {
	uint64_t count;		   /* of exits */
	int64_t total_ns, self_ns; /* processor time */
	uint32_t thread;	   /* its serial; 0: of all threads */
	const uint32_t *methods;   /* numbers, topmost first; 0: no more */
};

struct ag_times { /* freed by ag_times_done */
	struct ag_time_row *rows;
	size_t count;
	unsigned depth; /* of each row: at most so many methods */
	uint32_t *methods;
};

/* Each trace once, in no order. False if out of memory. */
bool ag_tracker_collect(JNIEnv *jni, struct ag_times *ret);
void ag_times_done(struct ag_times *times);

#endif
