/* SPDX-License-Identifier: MIT */
/*
 * prof_agent.c - an agent that is linked with libhprof-prof, for Hooked.java: it
 * counts what is sent to it. Says BAD and what on standard error. The errors of
 * functions are tried by prof_errors.c.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/prof.h>

#include "prof_errors.h"
#include "prof_hook.h"

enum { HOOKS = 64, DEPTH = 64, BOTH = 3, ENVS = 2 };

static jvmtiEnv *jvmti;
static jvmtiProfEnv *envs[ENVS];
static atomic_long entries[HOOKS], exits[HOOKS];
static jint early_hook = -1;

/* ---- callbacks ------------------------------------------------------------- */

static atomic_long wrong_thread, wrong_stack;
static _Atomic(jmethodID) top_method; /* wanted on top; NULL: nothing is */

static void look(jvmtiProfEnv *env, JNIEnv *jni, jthread thread)
{
	jvmtiProfFrameInfo frames[2];
	jthread current;
	jmethodID top = atomic_load(&top_method);
	jint count = 0;

	if (!top)
		return;
	if ((*jvmti)->GetCurrentThread(jvmti, &current) ||
	    !(*jni)->IsSameObject(jni, current, thread))
		atomic_fetch_add(&wrong_thread, 1);
	(*jni)->DeleteLocalRef(jni, current);
	if ((*env)->GetStackTraceAsync(env, 2, 2, frames, &count) ||
	    count != 2 || frames[0].method != top)
		atomic_fetch_add(&wrong_stack, 1);
}

static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, jint hook)
{
	if (user != jvmti || hook < 0 || hook >= HOOKS) {
		BAD("entry of hook %d", (int)hook);
		return;
	}
	atomic_fetch_add(&entries[hook], 1);
	look(env, jni, thread);
}

static void JNICALL on_exit_(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, jint hook)
{
	if (user != jvmti || hook < 0 || hook >= HOOKS) {
		BAD("exit of hook %d", (int)hook);
		return;
	}
	atomic_fetch_add(&exits[hook], 1);
	look(env, jni, thread);
}

/* Samples: how many, those with a stack, and those that have the method. */
static atomic_long samples[ENVS], stacks, found, foreign;
static _Atomic(jmethodID) sampled_method;
static _Atomic(jthread) sampled_thread;

static void JNICALL on_sample(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			      jthread thread)
{
	jvmtiProfFrameInfo frames[DEPTH];
	jmethodID wanted = atomic_load(&sampled_method);
	jint count = 0;

	(void)user;
	(void)jni;
	atomic_fetch_add(&samples[env == envs[1]], 1);
	if (env != envs[0])
		return;
	if ((*env)->GetStackTraceAsync(env, DEPTH, DEPTH, frames, &count))
		return;
	atomic_fetch_add(&stacks, 1);
	for (jint i = 0; i < count; i++)
		if (wanted && frames[i].method == wanted) {
			atomic_fetch_add(&found, 1);
			atomic_store(&sampled_thread, thread);
			return;
		}
	atomic_fetch_add(&foreign, 1);
}

static const jvmtiProfEventCallbacks callbacks = {
	.SampleExecution = on_sample,
	.SpecificMethodEntry = on_entry,
	.SpecificMethodExit = on_exit_,
};

/* ---- loading --------------------------------------------------------------- */

static void listen(jvmtiProfEnv *e)
{
	IS((*e)->SetEventNotificationMode(e, JVMTI_ENABLE,
					  JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY,
					  NULL),
	   NONE);
	IS((*e)->SetEventNotificationMode(
		   e, JVMTI_ENABLE, JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT, NULL),
	   NONE);
}

static atomic_long compiled;
static _Atomic(jmethodID) compiled_method;

static void JNICALL on_compiled(jvmtiEnv *env, jmethodID method, jint size,
				const void *code, jint count,
				const jvmtiAddrLocationMap *map,
				const void *info)
{
	(void)env, (void)size, (void)code, (void)count, (void)map, (void)info;
	if (method == atomic_load(&compiled_method))
		atomic_fetch_add(&compiled, 1);
}

static void prepare_jvmti(void)
{
	jvmtiCapabilities c;
	jvmtiEventCallbacks events;

	memset(&c, 0, sizeof c);
	c.can_get_bytecodes = 1;
	c.can_generate_compiled_method_load_events = 1;
	memset(&events, 0, sizeof events);
	events.CompiledMethodLoad = on_compiled;
	if ((*jvmti)->AddCapabilities(jvmti, &c) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &events, (jint)sizeof events) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_COMPILED_METHOD_LOAD,
					       NULL))
		BAD("JVMTI");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)options;
	(void)reserved;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11))
		return 1;
	prepare_jvmti();
	try_create(vm, jvmti);
	for (int i = 0; i < ENVS; i++)
		IS(jvmtiProf_Create(vm, jvmti, &envs[i], JVMTIPROF_VERSION),
		   NONE);
	try_all(envs[0], jvmti);
	IS((*envs[0])->SetEventCallbacks(envs[0], &callbacks,
					 (jint)sizeof callbacks),
	   NONE);
	early_hook = hook_early(envs[0]);
	IS((*envs[1])->AddCapabilities(envs[1], &all_capabilities), NONE);
	IS((*envs[1])->SetEventCallbacks(envs[1], &callbacks,
					 (jint)sizeof callbacks),
	   NONE);
	listen(envs[0]);
	listen(envs[1]);
	return 0;
}

/* ---- what the program asks for --------------------------------------------- */

JNIEXPORT jint JNICALL Java_Hooked_earlyHook(JNIEnv *jni, jclass class)
{
	(void)jni;
	(void)class;
	return early_hook;
}

JNIEXPORT jint JNICALL Java_Hooked_hook(JNIEnv *jni, jclass class, jint env,
					jstring class_name, jstring method,
					jstring signature, jint flags,
					jboolean on)
{
	(void)class;
	return set_hook(envs[env], jni, class_name, method, signature, flags,
			on);
}

JNIEXPORT jlong JNICALL Java_Hooked_entries(JNIEnv *jni, jclass class,
					    jint hook)
{
	(void)jni;
	(void)class;
	return atomic_load(&entries[hook]);
}

JNIEXPORT jlong JNICALL Java_Hooked_exits(JNIEnv *jni, jclass class, jint hook)
{
	(void)jni;
	(void)class;
	return atomic_load(&exits[hook]);
}

static jmethodID find(JNIEnv *jni, jclass class, jstring name)
{
	const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
	jmethodID m = (*jni)->GetStaticMethodID(jni, class, text, "(I)I");

	(*jni)->ReleaseStringUTFChars(jni, name, text);
	return m;
}

/* The length of a method's code as it is now. */
JNIEXPORT jint JNICALL Java_Hooked_codeSize(JNIEnv *jni, jclass class,
					    jstring name)
{
	jmethodID m = find(jni, class, name);
	unsigned char *code;
	jint size = -1;

	if (m && !(*jvmti)->GetBytecodes(jvmti, m, &size, &code))
		(*jvmti)->Deallocate(jvmti, code);
	return size;
}

/* Callbacks look at their thread and stack from now on; null: no more. */
JNIEXPORT jlong JNICALL Java_Hooked_expectTop(JNIEnv *jni, jclass class,
					      jstring name)
{
	atomic_store(&top_method, name ? find(jni, class, name) : NULL);
	return atomic_load(&wrong_thread) + atomic_load(&wrong_stack);
}

JNIEXPORT void JNICALL Java_Hooked_watchCompiled(JNIEnv *jni, jclass class,
						 jstring name)
{
	atomic_store(&compiled_method, find(jni, class, name));
	atomic_store(&compiled, 0);
}

JNIEXPORT jlong JNICALL Java_Hooked_timesCompiled(JNIEnv *jni, jclass class)
{
	(void)jni;
	(void)class;
	return atomic_load(&compiled);
}

/* Samples of environment ENV at an interval; 0: none any more. */
JNIEXPORT void JNICALL Java_Hooked_sample(JNIEnv *jni, jclass class, jint env,
					  jlong interval, jstring name)
{
	jvmtiProfEnv *e = envs[env];

	if (name)
		atomic_store(&sampled_method, find(jni, class, name));
	if (interval)
		IS((*e)->SetExecutionSamplingInterval(e, interval), NONE);
	IS((*e)->SetEventNotificationMode(
		   e, interval ? JVMTI_ENABLE : JVMTI_DISABLE,
		   JVMTIPROF_EVENT_SAMPLE_EXECUTION, NULL),
	   NONE);
}

/* Samples of both environments; stacks; those with and without the method. */
JNIEXPORT jlongArray JNICALL Java_Hooked_samples(JNIEnv *jni, jclass class)
{
	const jlong list[] = { atomic_load(&samples[0]),
			       atomic_load(&samples[1]), atomic_load(&stacks),
			       atomic_load(&found), atomic_load(&foreign) };
	jlongArray array = (*jni)->NewLongArray(jni, 5);

	(void)class;
	(*jni)->SetLongArrayRegion(jni, array, 0, 5, list);
	return array;
}

/* The thread of the last sample with the method. */
JNIEXPORT jobject JNICALL Java_Hooked_sampledThread(JNIEnv *jni, jclass class)
{
	jthread thread = atomic_load(&sampled_thread);

	(void)class;
	return thread ? (*jni)->NewLocalRef(jni, thread) : NULL;
}

JNIEXPORT void JNICALL Java_Hooked_tryErrors(JNIEnv *jni, jclass class)
{
	(void)class;
	try_live(envs[0], jni, jvmti);
}

/* Ends both environments. */
JNIEXPORT void JNICALL Java_Hooked_dispose(JNIEnv *jni, jclass class)
{
	(void)jni;
	(void)class;
	for (int i = 0; i < ENVS; i++)
		IS((*envs[i])->DisposeEnvironment(envs[i]), NONE);
}
