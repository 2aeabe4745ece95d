/* SPDX-License-Identifier: MIT */
/*
 * code_events.c - see code_events.h.
 */
#include "agent/sampling/code_events.h"

#include <stdbool.h>
#include <string.h>

#include "agent/common/all_classes.h"
#include "agent/sampling/async_stack.h"
#include "agent/sampling/code_map.h"
#include "agent/sampling/live_code.h"

static void make_method_ids(jvmtiEnv *jvmti, jclass class)
{
	jmethodID *methods;
	jint count;

	if (!(*jvmti)->GetClassMethods(jvmti, class, &count, &methods))
		(*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

/* AsyncGetCallTrace wants somebody to listen to this event. */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
				  jclass class)
{
	(void)jvmti;
	(void)jni;
	(void)thread;
	(void)class;
}

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni,
				     jthread thread, jclass class)
{
	(void)jni;
	(void)thread;
	make_method_ids(jvmti, class);
}

static void JNICALL on_code(jvmtiEnv *jvmti, jmethodID method, jint size,
			    const void *code, jint count,
			    const jvmtiAddrLocationMap *map, const void *info)
{
	(void)jvmti;
	(void)count;
	(void)map;
	(void)info;
	ag_async_know_code(code, (uintptr_t)size);
	ag_code_add(method, code, (uintptr_t)size);
}

static void JNICALL on_code_gone(jvmtiEnv *jvmti, jmethodID method,
				 const void *code)
{
	(void)jvmti;
	(void)method;
	ag_code_remove(code);
}

/* The interpreter and stubs. */
static void JNICALL on_stub(jvmtiEnv *jvmti, const char *name, const void *code,
			    jint size)
{
	(void)jvmti;
	(void)name;
	ag_async_know_code(code, (uintptr_t)size);
}

static const jvmtiEvent events[] = {
	JVMTI_EVENT_CLASS_LOAD,
	JVMTI_EVENT_CLASS_PREPARE,
	JVMTI_EVENT_COMPILED_METHOD_LOAD,
	JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
	JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
};

static bool subscribe(jvmtiEnv *jvmti)
{
	jvmtiEventCallbacks callbacks;
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_generate_compiled_method_load_events = 1;
	memset(&callbacks, 0, sizeof callbacks);
	callbacks.ClassLoad = on_class_load;
	callbacks.ClassPrepare = on_class_prepare;
	callbacks.CompiledMethodLoad = on_code;
	callbacks.CompiledMethodUnload = on_code_gone;
	callbacks.DynamicCodeGenerated = on_stub;
	return !(*jvmti)->AddCapabilities(jvmti, &want) &&
	       !(*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					    (jint)sizeof callbacks);
}

const char *ag_code_events_enable(jvmtiEnv *jvmti)
{
	if (!subscribe(jvmti))
		return "this JVM does not tell what it compiles";
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						   events[i], NULL);
	return NULL;
}

void ag_code_events_catch_up(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jclass *classes;
	jint count;

	ag_live_code_find();
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	if (ag_all_classes(jvmti, jni, &count, &classes))
		return;
	for (jint i = 0; i < count; i++) {
		make_method_ids(jvmti, classes[i]);
		(*jni)->DeleteLocalRef(jni, classes[i]);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}
