/* SPDX-License-Identifier: MIT */
/*
 * allocations.h - what the JVM tells of allocations, by SampledObjectAlloc, and
 * the sites that they are counted by.
 *
 * The JVM gives this event to one environment at a time, and has one interval.
 */
#ifndef AG_ALLOCATIONS_H
#define AG_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <jvmti.h>

#include "agent/profile/trace_table.h"

struct ag_class_list;
struct ag_site_counts;

/* What sites are made of; the caller's. */
struct ag_allocations {
	jvmtiEnv *jvmti; /* that gets the event */
	/* An allocation, in its thread; not those of TOLD itself, or of the agent. */
	void (*told)(void *user, JNIEnv *jni, jthread thread, jobject object,
		     jclass class, uint64_t size);
	void *user;
	struct ag_class_list *classes;
	struct ag_traces *traces;
	struct ag_site_counts *counts;
	_Atomic uint64_t interval; /* bytes; 0: each allocation is told */
	_Atomic uint32_t depth;	   /* most frames; at most AG_MOST_FRAMES */
	bool forgets; /* private: the JVM forgets to report after large objects */
};

/* The stack of an allocation. */
struct ag_allocation_stack {
	uint32_t count;
	bool clone; /* it is in Object.clone, see clones.h */
	jvmtiFrameInfo frames[AG_MOST_FRAMES]; /* innermost first */
};

/*
 * Adds the capability, and sets the callback in CALLBACKS, which the caller gives
 * to the JVM. False: the JVM has it not, or another agent has.
 */
bool ag_allocations_prepare(const struct ag_allocations *a,
			    jvmtiEventCallbacks *callbacks);

/*
 * Sets the interval, and enables or disables the event. A, which is told of from
 * here on, is never freed: a thread may be in a callback until the end.
 */
bool ag_allocations_enable(struct ag_allocations *a, bool on);

/*
 * What a thread allocates between these is not told. False: it is not told
 * already; then there is nothing to leave.
 */
bool ag_allocations_enter(void);
void ag_allocations_leave(void);

/*
 * Allocates until an allocation is reported; nothing of this is counted. MARKS,
 * if not NULL, gives the arrays the tag MARK.
 */
void ag_allocations_prime(JNIEnv *jni, jvmtiEnv *marks, jlong mark);

/*
 * Counts one at its site: the stack of the calling thread, and CLASS. THREAD is
 * its serial if that is a part of the stack, else 0. The number of the site; 0
 * without memory.
 */
uint32_t ag_allocations_count(const struct ag_allocations *a, JNIEnv *jni,
			      uint32_t thread, jclass class, uint64_t size,
			      struct ag_allocation_stack *ret_stack);

#endif
