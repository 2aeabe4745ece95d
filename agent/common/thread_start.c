/* SPDX-License-Identifier: MIT */
/* thread_start.c - see thread_start.h. */
#include "agent/common/thread_start.h"

/* A thread object of the name, not yet started; NULL on failure. */
static jthread make_thread(JNIEnv *jni, const char *name)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	jmethodID make = NULL;
	jstring text = NULL;

	if (class)
		make = (*jni)->GetMethodID(jni, class, "<init>",
					   "(Ljava/lang/String;)V");
	if (make)
		text = (*jni)->NewStringUTF(jni, name);
	return text ? (*jni)->NewObject(jni, class, make, text) : NULL;
}

bool ag_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, const char *name,
		     jvmtiStartFunction run, void *argument)
{
	enum { LOCAL_REFS = 8 };
	jthread thread;
	bool done = false;

	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) != 0) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	thread = make_thread(jni, name);
	(*jni)->ExceptionClear(jni);
	if (thread)
		done = (*jvmti)->RunAgentThread(jvmti, thread, run, argument,
						JVMTI_THREAD_NORM_PRIORITY) ==
		       JVMTI_ERROR_NONE;
	(*jni)->PopLocalFrame(jni, NULL);
	return done;
}
