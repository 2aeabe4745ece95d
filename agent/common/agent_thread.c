/* SPDX-License-Identifier: MIT */
/*
 * agent_thread.c - see agent_thread.h.
 */
#include "agent/common/agent_thread.h"

#include "agent/common/log.h"

/* A thread object of the name, not yet started; NULL on failure. */
static jthread make_thread(JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	jmethodID make = NULL;
	jstring name = NULL;

	if (class)
		make = (*jni)->GetMethodID(jni, class, "<init>",
					   "(Ljava/lang/String;)V");
	if (make)
		name = (*jni)->NewStringUTF(jni, "hprof-agent");
	return name ? (*jni)->NewObject(jni, class, make, name) : NULL;
}

bool ag_thread_run(jvmtiEnv *jvmti, JNIEnv *jni, jvmtiStartFunction run,
		   void *argument)
{
	enum { LOCAL_REFS = 8 };
	jthread thread;
	bool done = false;

	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) != 0) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	thread = make_thread(jni);
	(*jni)->ExceptionClear(jni);
	if (thread)
		done = (*jvmti)->RunAgentThread(jvmti, thread, run, argument,
						JVMTI_THREAD_NORM_PRIORITY) ==
		       JVMTI_ERROR_NONE;
	(*jni)->PopLocalFrame(jni, NULL);
	if (!done)
		ag_log("the JVM starts no thread for the agent");
	return done;
}
