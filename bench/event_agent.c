/* SPDX-License-Identifier: MIT */
/*
 * event_agent.c - an agent that is told of allocations and only counts them: what
 * the event itself costs. The option is the sampling interval in bytes.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <jvmti.h>

static atomic_ulong count;

static void JNICALL on_alloc(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jobject object, jclass class, jlong size)
{
	(void)jvmti, (void)jni, (void)thread, (void)object, (void)class;
	(void)size;
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiCapabilities can;
	jvmtiEventCallbacks callbacks;
	jvmtiEnv *jvmti;

	(void)reserved;
	memset(&can, 0, sizeof can);
	memset(&callbacks, 0, sizeof callbacks);
	can.can_generate_sampled_object_alloc_events = 1;
	callbacks.SampledObjectAlloc = on_alloc;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    (*jvmti)->AddCapabilities(jvmti, &can) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
	    (*jvmti)->SetHeapSamplingInterval(jvmti, atoi(options)))
		return JNI_ERR;
	return (*jvmti)->SetEventNotificationMode(
		jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}
