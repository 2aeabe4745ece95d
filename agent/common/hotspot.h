/* SPDX-License-Identifier: MIT */
/*
 * hotspot.h - what only HotSpot offers: extension functions of JVMTI, and a
 * field of its java.lang.Thread. Dumps of other JVMs have less.
 */
#ifndef AG_HOTSPOT_H
#define AG_HOTSPOT_H

#include <stdbool.h>

#include <jvmti.h>

/* Is it HotSpot? All versions have an extension function that others lack. */
bool ag_is_hotspot(jvmtiEnv *jvmti);

/*
 * Returns the extension function that finds the virtual thread that a carrier
 * runs, from JDK 21 on; JVMTI itself lists only platform threads. The function
 * takes the carrier and a pointer for the result. NULL if the JVM has no such
 * function.
 */
jvmtiExtensionFunction ag_virtual_thread_getter(jvmtiEnv *jvmti);

/*
 * The field that holds a thread's number; THREAD may be any thread. NULL if
 * there is no such field. Unlike Thread.getId, which a subclass may override,
 * the private field can be trusted.
 */
jfieldID ag_thread_number(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

#endif
