/* SPDX-License-Identifier: MIT */
/*
 * harm_agent.c - an agent that is hard on libhprof-prof, for Harmed.java: more hooks
 * than anybody needs, callbacks that change hooks, call hooked Java or end their
 * environment, and an agent beside it that changes classes, too. Says BAD and what on
 * standard error.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/prof.h>

#include "prof_errors.h"
#include "prof_hook.h"

enum { HOOKS = 4096, ENVS = 4 };

static const jvmtiProfMethodEventFlag both =
	JVMTIPROF_METHOD_EVENT_ENTRY | JVMTIPROF_METHOD_EVENT_EXIT;

/* What callbacks do beside counting. */
enum { ONLY_COUNT, TOGGLE, CALL_JAVA, DISPOSE };

static jvmtiEnv *jvmti[ENVS], *other;
static jvmtiProfEnv *envs[ENVS];
static atomic_long entries[HOOKS], exits[HOOKS];
static atomic_int deed;
static jclass program;

static int place_of(jvmtiProfEnv *env)
{
	int i = 0;

	while (i < ENVS && envs[i] != env)
		i++;
	return i;
}

static void call_java(JNIEnv *jni)
{
	static _Thread_local int inside;
	jmethodID method;

	if (inside++ == 0) {
		method = (*jni)->GetStaticMethodID(jni, program, "again",
						   "(I)I");
		(*jni)->CallStaticIntMethod(jni, program, method, 1);
	}
	inside--;
}

static void act(jvmtiProfEnv *env, JNIEnv *jni)
{
	int wanted = atomic_load(&deed);

	if (wanted == TOGGLE &&
	    atomic_compare_exchange_strong(&deed, &wanted, ONLY_COUNT)) {
		IS((*env)->SetMethodEventFlag(env, "Harmed", "again", "(I)I",
					      both, JNI_TRUE, NULL),
		   NONE);
		IS((*env)->SetMethodEventFlag(env, "Harmed", "again", "(I)I",
					      both, JNI_FALSE, NULL),
		   NONE);
	}
	if (wanted == CALL_JAVA)
		call_java(jni);
	if (wanted == DISPOSE &&
	    atomic_compare_exchange_strong(&deed, &wanted, ONLY_COUNT)) {
		IS((*env)->DisposeEnvironment(env), NONE);
		IS((*env)->DisposeEnvironment(env), INVALID_ENVIRONMENT);
	}
}

static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)thread;
	if (place_of(env) == ENVS || user != jvmti[place_of(env)])
		BAD("a callback with another environment");
	atomic_fetch_add(&entries[hook % HOOKS], 1);
	act(env, jni);
}

static void JNICALL on_leave(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)user, (void)jni, (void)thread;
	atomic_fetch_add(&exits[hook % HOOKS], 1);
}

static void make_env(JavaVM *vm, int i)
{
	static const jvmtiProfEventCallbacks callbacks = {
		.SpecificMethodEntry = on_entry,
		.SpecificMethodExit = on_leave,
	};
	const jvmtiProfCapabilities can = { .can_intercept_methods = 1 };
	jvmtiProfEnv *e;

	if ((*vm)->GetEnv(vm, (void **)&jvmti[i], JVMTI_VERSION_11))
		BAD("no JVMTI");
	IS(jvmtiProf_Create(vm, jvmti[i], &envs[i], JVMTIPROF_VERSION), NONE);
	e = envs[i];
	IS((*e)->AddCapabilities(e, &can), NONE);
	IS((*e)->SetEventCallbacks(e, &callbacks, (jint)sizeof callbacks),
	   NONE);
	IS((*e)->SetEventNotificationMode(e, JVMTI_ENABLE,
					  JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY,
					  NULL),
	   NONE);
	IS((*e)->SetEventNotificationMode(
		   e, JVMTI_ENABLE, JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT, NULL),
	   NONE);
}

/* ---- an agent beside it ---------------------------------------------------- */

static unsigned char *original;
static jint original_size;

static void JNICALL on_class_file(jvmtiEnv *env, JNIEnv *jni, jclass class,
				  jobject loader, const char *name,
				  jobject domain, jint size,
				  const unsigned char *bytes, jint *new_size,
				  unsigned char **new_bytes)
{
	(void)env, (void)jni, (void)class, (void)loader, (void)domain;
	(void)new_size, (void)new_bytes;
	if (!name || strcmp(name, "Harmed$Redefined") != 0 || original)
		return;
	original = malloc((size_t)size);
	memcpy(original, bytes, (size_t)size);
	original_size = size;
}

static void make_other(JavaVM *vm)
{
	const jvmtiCapabilities can = { .can_retransform_classes = 1,
					.can_redefine_classes = 1,
					.can_generate_all_class_hook_events =
						1 };
	const jvmtiEventCallbacks events = { .ClassFileLoadHook =
						     on_class_file };

	if ((*vm)->GetEnv(vm, (void **)&other, JVMTI_VERSION_11) ||
	    (*other)->AddCapabilities(other, &can) ||
	    (*other)->SetEventCallbacks(other, &events, sizeof events) ||
	    (*other)->SetEventNotificationMode(other, JVMTI_ENABLE,
					       JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
					       NULL))
		BAD("the other agent");
}

JNIEXPORT jint JNICALL Java_Harmed_retransform(JNIEnv *jni, jclass self,
					       jclass class)
{
	(void)jni, (void)self;
	return (jint)(*other)->RetransformClasses(other, 1, &class);
}

JNIEXPORT jint JNICALL Java_Harmed_redefine(JNIEnv *jni, jclass self,
					    jclass class)
{
	const jvmtiClassDefinition new = { class, original_size, original };

	(void)jni, (void)self;
	return (jint)(*other)->RedefineClasses(other, 1, &new);
}

/* ---- what the program asks for --------------------------------------------- */

JNIEXPORT jint JNICALL Java_Harmed_hook(JNIEnv *jni, jclass self, jint env,
					jstring class_name, jstring method,
					jstring signature, jint flags,
					jboolean on)
{
	(void)self;
	return set_hook(envs[env], jni, class_name, method, signature, flags,
			on);
}

JNIEXPORT jlong JNICALL Java_Harmed_entries(JNIEnv *jni, jclass self, jint hook)
{
	(void)jni, (void)self;
	return atomic_load(&entries[hook]);
}

JNIEXPORT jlong JNICALL Java_Harmed_exits(JNIEnv *jni, jclass self, jint hook)
{
	(void)jni, (void)self;
	return atomic_load(&exits[hook]);
}

JNIEXPORT void JNICALL Java_Harmed_act(JNIEnv *jni, jclass self, jint what)
{
	if (!program)
		program = (*jni)->NewGlobalRef(jni, self);
	atomic_store(&deed, what);
}

JNIEXPORT void JNICALL Java_Harmed_dispose(JNIEnv *jni, jclass self, jint env)
{
	(void)jni, (void)self;
	IS((*envs[env])->DisposeEnvironment(envs[env]), NONE);
}

JNIEXPORT jint JNICALL Java_Harmed_twice(JNIEnv *jni, jclass self, jint x)
{
	(void)jni, (void)self;
	return 2 * x;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)options, (void)reserved;
	for (int i = 0; i < ENVS; i++)
		make_env(vm, i);
	make_other(vm);
	return 0;
}

/* While the JVM runs no environment can be made. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	jvmtiProfEnv *e = NULL;
	jvmtiEnv *late;

	(void)options, (void)reserved;
	if ((*vm)->GetEnv(vm, (void **)&late, JVMTI_VERSION_11))
		return 1;
	IS(jvmtiProf_Create(vm, late, &e, JVMTIPROF_VERSION), WRONG_PHASE);
	if (e)
		BAD("set on failure");
	IS(jvmtiProf_GetEnv(late, &e), INVALID_ENVIRONMENT);
	puts("late");
	fflush(stdout);
	return 0;
}
