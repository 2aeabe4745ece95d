/* SPDX-License-Identifier: MIT */
/*
 * clones.h - marks that have to wait. Object.clone reports the new object, and
 * only then copies into it, which resets its header. A JVM that finds the tag of
 * an object by the identity hash in its header (JDK 21 and later) loses the tag. So
 * a thread marks its clone when it allocates next, or a report does.
 */
#ifndef AG_CLONES_H
#define AG_CLONES_H

#include <stdbool.h>

#include <jvmti.h>

/* Finds Object.clone; to be called once, before the others. */
void ag_clones_begin(JNIEnv *jni);

/* Does a stack with this innermost method allocate a clone? */
bool ag_clones_is(jmethodID method);

/*
 * OBJECT is to get MARK, in the environment MARKS, once its thread, the calling
 * one, has finished it. False without memory.
 */
bool ag_clones_add(jvmtiEnv *marks, JNIEnv *jni, jobject object, jlong mark);

/* Marks what the calling thread has added; it does something else by now. */
void ag_clones_settle(jvmtiEnv *marks, JNIEnv *jni);

/* The same for all threads, before marks are counted. */
void ag_clones_settle_all(jvmtiEnv *marks, JNIEnv *jni);

/* The calling thread ends. */
void ag_clones_thread_end(jvmtiEnv *marks, JNIEnv *jni);

#endif
