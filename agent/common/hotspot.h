/* SPDX-License-Identifier: MIT */
/*
 * hotspot.h - what only HotSpot has, of threads: an extension of JVMTI, and a
 * field of its java.lang.Thread. Elsewhere there is less in a dump.
 */
#ifndef AG_HOTSPOT_H
#define AG_HOTSPOT_H

#include <jvmti.h>

/*
 * Tells which virtual thread a carrier runs, from JDK 21 on; JVMTI itself
 * only lists platform threads. It takes the carrier and a place for the
 * answer. NULL: there is none.
 */
jvmtiExtensionFunction ag_virtual_thread_getter(jvmtiEnv *jvmti);

/*
 * The field with the number of a thread; THREAD is any one. NULL: there is
 * none. It is private, so that a subclass cannot answer in its place.
 */
jfieldID ag_thread_number(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

#endif
