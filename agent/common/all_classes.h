/* SPDX-License-Identifier: MIT */
/*
 * all_classes.h - every class that is loaded.
 */
#ifndef AG_ALL_CLASSES_H
#define AG_ALL_CLASSES_H

#include <jvmti.h>

/*
 * As GetLoadedClasses: an array for Deallocate, of local references for the caller
 * to delete. Tells the JVM that there will be so many of these, or -Xcheck:jni
 * complains about them.
 */
jvmtiError ag_all_classes(jvmtiEnv *jvmti, JNIEnv *jni, jint *ret_count,
			  jclass **ret_classes);

#endif
