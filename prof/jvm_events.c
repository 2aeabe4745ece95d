/* SPDX-License-Identifier: MIT */
/*
 * jvm_events.c - see jvm_events.h.
 *
 * JVMTI sends each event to the environments in the order of their making: what
 * an agent does in its own VMInit comes before this one, and is only noted until
 * then.
 */
#include "prof/jvm_events.h"

#include <string.h>

#include "prof/environment.h"
#include "prof/execution.h"
#include "prof/intercept.h"
#include "prof/memory_events.h"

static bool listens;

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	const char *why;

	(void)jvmti;
	pf_execution_begin(jni, thread);
	pf_intercept_begin(jni);
	pf_memory_begin(jni);
	why = pf_execution_update();
	for (struct pf_env *e = pf_env_first(); why && e; e = e->next)
		pf_tell(e, JVMTIPROF_VERBOSE_SAMPLES, "no samples: %s", why);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti;
	(void)jni;
	pf_execution_end();
	for (struct pf_env *e = pf_env_first(); e; e = e->next)
		atomic_store(&e->enabled, 0);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni,
				    jthread thread)
{
	(void)jvmti;
	pf_execution_thread_start(jni, thread);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	pf_execution_thread_end(jni);
	pf_memory_thread_end(jni);
}

static bool enable(jvmtiEnv *jvmti, jvmtiEvent event)
{
	return (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event,
						  NULL) == JVMTI_ERROR_NONE;
}

static bool listen(JavaVM *vm)
{
	jvmtiEnv *jvmti = pf_jvmti_make(vm);
	jvmtiEventCallbacks callbacks;

	if (!jvmti)
		return false;
	memset(&callbacks, 0, sizeof callbacks);
	callbacks.VMInit = on_init;
	callbacks.VMDeath = on_death;
	callbacks.ThreadStart = on_thread_start;
	callbacks.ThreadEnd = on_thread_end;
	callbacks.ClassPrepare = pf_intercept_prepared;
	callbacks.ClassFileLoadHook = pf_intercept_class;
	return !(*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					    (jint)sizeof callbacks) &&
	       enable(jvmti, JVMTI_EVENT_VM_INIT) &&
	       enable(jvmti, JVMTI_EVENT_VM_DEATH);
}

bool pf_jvm_listen(JavaVM *vm)
{
	bool done;

	pf_lock();
	if (!listens)
		listens = listen(vm);
	done = listens;
	pf_unlock();
	return done;
}

void pf_jvm_listen_for_threads(void)
{
	enable(pf_jvmti(), JVMTI_EVENT_THREAD_START);
	enable(pf_jvmti(), JVMTI_EVENT_THREAD_END);
}
