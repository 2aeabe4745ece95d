/* SPDX-License-Identifier: MIT */
/*
 * hook_agent.c - an agent whose hooks of CallBench's methods do nothing. Option
 * "on": they are on; "off": they were on when the JVM began, and are off again.
 */
#include <string.h>

#include <hprof/prof.h>

static jvmtiProfEnv *prof;

static void JNICALL nothing(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			    jthread thread, jint hook)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)hook;
}

static jvmtiProfError set(const char *method, jboolean on)
{
	return (*prof)->SetMethodEventFlag(prof, "CallBench", method, NULL,
					   JVMTIPROF_METHOD_EVENT_ENTRY |
						   JVMTIPROF_METHOD_EVENT_EXIT,
					   on, NULL);
}

/* Called by the program's main class being prepared: hooks were on until now. */
static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			       jclass class)
{
	char *signature;

	(void)jni, (void)thread;
	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return;
	if (!strcmp(signature, "LCallBench;")) {
		set("fib", JNI_FALSE);
		set("leaf", JNI_FALSE);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiProfCapabilities can = { .can_intercept_methods = 1 };
	const jvmtiProfEventCallbacks callbacks = {
		.SpecificMethodEntry = nothing,
		.SpecificMethodExit = nothing,
	};
	const jvmtiEventCallbacks events = { .ClassPrepare = on_prepare };
	jvmtiEnv *jvmti, *later;

	(void)reserved;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	    (*prof)->AddCapabilities(prof, &can) ||
	    (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	    (*prof)->SetEventNotificationMode(
		    prof, JVMTI_ENABLE, JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY,
		    NULL) ||
	    (*prof)->SetEventNotificationMode(
		    prof, JVMTI_ENABLE, JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT,
		    NULL) ||
	    set("fib", JNI_TRUE) || set("leaf", JNI_TRUE))
		return 1;
	if (!options || strcmp(options, "off"))
		return 0;
	/* This one hears of the class after the library has changed it. */
	if ((*vm)->GetEnv(vm, (void **)&later, JVMTI_VERSION_11) ||
	    (*later)->SetEventCallbacks(later, &events, sizeof events) ||
	    (*later)->SetEventNotificationMode(later, JVMTI_ENABLE,
					       JVMTI_EVENT_CLASS_PREPARE, NULL))
		return 1;
	return 0;
}
