/* SPDX-License-Identifier: MIT */
/*
 * prof_agent.c - an agent that is linked with libhprof-prof, for Hooked.java: it
 * counts what is sent to it, and tries the errors of each function, in
 * Agent_OnLoad by itself and later for the program. Says BAD and what on
 * standard error.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/prof.h>

#define BAD(...)                                                   \
	do {                                                       \
		fprintf(stderr, "BAD %s:%d: ", __FILE__, __LINE__); \
		fprintf(stderr, __VA_ARGS__);                      \
		fputc('\n', stderr);                               \
	} while (0)
#define IS(call, wanted)                                                \
	do {                                                            \
		jvmtiProfError got_ = (call);                           \
		if (got_ != JVMTIPROF_ERROR_##wanted)                   \
			BAD("%s: %d instead of " #wanted, #call, got_); \
	} while (0)

enum { HOOKS = 64, DEPTH = 64, BOTH = 3, ENVS = 2 };

static JavaVM *the_vm;
static jvmtiEnv *jvmti;
static jvmtiProfEnv *envs[ENVS], *disposed;
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

/* ---- errors ---------------------------------------------------------------- */

static const jvmtiProfCapabilities all = {
	.can_intercept_methods = 1,
	.can_generate_sample_execution_events = 1,
	.can_get_stack_trace_asynchronously = 1,
};

static void try_create(void)
{
	jvmtiProfEnv *e = NULL;

	IS(jvmtiProf_Create(NULL, jvmti, &e, JVMTIPROF_VERSION), NULL_POINTER);
	IS(jvmtiProf_Create(the_vm, NULL, &e, JVMTIPROF_VERSION), NULL_POINTER);
	IS(jvmtiProf_Create(the_vm, jvmti, NULL, JVMTIPROF_VERSION),
	   NULL_POINTER);
	IS(jvmtiProf_Create(the_vm, jvmti, &e, (jvmtiProfVersion)0x20000),
	   UNSUPPORTED_VERSION);
	IS(jvmtiProf_GetEnv(jvmti, &e), INVALID_ENVIRONMENT);
	if (e)
		BAD("set on failure");
	IS(jvmtiProf_Create(the_vm, jvmti, &disposed, JVMTIPROF_VERSION_1),
	   NONE);
	IS(jvmtiProf_GetEnv(jvmti, &e), NONE);
	if (e != disposed)
		BAD("another environment");
	IS(jvmtiProf_GetEnv(NULL, &e), NULL_POINTER);
	IS(jvmtiProf_GetEnv(jvmti, NULL), NULL_POINTER);
	IS((*disposed)->DisposeEnvironment(disposed), NONE);
	IS((*disposed)->DisposeEnvironment(disposed), INVALID_ENVIRONMENT);
	IS((*disposed)->DisposeEnvironment(NULL), NULL_POINTER);
	IS(jvmtiProf_GetEnv(jvmti, &e), INVALID_ENVIRONMENT);
}

static void try_general(jvmtiProfEnv *e)
{
	jvmtiEnv *user = NULL;
	char *name = NULL;
	jint version = 0;

	IS((*e)->GetJvmtiEnv(e, &user), NONE);
	if (user != jvmti)
		BAD("another environment of JVMTI");
	IS((*e)->GetJvmtiEnv(e, NULL), NULL_POINTER);
	IS((*e)->GetJvmtiEnv(disposed, &user), INVALID_ENVIRONMENT);
	IS((*e)->GetVersionNumber(e, &version), NONE);
	if (version != JVMTIPROF_VERSION)
		BAD("version %x", (unsigned)version);
	IS((*e)->GetVersionNumber(e, NULL), NULL_POINTER);
	IS((*e)->GetErrorName(e, JVMTIPROF_ERROR_WRONG_PHASE, &name), NONE);
	if (!name || strcmp(name, "JVMTIPROF_ERROR_WRONG_PHASE"))
		BAD("name %s", name ? name : "none");
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	IS((*e)->GetErrorName(e, JVMTIPROF_ERROR_INTERNAL, NULL), NULL_POINTER);
	IS((*e)->GetErrorName(e, (jvmtiProfError)7, &name), ILLEGAL_ARGUMENT);
	IS((*e)->SetVerboseFlag(e, JVMTIPROF_VERBOSE_METHODS, JNI_TRUE), NONE);
	IS((*e)->SetVerboseFlag(e, (jvmtiProfVerboseFlag)64, JNI_TRUE),
	   ILLEGAL_ARGUMENT);
}

/* Nothing may be done without the capability. */
static void try_without(jvmtiProfEnv *e)
{
	jvmtiProfFrameInfo frame;
	jint n = -7;

	IS((*e)->SetMethodEventFlag(e, "A", "b", NULL,
				    JVMTIPROF_METHOD_EVENT_ENTRY, JNI_TRUE, &n),
	   MUST_POSSESS_CAPABILITY);
	IS((*e)->SetExecutionSamplingInterval(e, 1), MUST_POSSESS_CAPABILITY);
	IS((*e)->GetStackTraceAsync(e, 1, 1, &frame, &n),
	   MUST_POSSESS_CAPABILITY);
	IS((*e)->SetEventNotificationMode(
		   e, JVMTI_ENABLE, JVMTIPROF_EVENT_SAMPLE_EXECUTION, NULL),
	   MUST_POSSESS_CAPABILITY);
	IS((*e)->SetEventNotificationMode(
		   e, JVMTI_ENABLE, JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT, NULL),
	   MUST_POSSESS_CAPABILITY);
	if (n != -7)
		BAD("set on failure");
}

static void try_capabilities(jvmtiProfEnv *e)
{
	jvmtiProfCapabilities c;

	IS((*e)->GetPotentialCapabilities(e, NULL), NULL_POINTER);
	IS((*e)->GetPotentialCapabilities(e, &c), NONE);
	if (memcmp(&c, &all, sizeof c) != 0)
		BAD("potential capabilities");
	IS((*e)->GetCapabilities(e, NULL), NULL_POINTER);
	IS((*e)->GetCapabilities(e, &c), NONE);
	if (c.can_intercept_methods || c.can_get_stack_trace_asynchronously)
		BAD("capabilities at first");
	IS((*e)->AddCapabilities(e, NULL), NULL_POINTER);
	IS((*e)->AddCapabilities(e, &all), NONE);
	IS((*e)->RelinquishCapabilities(e, NULL), NULL_POINTER);
	IS((*e)->RelinquishCapabilities(e, &all), NONE);
	try_without(e);
	IS((*e)->AddCapabilities(e, &all), NONE);
	IS((*e)->GetCapabilities(e, &c), NONE);
	if (memcmp(&c, &all, sizeof c) != 0)
		BAD("capabilities");
}

static void try_events(jvmtiProfEnv *e)
{
	struct {
		jvmtiProfEventCallbacks known;
		void *more;
	} larger = { callbacks, NULL };

	IS((*e)->SetEventCallbacks(e, &larger.known, (jint)sizeof larger),
	   ILLEGAL_ARGUMENT);
	IS((*e)->SetEventCallbacks(e, &callbacks, -1), ILLEGAL_ARGUMENT);
	IS((*e)->SetEventCallbacks(e, NULL, 0), NONE);
	IS((*e)->SetEventCallbacks(e, &callbacks, (jint)sizeof(void *)), NONE);
	IS((*e)->SetEventCallbacks(e, &callbacks, (jint)sizeof callbacks),
	   NONE);
	IS((*e)->SetEventNotificationMode(e, (jvmtiEventMode)5,
					  JVMTIPROF_EVENT_SAMPLE_EXECUTION,
					  NULL),
	   ILLEGAL_ARGUMENT);
	IS((*e)->SetEventNotificationMode(e, JVMTI_ENABLE, (jvmtiProfEvent)99,
					  NULL),
	   ILLEGAL_ARGUMENT);
	IS((*e)->SetEventNotificationMode(e, JVMTI_ENABLE,
					  JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY,
					  (jthread)&larger),
	   ILLEGAL_ARGUMENT);
	IS((*e)->SetExecutionSamplingInterval(e, -1), ILLEGAL_ARGUMENT);
}

static void try_hooks(jvmtiProfEnv *e)
{
	jint n = -1, again = -2;

	IS((*e)->SetMethodEventFlag(e, NULL, "m", NULL,
				    JVMTIPROF_METHOD_EVENT_EXIT, JNI_TRUE, &n),
	   NULL_POINTER);
	IS((*e)->SetMethodEventFlag(e, "A", NULL, NULL,
				    JVMTIPROF_METHOD_EVENT_EXIT, JNI_TRUE, &n),
	   NULL_POINTER);
	IS((*e)->SetMethodEventFlag(e, "A", "m", NULL,
				    (jvmtiProfMethodEventFlag)4, JNI_TRUE, &n),
	   ILLEGAL_ARGUMENT);
	IS((*e)->SetMethodEventFlag(e, "A", "m", NULL,
				    (jvmtiProfMethodEventFlag)0, JNI_TRUE, &n),
	   ILLEGAL_ARGUMENT);
	IS((*e)->SetMethodEventFlag(e, "No", "hook", NULL,
				    JVMTIPROF_METHOD_EVENT_EXIT, JNI_FALSE, &n),
	   ILLEGAL_ARGUMENT);
	if (n != -1)
		BAD("set on failure");
	IS((*e)->SetMethodEventFlag(e, "Hooked", "early", "(I)I",
				    JVMTIPROF_METHOD_EVENT_ENTRY, JNI_TRUE, &n),
	   NONE);
	IS((*e)->SetMethodEventFlag(e, "Hooked", "early", "(I)I",
				    JVMTIPROF_METHOD_EVENT_EXIT, JNI_TRUE,
				    &again),
	   NONE);
	if (n != again)
		BAD("two ids of one hook");
	early_hook = n;
	IS((*e)->SetMethodEventFlag(e, "Hooked", "never", "()V",
				    JVMTIPROF_METHOD_EVENT_EXIT, JNI_TRUE,
				    NULL),
	   NONE);
}

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
	the_vm = vm;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11))
		return 1;
	prepare_jvmti();
	try_create();
	for (int i = 0; i < ENVS; i++)
		IS(jvmtiProf_Create(vm, jvmti, &envs[i], JVMTIPROF_VERSION),
		   NONE);
	try_general(envs[0]);
	try_capabilities(envs[0]);
	try_events(envs[0]);
	try_hooks(envs[0]);
	IS((*envs[1])->AddCapabilities(envs[1], &all), NONE);
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
	jvmtiProfEnv *e = envs[env];
	const char *c = (*jni)->GetStringUTFChars(jni, class_name, NULL);
	const char *m = (*jni)->GetStringUTFChars(jni, method, NULL);
	const char *s =
		signature ? (*jni)->GetStringUTFChars(jni, signature, NULL)
			  : NULL;
	jint hook = -1;

	(void)class;
	IS((*e)->SetMethodEventFlag(e, c, m, s, (jvmtiProfMethodEventFlag)flags,
				    on, &hook),
	   NONE);
	(*jni)->ReleaseStringUTFChars(jni, class_name, c);
	(*jni)->ReleaseStringUTFChars(jni, method, m);
	if (s)
		(*jni)->ReleaseStringUTFChars(jni, signature, s);
	return hook;
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

/* What differs while the JVM runs; called by a thread of it. */
JNIEXPORT void JNICALL Java_Hooked_tryErrors(JNIEnv *jni, jclass class)
{
	jvmtiProfEnv *e = envs[0], *none;
	jvmtiProfFrameInfo frames[2];
	jint n = 0;

	(void)jni;
	(void)class;
	IS(jvmtiProf_Create(the_vm, jvmti, &none, JVMTIPROF_VERSION),
	   WRONG_PHASE);
	IS((*e)->GetStackTraceAsync(e, 2, 1, frames, &n), ILLEGAL_ARGUMENT);
	IS((*e)->GetStackTraceAsync(e, -1, -1, frames, &n), ILLEGAL_ARGUMENT);
	IS((*e)->GetStackTraceAsync(e, 1, 1, NULL, &n), NULL_POINTER);
	IS((*e)->GetStackTraceAsync(e, 1, 1, frames, NULL), NULL_POINTER);
	IS((*e)->GetStackTraceAsync(e, 0, 0, frames, &n), NONE);
	if (n != 0)
		BAD("%d frames", (int)n);
	IS((*e)->GetStackTraceAsync(e, 2, 2, frames, &n), NONE);
	if (n != 2)
		BAD("%d frames", (int)n);
	if (frames[0].offset != -1 || frames[1].offset < 0)
		BAD("offsets %d, %d", (int)frames[0].offset,
		    (int)frames[1].offset);
}

/* Ends both environments. */
JNIEXPORT void JNICALL Java_Hooked_dispose(JNIEnv *jni, jclass class)
{
	(void)jni;
	(void)class;
	for (int i = 0; i < ENVS; i++)
		IS((*envs[i])->DisposeEnvironment(envs[i]), NONE);
}
