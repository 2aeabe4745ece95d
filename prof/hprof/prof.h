/* SPDX-License-Identifier: MIT */
/*
 * hprof/prof.h - events that JVMTI lacks, for agents written in C or C++: calls
 * of chosen methods, samples of what uses the CPU, and stacks from signal
 * handlers. The functions, capabilities, events and errors are those of
 * JVMTIPROF, an extension of JVMTI. hprof_prof(3) describes each of them.
 *
 * Everything here needs a JVM: this header includes the JDK's jvmti.h, and the
 * library, libhprof-prof, is loaded by an agent that is linked with it.
 */
#ifndef HPROF_PROF_H
#define HPROF_PROF_H

#include <jvmti.h>

#ifdef __cplusplus
extern "C" {
#endif

struct jvmtiProfEnv_;
struct jvmtiProfInterface_;

#ifdef __cplusplus
typedef jvmtiProfEnv_ jvmtiProfEnv;
#else
typedef const struct jvmtiProfInterface_ *jvmtiProfEnv;
#endif

/* What jvmtiProf_Create is asked for; GetVersionNumber says what there is. */
typedef enum {
	JVMTIPROF_VERSION_1 = 0x00010000,
	JVMTIPROF_VERSION_1_0 = 0x00010000,
	JVMTIPROF_VERSION = JVMTIPROF_VERSION_1_0
} jvmtiProfVersion;

/* The numbers are those of the errors of JVMTI that have the same names. */
typedef enum {
	JVMTIPROF_ERROR_NONE = 0,
	JVMTIPROF_ERROR_INVALID_THREAD = 10,
	JVMTIPROF_ERROR_THREAD_NOT_ALIVE = 15,
	JVMTIPROF_ERROR_UNSUPPORTED_VERSION = 68,
	JVMTIPROF_ERROR_NOT_AVAILABLE = 98,
	JVMTIPROF_ERROR_MUST_POSSESS_CAPABILITY = 99,
	JVMTIPROF_ERROR_NULL_POINTER = 100,
	JVMTIPROF_ERROR_ILLEGAL_ARGUMENT = 103,
	JVMTIPROF_ERROR_OUT_OF_MEMORY = 110,
	JVMTIPROF_ERROR_WRONG_PHASE = 112,
	JVMTIPROF_ERROR_INTERNAL = 113,
	JVMTIPROF_ERROR_UNATTACHED_THREAD = 115,
	JVMTIPROF_ERROR_INVALID_ENVIRONMENT = 116,
	JVMTIPROF_ERROR_MAX = 116
} jvmtiProfError;

/* What an environment tells on standard error, a line each. */
typedef enum {
	JVMTIPROF_VERBOSE_METHODS = 1, /* classes that hooks change */
	JVMTIPROF_VERBOSE_SAMPLES = 2  /* timers, and why there are none */
} jvmtiProfVerboseFlag;

/* They may be added up. */
typedef enum {
	JVMTIPROF_METHOD_EVENT_ENTRY = 1,
	JVMTIPROF_METHOD_EVENT_EXIT = 2
} jvmtiProfMethodEventFlag;

typedef enum {
	JVMTIPROF_EVENT_SAMPLE_EXECUTION = 1,
	JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY = 2,
	JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT = 3
} jvmtiProfEvent;

typedef struct {
	unsigned int can_intercept_methods : 1;
	unsigned int can_generate_sample_execution_events : 1;
	unsigned int can_get_stack_trace_asynchronously : 1;
	unsigned int : 29;
	unsigned int : 32;
	unsigned int : 32;
	unsigned int : 32;
} jvmtiProfCapabilities;

/* A frame; offset may also be one of the two that follow. */
typedef struct {
	jint offset; /* an index of bytecode */
	jmethodID method;
} jvmtiProfFrameInfo;

enum { JVMTIPROF_OFFSET_NATIVE = -1, JVMTIPROF_OFFSET_UNKNOWN = -2 };

/*
 * In a signal handler, in the thread that used the CPU: what is called here
 * must be safe there. Of this library and the JVM only GetStackTraceAsync is.
 */
typedef void(JNICALL *jvmtiProfEventSampleExecution)(jvmtiProfEnv *prof_env,
						     jvmtiEnv *jvmti_env,
						     JNIEnv *jni_env,
						     jthread thread);

/* In the thread that calls the method. No exception may be left pending. */
typedef void(JNICALL *jvmtiProfEventSpecificMethodEntry)(jvmtiProfEnv *prof_env,
							 jvmtiEnv *jvmti_env,
							 JNIEnv *jni_env,
							 jthread thread,
							 jint hook_id);
typedef void(JNICALL *jvmtiProfEventSpecificMethodExit)(jvmtiProfEnv *prof_env,
							jvmtiEnv *jvmti_env,
							JNIEnv *jni_env,
							jthread thread,
							jint hook_id);

typedef struct {
	jvmtiProfEventSampleExecution SampleExecution;
	jvmtiProfEventSpecificMethodEntry SpecificMethodEntry;
	jvmtiProfEventSpecificMethodExit SpecificMethodExit;
} jvmtiProfEventCallbacks;

struct jvmtiProfInterface_ {
	jvmtiProfError(JNICALL *DisposeEnvironment)(jvmtiProfEnv *env);
	jvmtiProfError(JNICALL *GetJvmtiEnv)(jvmtiProfEnv *env,
					     jvmtiEnv **jvmti_env_ptr);
	jvmtiProfError(JNICALL *GetVersionNumber)(jvmtiProfEnv *env,
						  jint *version_ptr);
	jvmtiProfError(JNICALL *GetErrorName)(jvmtiProfEnv *env,
					      jvmtiProfError error,
					      char **name_ptr);
	jvmtiProfError(JNICALL *SetVerboseFlag)(jvmtiProfEnv *env,
						jvmtiProfVerboseFlag flag,
						jboolean value);
	jvmtiProfError(JNICALL *SetEventNotificationMode)(
		jvmtiProfEnv *env, jvmtiEventMode mode,
		jvmtiProfEvent event_type, jthread event_thread, ...);
	jvmtiProfError(JNICALL *SetEventCallbacks)(
		jvmtiProfEnv *env, const jvmtiProfEventCallbacks *callbacks,
		jint size_of_callbacks);
	jvmtiProfError(JNICALL *GetPotentialCapabilities)(
		jvmtiProfEnv *env, jvmtiProfCapabilities *capabilities_ptr);
	jvmtiProfError(JNICALL *AddCapabilities)(
		jvmtiProfEnv *env,
		const jvmtiProfCapabilities *capabilities_ptr);
	jvmtiProfError(JNICALL *RelinquishCapabilities)(
		jvmtiProfEnv *env,
		const jvmtiProfCapabilities *capabilities_ptr);
	jvmtiProfError(JNICALL *GetCapabilities)(
		jvmtiProfEnv *env, jvmtiProfCapabilities *capabilities_ptr);
	jvmtiProfError(JNICALL *SetExecutionSamplingInterval)(
		jvmtiProfEnv *env, jlong nanos_interval);
	jvmtiProfError(JNICALL *GetStackTraceAsync)(
		jvmtiProfEnv *env, jint depth, jint max_frame_count,
		jvmtiProfFrameInfo *frame_buffer, jint *count_ptr);
	jvmtiProfError(JNICALL *SetMethodEventFlag)(
		jvmtiProfEnv *env, const char *class_name,
		const char *method_name, const char *method_signature,
		jvmtiProfMethodEventFlag flags, jboolean enable,
		jint *hook_id_ptr);
};

struct jvmtiProfEnv_ {
	const struct jvmtiProfInterface_ *functions;
#ifdef __cplusplus
	jvmtiProfError DisposeEnvironment()
	{
		return functions->DisposeEnvironment(this);
	}
	jvmtiProfError GetJvmtiEnv(jvmtiEnv **jvmti_env_ptr)
	{
		return functions->GetJvmtiEnv(this, jvmti_env_ptr);
	}
	jvmtiProfError GetVersionNumber(jint *version_ptr)
	{
		return functions->GetVersionNumber(this, version_ptr);
	}
	jvmtiProfError GetErrorName(jvmtiProfError error, char **name_ptr)
	{
		return functions->GetErrorName(this, error, name_ptr);
	}
	jvmtiProfError SetVerboseFlag(jvmtiProfVerboseFlag flag, jboolean value)
	{
		return functions->SetVerboseFlag(this, flag, value);
	}
	jvmtiProfError SetEventNotificationMode(jvmtiEventMode mode,
						jvmtiProfEvent event_type,
						jthread event_thread)
	{
		return functions->SetEventNotificationMode(
			this, mode, event_type, event_thread);
	}
	jvmtiProfError
	SetEventCallbacks(const jvmtiProfEventCallbacks *callbacks,
			  jint size_of_callbacks)
	{
		return functions->SetEventCallbacks(this, callbacks,
						    size_of_callbacks);
	}
	jvmtiProfError GetPotentialCapabilities(jvmtiProfCapabilities *ptr)
	{
		return functions->GetPotentialCapabilities(this, ptr);
	}
	jvmtiProfError AddCapabilities(const jvmtiProfCapabilities *ptr)
	{
		return functions->AddCapabilities(this, ptr);
	}
	jvmtiProfError RelinquishCapabilities(const jvmtiProfCapabilities *ptr)
	{
		return functions->RelinquishCapabilities(this, ptr);
	}
	jvmtiProfError GetCapabilities(jvmtiProfCapabilities *ptr)
	{
		return functions->GetCapabilities(this, ptr);
	}
	jvmtiProfError SetExecutionSamplingInterval(jlong nanos_interval)
	{
		return functions->SetExecutionSamplingInterval(this,
							       nanos_interval);
	}
	jvmtiProfError GetStackTraceAsync(jint depth, jint max_frame_count,
					  jvmtiProfFrameInfo *frame_buffer,
					  jint *count_ptr)
	{
		return functions->GetStackTraceAsync(
			this, depth, max_frame_count, frame_buffer, count_ptr);
	}
	jvmtiProfError SetMethodEventFlag(const char *class_name,
					  const char *method_name,
					  const char *method_signature,
					  jvmtiProfMethodEventFlag flags,
					  jboolean enable, jint *hook_id_ptr)
	{
		return functions->SetMethodEventFlag(
			this, class_name, method_name, method_signature, flags,
			enable, hook_id_ptr);
	}
#endif
};

/*
 * A new environment beside JVMTI_ENV, while the agent is loaded (Agent_OnLoad).
 * Each has its own hooks, events and capabilities.
 */
JNIEXPORT jvmtiProfError JNICALL jvmtiProf_Create(JavaVM *vm,
						  jvmtiEnv *jvmti_env,
						  jvmtiProfEnv **prof_env_ptr,
						  jvmtiProfVersion version);

/* The last environment that was created beside JVMTI_ENV and is not disposed. */
JNIEXPORT jvmtiProfError JNICALL jvmtiProf_GetEnv(jvmtiEnv *jvmti_env,
						  jvmtiProfEnv **prof_env_ptr);

#ifdef __cplusplus
}
#endif

#endif
