/* SPDX-License-Identifier: MIT */
/*
 * follower.h - objects that are followed: allocations as the JVM tells them, the
 * tags by which their ends are told, and their ages.
 *
 * If each allocation is told, an age is exact if there is one between any two
 * collections: the JVM tells of ends some time after a collection, and the next
 * allocation waits for them, at most a fifth of a second.
 */
#ifndef AG_FOLLOWER_H
#define AG_FOLLOWER_H

#include "agent/profile/allocations.h"
#include "agent/profile/lives.h"

struct ag_follower;

/* What its owner is told; any may be NULL. */
struct ag_follower_events {
	/* In the thread that allocates, with its id and its site. */
	void (*made)(void *user, JNIEnv *jni, jthread thread, jobject object,
		     jclass class, uint64_t id, const struct ag_life *life,
		     const struct ag_allocation_stack *stack);
	/* As ObjectFree of JVMTI; with JDK 11 in a pause. */
	void (*ended)(void *user, uint64_t id, const struct ag_life *life);
	/* The serial of a thread for its traces; NULL: none. */
	uint32_t (*thread)(void *user, jthread thread);
};

/*
 * One in a process, never freed: a thread may be in a callback of it until the
 * end. ALLOCATIONS is copied, but for its jvmti: the follower has its own. NULL,
 * if the JVM has it not, or another agent has, or without memory.
 */
struct ag_follower *ag_follower_new(JavaVM *vm,
				    const struct ag_allocations *allocations,
				    const struct ag_follower_events *events,
				    void *user);

/*
 * Begins with objects, or ends: nothing is told after the end but of objects that
 * were followed before.
 */
bool ag_follower_enable(struct ag_follower *follower, bool on);

/* Once, after VMInit; by the thread that goes on with the program. */
void ag_follower_begin(struct ag_follower *follower, JNIEnv *jni);

/* By each thread that ends. */
void ag_follower_thread_end(struct ag_follower *follower, JNIEnv *jni);

/* What allocations are counted by; interval and depth may be changed. */
struct ag_allocations *ag_follower_allocations(struct ag_follower *follower);

struct ag_lives *ag_follower_lives(struct ag_follower *follower);

/*
 * The ends of the last collection are told before this returns, or a fifth of a
 * second has passed.
 */
void ag_follower_settle(struct ag_follower *follower, JNIEnv *jni);

/*
 * Ends that were told so late that their ages may be too high, by one collection
 * or more.
 */
uint64_t ag_follower_late(const struct ag_follower *follower);

/*
 * The sums by site number - 1; freed by hp_free, NULL without memory. With
 * COLLECT garbage is collected first, a collection as any other. With REACHABLE,
 * live objects are those that can be reached.
 */
struct ag_life_sum *ag_follower_sum(struct ag_follower *follower, JNIEnv *jni,
				    size_t sites, bool collect, bool reachable);

/* The JVM forgets the tags. Objects that live are followed no more. */
void ag_follower_drop(struct ag_follower *follower);

#endif
