/* SPDX-License-Identifier: MIT */
/*
 * thread_table.h - the platform threads that ran during a profile, by serial.
 * Virtual threads are not listed: JVMTI tells of them only those who ask to be
 * told of every one.
 *
 * Threads: any function by any thread at any time.
 */
#ifndef AG_THREAD_TABLE_H
#define AG_THREAD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

struct ag_threads;

enum { AG_THREAD_FIRST = 200001 };

struct ag_thread {
	uint32_t serial;
	bool ended;
	char *name, *group, *parent; /* of the group; may be NULL */
};

struct ag_threads *ag_threads_new(jvmtiEnv *jvmti); /* NULL without memory */
void ag_threads_free(struct ag_threads *threads);   /* NULL is fine */

/* Lists the threads that run already. */
void ag_threads_begin(struct ag_threads *threads, JNIEnv *jni);
void ag_threads_start(struct ag_threads *threads, JNIEnv *jni, jthread thread);
void ag_threads_end(struct ag_threads *threads, jthread thread);

/* The serial of a thread, NULL: the current one; 0 if it is not listed. */
uint32_t ag_threads_serial(const struct ag_threads *threads, jthread thread);

/* Is there a thread with that serial, which has not ended? */
bool ag_threads_live(struct ag_threads *threads, uint32_t serial);

/*
 * Calls PUT for each thread, by serial, as long as it returns true. Returns what
 * the last call did. Threads that start meanwhile wait.
 */
typedef bool ag_thread_fn(void *user, const struct ag_thread *thread);
bool ag_threads_each(struct ag_threads *threads, ag_thread_fn *put, void *user);

/* Threads that are not listed: the oldest that have ended, or without memory. */
uint64_t ag_threads_lost(struct ag_threads *threads);

#endif
