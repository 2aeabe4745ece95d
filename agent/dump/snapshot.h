/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h - takes one dump from beginning to end: file, environment, walk,
 * message. One at a time in the whole process.
 */
#ifndef AG_SNAPSHOT_H
#define AG_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <jvmti.h>

#include "agent/common/options.h"

enum ag_taken {
	AG_TAKEN,  /* it was written whole */
	AG_FAILED, /* it was not, and a message says why */
	AG_BUSY	   /* another one is being taken */
};

/*
 * A dump, to the file that goes with *COUNT, the number of those before, which
 * is raised. During a dump of another thread it waits, unless HEAP_IS_FULL:
 * then the thread may hold locks of the JVM, which the other may need, and
 * AG_BUSY is returned; and nothing is allocated in the Java heap.
 */
enum ag_taken ag_take_dump(JavaVM *vm, JNIEnv *jni,
			   const struct ag_options *options, atomic_uint *count,
			   bool heap_is_full);

/*
 * The JVM ends: waits until no dump is being taken. From now on all are
 * refused but those of this thread.
 */
void ag_take_end(JNIEnv *jni);

/* An environment of the JVM's tool interface; NULL and a message if none. */
jvmtiEnv *ag_environment(JavaVM *vm);

#endif
