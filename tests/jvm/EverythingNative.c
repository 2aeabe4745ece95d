/* SPDX-License-Identifier: MIT */
/*
 * EverythingNative.c - references that native code holds, for Everything.java.
 */
#include <jni.h>

JNIEXPORT jobject JNICALL Java_Everything_holdGlobals(JNIEnv *env, jclass type,
						      jobject strong,
						      jobject weak)
{
	(void)type;
	(*env)->NewGlobalRef(env, strong);
	(*env)->NewWeakGlobalRef(env, weak);
	return NULL;
}

/* Calls Java back, which parks; with local references in its frame. */
JNIEXPORT void JNICALL Java_Everything_callBack(JNIEnv *env, jclass type,
						jobject held, jclass again)
{
	jmethodID park =
		(*env)->GetStaticMethodID(env, again, "parkFromNative", "()V");
	jobject local = (*env)->NewLocalRef(env, held);

	(void)type;
	(*env)->CallStaticVoidMethod(env, again, park);
	(*env)->DeleteLocalRef(env, local);
}
