/* SPDX-License-Identifier: MIT */
/* prof_errors.c - see prof_errors.h. */
#include "prof_errors.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

static jvmtiProfEnv *disposed;

const jvmtiProfCapabilities all_capabilities = {
	.can_intercept_methods = 1,
	.can_generate_sample_execution_events = 1,
	.can_get_stack_trace_asynchronously = 1,
};

void try_create(JavaVM *vm, jvmtiEnv *jvmti)
{
	jvmtiProfEnv *e = NULL;

	IS(jvmtiProf_Create(NULL, jvmti, &e, JVMTIPROF_VERSION), NULL_POINTER);
	IS(jvmtiProf_Create(vm, NULL, &e, JVMTIPROF_VERSION), NULL_POINTER);
	IS(jvmtiProf_Create(vm, jvmti, NULL, JVMTIPROF_VERSION), NULL_POINTER);
	IS(jvmtiProf_Create(vm, jvmti, &e, (jvmtiProfVersion)0x20000),
	   UNSUPPORTED_VERSION);
	IS(jvmtiProf_GetEnv(jvmti, &e), INVALID_ENVIRONMENT);
	if (e)
		BAD("set on failure");
	IS(jvmtiProf_Create(vm, jvmti, &disposed, JVMTIPROF_VERSION_1), NONE);
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

/* By their numbers, which are JVMTI's. */
static void try_names(jvmtiProfEnv *e, jvmtiEnv *jvmti)
{
	static const struct {
		int error;
		const char *name;
	} known[] = {
		{ 0, "NONE" },
		{ 10, "INVALID_THREAD" },
		{ 15, "THREAD_NOT_ALIVE" },
		{ 68, "UNSUPPORTED_VERSION" },
		{ 98, "NOT_AVAILABLE" },
		{ 99, "MUST_POSSESS_CAPABILITY" },
		{ 100, "NULL_POINTER" },
		{ 103, "ILLEGAL_ARGUMENT" },
		{ 110, "OUT_OF_MEMORY" },
		{ 112, "WRONG_PHASE" },
		{ 113, "INTERNAL" },
		{ 115, "UNATTACHED_THREAD" },
		{ 116, "INVALID_ENVIRONMENT" },
	};
	static const char prefix[] = "JVMTIPROF_ERROR_";

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		char *name = NULL;

		IS((*e)->GetErrorName(e, (jvmtiProfError)known[i].error, &name),
		   NONE);
		if (!name || strncmp(name, prefix, sizeof prefix - 1) ||
		    strcmp(name + sizeof prefix - 1, known[i].name))
			BAD("error %d is %s", known[i].error,
			    name ? name : "none");
		(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	}
}

static void try_general(jvmtiProfEnv *e, jvmtiEnv *jvmti)
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
	try_names(e, jvmti);
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
	if (!c.can_intercept_methods ||
	    !c.can_generate_sample_execution_events ||
	    !c.can_get_stack_trace_asynchronously)
		BAD("potential capabilities");
	IS((*e)->GetCapabilities(e, NULL), NULL_POINTER);
	IS((*e)->GetCapabilities(e, &c), NONE);
	if (c.can_intercept_methods || c.can_get_stack_trace_asynchronously)
		BAD("capabilities at first");
	IS((*e)->AddCapabilities(e, NULL), NULL_POINTER);
	IS((*e)->AddCapabilities(e, &all_capabilities), NONE);
	IS((*e)->RelinquishCapabilities(e, NULL), NULL_POINTER);
	IS((*e)->RelinquishCapabilities(e, &all_capabilities), NONE);
	try_without(e);
	IS((*e)->AddCapabilities(e, &all_capabilities), NONE);
	IS((*e)->GetCapabilities(e, &c), NONE);
	if (memcmp(&c, &all_capabilities, sizeof c) != 0)
		BAD("capabilities");
}

static void try_events(jvmtiProfEnv *e)
{
	const jvmtiProfEventCallbacks callbacks = { 0 };
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
	jint n = -1;

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
}

jint hook_early(jvmtiProfEnv *e)
{
	jint n = -1, again = -2;

	IS((*e)->SetMethodEventFlag(e, "Hooked", "early", "(I)I",
				    JVMTIPROF_METHOD_EVENT_ENTRY, JNI_TRUE, &n),
	   NONE);
	IS((*e)->SetMethodEventFlag(e, "Hooked", "early", "(I)I",
				    JVMTIPROF_METHOD_EVENT_EXIT, JNI_TRUE,
				    &again),
	   NONE);
	if (n != again)
		BAD("two ids of one hook");
	IS((*e)->SetMethodEventFlag(e, "Hooked", "never", "()V",
				    JVMTIPROF_METHOD_EVENT_EXIT, JNI_TRUE,
				    NULL),
	   NONE);
	return n;
}

static void try_too_early(jvmtiProfEnv *e)
{
	jvmtiProfFrameInfo frame;
	jint count = -7;

	IS((*e)->GetStackTraceAsync(e, 1, 1, &frame, &count), WRONG_PHASE);
	if (count != -7)
		BAD("set on failure");
}

void try_all(jvmtiProfEnv *e, jvmtiEnv *jvmti)
{
	try_general(e, jvmti);
	try_capabilities(e);
	try_events(e);
	try_hooks(e);
	try_too_early(e);
}

/* ---- the live phase -------------------------------------------------------- */

static void handle_signal(int number)
{
	(void)number;
}

/* No samples for a program that handles the signal itself. */
static void try_signal(jvmtiProfEnv *e)
{
	const struct sigaction own = { .sa_handler = handle_signal };
	struct sigaction before;

	if (sigaction(SIGPROF, &own, &before))
		BAD("sigaction");
	IS((*e)->SetVerboseFlag(e, JVMTIPROF_VERBOSE_SAMPLES, JNI_TRUE), NONE);
	IS((*e)->SetEventNotificationMode(
		   e, JVMTI_ENABLE, JVMTIPROF_EVENT_SAMPLE_EXECUTION, NULL),
	   NOT_AVAILABLE);
	IS((*e)->SetVerboseFlag(e, JVMTIPROF_VERBOSE_SAMPLES, JNI_FALSE), NONE);
	if (sigaction(SIGPROF, &before, NULL))
		BAD("sigaction");
}

static void *outside(void *env)
{
	jvmtiProfEnv *e = env;
	jvmtiProfFrameInfo frame;
	jint n = -7;

	IS((*e)->GetStackTraceAsync(e, 1, 1, &frame, &n), UNATTACHED_THREAD);
	if (n != -7)
		BAD("set on failure");
	IS((*e)->SetMethodEventFlag(e, "Not", "loaded", NULL,
				    JVMTIPROF_METHOD_EVENT_ENTRY, JNI_TRUE, &n),
	   UNATTACHED_THREAD);
	if (n != -7)
		BAD("set on failure");
	return NULL;
}

void try_live(jvmtiProfEnv *e, JNIEnv *jni, jvmtiEnv *jvmti)
{
	jvmtiProfEnv *none;
	jvmtiProfFrameInfo frames[2];
	pthread_t thread;
	JavaVM *vm;
	jint n = 0;

	if ((*jni)->GetJavaVM(jni, &vm))
		BAD("no JVM");
	IS(jvmtiProf_Create(vm, jvmti, &none, JVMTIPROF_VERSION), WRONG_PHASE);
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
	if (frames[0].offset != JVMTIPROF_OFFSET_NATIVE || frames[1].offset < 0)
		BAD("offsets %d, %d", (int)frames[0].offset,
		    (int)frames[1].offset);
	try_signal(e);
	if (pthread_create(&thread, NULL, outside, (void *)e) ||
	    pthread_join(thread, NULL))
		BAD("no thread");
}
