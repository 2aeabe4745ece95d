/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h - takes one dump from beginning to end: file, environment, walk,
 * message. Only one is taken at a time in a process.
 */
#ifndef AG_SNAPSHOT_H
#define AG_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <jvmti.h>

#include "agent/common/options.h"

/*
 * Further values, with a message logged, are those of enum ag_refusal, where the
 * JVM was not forked, and of enum ag_child_end, where the forked process did
 * not finish.
 */
enum ag_taken {
	AG_TAKEN = 0,  /* written completely */
	AG_FAILED = 1, /* not written, and a message says why */
	AG_BUSY = 3    /* another one is being taken */
};

/*
 * Prepares for the dumps that OPTIONS ask for; to be called once the JVM is
 * initialized. When the heap is full it is too late.
 */
void ag_take_prepare(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *jni,
		     const struct ag_options *options);

/*
 * Takes a dump to the file with number *COUNT, the number of dumps so far, and
 * increments it. Waits while another thread takes a dump, unless HEAP_IS_FULL:
 * then this thread may hold locks of the JVM that the other one needs, so
 * AG_BUSY is returned. With HEAP_IS_FULL nothing is allocated in the Java heap.
 */
int ag_take_dump(JavaVM *vm, JNIEnv *jni, const struct ag_options *options,
		 atomic_uint *count, bool heap_is_full);

/*
 * Called when the JVM ends: waits until no dump is being taken. From then on
 * all dumps are refused but those of this thread.
 */
void ag_take_end(JNIEnv *jni);

#endif
