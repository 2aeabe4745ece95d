/* SPDX-License-Identifier: MIT */
/*
 * all_classes.c - see all_classes.h.
 */
#include "agent/common/all_classes.h"

enum { OTHERS = 64 }; /* references that the caller has, and will have */

jvmtiError ag_all_classes(jvmtiEnv *jvmti, JNIEnv *jni, jint *ret_count,
			  jclass **ret_classes)
{
	jvmtiError e =
		(*jvmti)->GetLoadedClasses(jvmti, ret_count, ret_classes);

	if (e != JVMTI_ERROR_NONE)
		return e;
	if ((*jni)->EnsureLocalCapacity(jni, *ret_count + OTHERS) != JNI_OK)
		(*jni)->ExceptionClear(jni);
	return JVMTI_ERROR_NONE;
}
