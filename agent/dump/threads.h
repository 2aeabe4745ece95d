/* SPDX-License-Identifier: MIT */
/*
 * threads.h - the threads of a JVM: their names, groups and stacks, and the
 * records for these.
 *
 * They are collected before the heap is walked, and threads keep running in
 * between, so the two may differ. A thread that has started since still gets a
 * serial for its roots; a frame that is gone gets the number -1.
 */
#ifndef AG_THREADS_H
#define AG_THREADS_H

#include <jvmti.h>

#include "hprof/writer.h"

struct ag_ids;	 /* object_ids.h */
struct ag_names; /* string_table.h */
struct ag_stacks;

/* The empty trace, for threads without one. It is not written here. */
enum { AG_EMPTY_TRACE = 1 };

/*
 * Collects all live threads: platform threads and mounted virtual threads.
 * Classes must have their tags already; each thread object gets one, with an
 * identifier from IDS. No local reference stays behind. The names go to NAMES.
 * NULL and *RET_WHY, a constant string, on failure.
 */
struct ag_stacks *ag_stacks_collect(jvmtiEnv *jvmti, JNIEnv *jni,
				    struct ag_names *names, struct ag_ids *ids,
				    const char **ret_why);
void ag_stacks_free(struct ag_stacks *stacks); /* NULL is fine */

/* Does any thread run Java code, by its stack? */
bool ag_stacks_have_frames(const struct ag_stacks *stacks);

/* Writes FRAME, TRACE and START_THREAD records, which follow the strings. */
enum hprof_status ag_stacks_write(const struct ag_stacks *stacks,
				  struct hprof_writer *writer,
				  unsigned id_size);

/*
 * The functions below may be called in a heap callback: they do not allocate or
 * use JVMTI.
 *
 * The serial of a thread, found by the id of its object, or by the JVM's number
 * for it (Thread.getId); in that case OBJECT_ID may be 0 if it is unknown. A
 * thread not seen before gets a new serial; 0 if there are too many of these.
 */
uint32_t ag_stacks_thread(struct ag_stacks *stacks, uint64_t object_id);
uint32_t ag_stacks_thread_by_number(struct ag_stacks *stacks, jlong number,
				    uint64_t object_id);

/* The trace of a thread, by its serial; AG_EMPTY_TRACE if it has none. */
uint32_t ag_stacks_trace(const struct ag_stacks *stacks, uint32_t serial);

/*
 * The number of the frame at DEPTH in that trace, if it is at METHOD and
 * LOCATION (AG_ANYWHERE if unknown); else -1.
 */
#define AG_ANYWHERE ((jlocation)INT64_MIN)
jint ag_stacks_frame(const struct ag_stacks *stacks, uint32_t serial,
		     jint depth, jmethodID method, jlocation location);

#endif
