/* SPDX-License-Identifier: MIT */
/*
 * threads.h - the threads of a JVM: their names, groups and stacks, and the
 * records that tell them.
 *
 * They are collected before the heap is walked, so both may differ: threads
 * go on running in between. A root of a thread that came later still gets a
 * serial; a frame that is not there any more gets the number -1.
 */
#ifndef AG_THREADS_H
#define AG_THREADS_H

#include <jvmti.h>

#include "hprof/writer.h"

struct ag_ids;	 /* object_ids.h */
struct ag_names; /* string_table.h */
struct ag_stacks;

/* The trace of threads that have none, which is not written here. */
enum { AG_EMPTY_TRACE = 1 };

/*
 * All live threads, platform and mounted virtual. Classes must have their tags
 * already; each thread object gets one, with an identifier from IDS. No local
 * reference stays behind. The names go to NAMES. NULL and *RET_WHY, a
 * constant, on failure.
 */
struct ag_stacks *ag_stacks_collect(jvmtiEnv *jvmti, JNIEnv *jni,
				    struct ag_names *names, struct ag_ids *ids,
				    const char **ret_why);
void ag_stacks_free(struct ag_stacks *stacks); /* NULL is fine */

/* FRAME, TRACE and START_THREAD records; the strings must be there before. */
enum hprof_status ag_stacks_write(const struct ag_stacks *stacks,
				  struct hprof_writer *writer,
				  unsigned id_size);

/*
 * The rest may be called in a heap callback: no allocation, no JVMTI.
 *
 * The serial of a thread: by the id of its object, or by the JVM's number for
 * it (Thread.getId), with the id beside it if it has one, else 0. A thread
 * that is not known gets a new serial. 0: there are too many new ones.
 */
uint32_t ag_stacks_thread(struct ag_stacks *stacks, uint64_t object_id);
uint32_t ag_stacks_thread_by_number(struct ag_stacks *stacks, jlong number,
				    uint64_t object_id);

/* The trace of a thread, by its serial; AG_EMPTY_TRACE if it has none. */
uint32_t ag_stacks_trace(const struct ag_stacks *stacks, uint32_t serial);

/*
 * The number of a frame in that trace, if METHOD and LOCATION (AG_ANYWHERE:
 * not known) were at this depth; else -1.
 */
#define AG_ANYWHERE ((jlocation)INT64_MIN)
jint ag_stacks_frame(const struct ag_stacks *stacks, uint32_t serial,
		     jint depth, jmethodID method, jlocation location);

#endif
