/* SPDX-License-Identifier: MIT */
/* thread_start.h - daemon threads of our own that may call the JVM. */
#ifndef AG_THREAD_START_H
#define AG_THREAD_START_H

#include <stdbool.h>

#include <jvmti.h>

/*
 * Starts a thread called NAME that runs RUN with ARGUMENT. The JVM must be
 * initialized.
 */
bool ag_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, const char *name,
		     jvmtiStartFunction run, void *argument);

#endif
