/* SPDX-License-Identifier: MIT */
/* AllocationsNative.c - allocates by JNI, for Allocations.java. */
#include <jni.h>

JNIEXPORT void JNICALL Java_Allocations_allocate(JNIEnv *env, jclass holder,
						 jclass type, jint count)
{
	(void)holder;
	for (jint i = 0; i < count; i++) {
		(*env)->PushLocalFrame(env, 8);
		(*env)->AllocObject(env, type);
		(*env)->NewObjectArray(env, 3, type, NULL);
		(*env)->NewLongArray(env, 2);
		(*env)->NewStringUTF(env, "text");
		(*env)->PopLocalFrame(env, NULL);
	}
}
