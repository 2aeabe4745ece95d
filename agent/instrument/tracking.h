/* SPDX-License-Identifier: MIT */
/*
 * tracking.h - instruments the classes of a running JVM: those that are loaded,
 * and those that come.
 */
#ifndef AG_TRACKING_H
#define AG_TRACKING_H

#include <stdbool.h>

#include <jvmti.h>

/*
 * Asks for the capabilities, which cost every JVM something: without hooks for
 * classes it starts faster. When the agent is loaded, or later.
 */
bool ag_tracking_prepare(jvmtiEnv *jvmti);

/* The callback of the event ClassFileLoadHook. */
void JNICALL ag_tracking_hook(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
			      jobject loader, const char *name,
			      jobject protection_domain, jint size,
			      const unsigned char *bytes, jint *ret_size,
			      unsigned char **ret_bytes);

/*
 * From VMInit on: defines the tracker, enables the hook and instruments the
 * classes that are loaded. NULL, or why it failed.
 */
const char *ag_tracking_start(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Instruments no more classes; and unless the JVM ends, makes those that were
 * what they had been. Methods that run just now still call the tracker.
 */
void ag_tracking_stop(jvmtiEnv *jvmti, JNIEnv *jni, bool vm_ends);

#endif
