/* SPDX-License-Identifier: MIT */
/*
 * memory_agent.c - an agent whose callbacks of memory events do nothing. Option:
 * EVENTS[:INTERVAL:DEPTH]; EVENTS is objects, references, monitors or off, INTERVAL
 * that of allocations in bytes, DEPTH the number of frames. Also makes references
 * for EventBench.
 */
#include <stdio.h>
#include <string.h>

#include <hprof/prof.h>

static jvmtiProfEnv *prof;

static void JNICALL on_alloc(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, const jvmtiProfObject *object)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)object;
}

static void JNICALL on_free(jvmtiProfEnv *env, jvmtiEnv *jvmti,
			    const jvmtiProfRelease *release)
{
	(void)env, (void)jvmti, (void)release;
}

static void JNICALL on_reference(jvmtiProfEnv *env, jvmtiEnv *jvmti,
				 JNIEnv *jni,
				 const jvmtiProfReference *reference)
{
	(void)env, (void)jvmti, (void)jni, (void)reference;
}

static void JNICALL on_monitor(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			       jthread thread, const jvmtiProfMonitor *monitor)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)monitor;
}

static jvmtiProfError enable(jvmtiProfEvent event)
{
	return (*prof)->SetEventNotificationMode(prof, JVMTI_ENABLE, event,
						 NULL);
}

static jvmtiProfError begin(const char *events, jint interval, jint depth)
{
	if (!strcmp(events, "objects"))
		return (*prof)->SetAllocationSampling(prof, interval, depth) |
		       enable(JVMTIPROF_EVENT_OBJECT_ALLOC) |
		       enable(JVMTIPROF_EVENT_OBJECT_FREE);
	if (!strcmp(events, "references"))
		return (*prof)->SetReferenceDepth(prof, depth) |
		       enable(JVMTIPROF_EVENT_REFERENCE);
	if (!strcmp(events, "monitors"))
		return enable(JVMTIPROF_EVENT_MONITOR);
	return JVMTIPROF_ERROR_NONE;
}

/* "off" has all capabilities, and no event. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	static const jvmtiProfEventCallbacks callbacks = {
		.ObjectAlloc = on_alloc,
		.ObjectFree = on_free,
		.Reference = on_reference,
		.Monitor = on_monitor,
	};
	const jvmtiProfCapabilities can = {
		.can_generate_object_events = 1,
		.can_generate_reference_events = 1,
		.can_generate_monitor_events = 1,
	};
	char events[16] = "off";
	int interval = 0, depth = 0;
	jvmtiEnv *jvmti;

	(void)reserved;
	sscanf(options, "%15[a-z]:%d:%d", events, &interval, &depth);
	return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	       jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	       (*prof)->AddCapabilities(prof, &can) ||
	       (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	       begin(events, interval, depth);
}

JNIEXPORT void JNICALL Java_EventBench_references(JNIEnv *jni, jclass class,
						  jobject object, jint count);
JNIEXPORT void JNICALL Java_EventBench_references(JNIEnv *jni, jclass class,
						  jobject object, jint count)
{
	(void)class;
	for (jint i = 0; i < count; i++)
		(*jni)->DeleteGlobalRef(jni, (*jni)->NewGlobalRef(jni, object));
}
