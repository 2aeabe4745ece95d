/* SPDX-License-Identifier: MIT */
/*
 * full_heap.h - what a dump of an exhausted heap needs, made ready before.
 *
 * When the heap is full each allocation in it, also those that the JVM does for
 * a request of ours, costs several full collections and fails. So a dump does
 * without: it links no classes, and makes no Java objects.
 */
#ifndef AG_FULL_HEAP_H
#define AG_FULL_HEAP_H

#include <jvmti.h>

/*
 * Links the classes of the boot loader, see ag_class_link, and keeps a global
 * reference to void.class. Once the JVM is initialized. Local references stay
 * in the current frame.
 */
void ag_full_heap_prepare(jvmtiEnv *jvmti, JNIEnv *jni);

/* The reference to void.class; NULL: nothing was prepared. */
jobject ag_void_mirror(void);

/* Asks for void.class, which makes a string. CLASS is java.lang.Class. */
jobject ag_find_void(JNIEnv *jni, jclass class);

#endif
