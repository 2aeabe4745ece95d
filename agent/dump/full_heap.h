/* SPDX-License-Identifier: MIT */
/*
 * full_heap.h - prepares for the dump of an exhausted heap.
 *
 * When the heap is full, each allocation in it costs several full collections
 * and then fails, including those that the JVM makes on our behalf. So a dump
 * at that time links no classes and creates no Java objects.
 */
#ifndef AG_FULL_HEAP_H
#define AG_FULL_HEAP_H

#include <jvmti.h>

/*
 * Links the classes of the boot loader (see ag_class_link), and keeps a global
 * reference to void.class and one to some room. To be called once the JVM is initialized. The local
 * references stay in the current frame.
 */
void ag_full_heap_prepare(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Gives up some room of the heap that was kept back: HotSpot needs it to pass on
 * a signal, and drops the signal, even SIGTERM, if there is none. To be called
 * before the dump, since that takes long enough for somebody to lose patience.
 */
void ag_full_heap_release(JNIEnv *jni);

/* The reference to void.class; NULL: nothing was prepared. */
jobject ag_void_mirror(void);

/* Looks up void.class, which creates a string. CLASS is java.lang.Class. */
jobject ag_find_void(JNIEnv *jni, jclass class);

#endif
