/* SPDX-License-Identifier: MIT */
/* inside.c - see inside.h. */
#include "inside.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 1000 };

static _Thread_local int depth;
static atomic_int primed; /* an object was told of */

int is_inside(void)
{
	return depth > 0;
}

void inside_told(void)
{
	atomic_store(&primed, 1);
}

/* ---- the method ------------------------------------------------------------ */

static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)hook;
	depth++;
}

static void JNICALL on_exit_(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)hook;
	depth--;
}

static int hook_method(JavaVM *vm, jvmtiEnv *jvmti, const char *class_name,
		       const char *method)
{
	static const jvmtiProfEvent events[] = {
		JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY,
		JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT
	};
	const jvmtiProfCapabilities can = { .can_intercept_methods = 1 };
	const jvmtiProfEventCallbacks callbacks = {
		.SpecificMethodEntry = on_entry,
		.SpecificMethodExit = on_exit_,
	};
	jvmtiProfEnv *prof;
	int failed =
		jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
		(*prof)->AddCapabilities(prof, &can) ||
		(*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks);

	for (size_t i = 0; !failed && i < sizeof events / sizeof *events; i++)
		failed = (*prof)->SetEventNotificationMode(
				 prof, JVMTI_ENABLE, events[i], NULL) != 0;
	return failed ||
	       (*prof)->SetMethodEventFlag(prof, class_name, method, NULL,
					   JVMTIPROF_METHOD_EVENT_ENTRY |
						   JVMTIPROF_METHOD_EVENT_EXIT,
					   JNI_TRUE, NULL);
}

/* ---- objects --------------------------------------------------------------- */

/*
 * A thread first uses up the memory that it had before the event was enabled.
 * Arrays are made until one is told of: from then on, nothing is missed.
 */
static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti, (void)thread;
	for (int i = 0; i < 1000 && !atomic_load(&primed); i++)
		(*jni)->DeleteLocalRef(jni, (*jni)->NewByteArray(jni, 65536));
}

int inside_listen(jvmtiEnv *jvmti, jvmtiCapabilities can,
		  jvmtiEventCallbacks callbacks, jvmtiEvent more)
{
	const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
				      JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
				      JVMTI_EVENT_OBJECT_FREE, more };
	int failed;

	can.can_tag_objects = 1;
	can.can_generate_object_free_events = 1;
	can.can_generate_sampled_object_alloc_events = 1;
	callbacks.VMInit = on_init;
	failed = (*jvmti)->AddCapabilities(jvmti, &can) ||
		 (*jvmti)->SetHeapSamplingInterval(jvmti, 0) ||
		 (*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					     sizeof callbacks);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		failed |= events[i] &&
			  (*jvmti)->SetEventNotificationMode(
				  jvmti, JVMTI_ENABLE, events[i], NULL) != 0;
	return failed;
}

/* ---- the beginning --------------------------------------------------------- */

jvmtiEnv *inside_begin(JavaVM *vm, const char *options, const char *name)
{
	static char class_name[NAME];
	jvmtiEnv *jvmti;
	char *dot;

	snprintf(class_name, sizeof class_name, "%s", options ? options : "");
	dot = strrchr(class_name, '.');
	if (!dot) {
		fprintf(stderr, "%s: the option is CLASS.METHOD\n", name);
		return NULL;
	}
	*dot = '\0';
	if (!(*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) &&
	    !hook_method(vm, jvmti, class_name, dot + 1))
		return jvmti;
	fprintf(stderr, "%s: not in this JVM\n", name);
	return NULL;
}
