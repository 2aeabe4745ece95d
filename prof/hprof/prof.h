/* SPDX-License-Identifier: MIT */
/*
 * hprof/prof.h - events that JVMTI lacks, for agents written in C or C++: calls
 * of chosen methods, samples of what uses the CPU, stacks from signal handlers,
 * and the life of objects, from allocation to release. The names of the first
 * three are those of JVMTIPROF, an extension of JVMTI; the last follows JVMPI.
 * hprof_prof(3) describes each of them.
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
	JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT = 3,
	JVMTIPROF_EVENT_OBJECT_ALLOC = 4,
	JVMTIPROF_EVENT_OBJECT_FREE = 5,
	JVMTIPROF_EVENT_COLLECTION_START = 6,
	JVMTIPROF_EVENT_COLLECTION_FINISH = 7,
	JVMTIPROF_EVENT_CLASS_LOAD = 8,
	JVMTIPROF_EVENT_CLASS_UNLOAD = 9,
	JVMTIPROF_EVENT_REFERENCE = 10,
	JVMTIPROF_EVENT_MONITOR = 11
} jvmtiProfEvent;

typedef struct {
	unsigned int can_intercept_methods : 1;
	unsigned int can_generate_sample_execution_events : 1;
	unsigned int can_get_stack_trace_asynchronously : 1;
	unsigned int can_generate_object_events : 1;
	unsigned int can_generate_collection_events : 1;
	unsigned int can_generate_class_events : 1;
	unsigned int can_generate_reference_events : 1;
	unsigned int can_generate_monitor_events : 1;
	unsigned int : 24;
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

/*
 * An object that was allocated, and is followed until it is released. What is
 * pointed to is valid during the callback.
 */
typedef struct {
	jlong id;	/* of this object alone, from 1 */
	jint site;	/* class and stack; see GetAllocationSites */
	jobject object; /* local references */
	jclass object_class;
	jlong size;		      /* bytes */
	jdouble weight;		      /* how many such objects it stands for */
	jint frame_count;	      /* at most the depth that was asked for */
	const jvmtiFrameInfo *frames; /* innermost first */
} jvmtiProfObject;

/* In the thread that allocates. */
typedef void(JNICALL *jvmtiProfEventObjectAlloc)(jvmtiProfEnv *prof_env,
						 jvmtiEnv *jvmti_env,
						 JNIEnv *jni_env,
						 jthread thread,
						 const jvmtiProfObject *object);

typedef struct {
	jlong id;
	jint site;
	jint age; /* collections that it lived through */
	jlong size;
	jdouble weight;
} jvmtiProfRelease;

/* After a collection, in any thread: as ObjectFree of JVMTI, without JNI. */
typedef void(JNICALL *jvmtiProfEventObjectFree)(
	jvmtiProfEnv *prof_env, jvmtiEnv *jvmti_env,
	const jvmtiProfRelease *release);

/* In a pause: as GarbageCollectionStart of JVMTI, without JNI. */
typedef void(JNICALL *jvmtiProfEventCollectionStart)(jvmtiProfEnv *prof_env,
						     jvmtiEnv *jvmti_env,
						     jlong number);

/* Figures that are not known are -1. Bytes are of the Java heap. */
typedef struct {
	jlong number; /* of this collection, from 1 */
	jint count;   /* with those before it that had no event of their own */
	jlong used_before, used_after; /* bytes */
	jlong total_after; /* bytes that the heap has, used or not */
	jdouble objects_before, objects_after; /* of those that are followed */
	jlong duration;			       /* nanoseconds */
} jvmtiProfCollection;

/* Soon after the collection, in a thread of this library. */
typedef void(JNICALL *jvmtiProfEventCollectionFinish)(
	jvmtiProfEnv *prof_env, jvmtiEnv *jvmti_env, JNIEnv *jni_env,
	const jvmtiProfCollection *collection);

/* A field or a method. */
typedef struct {
	void *id; /* jfieldID or jmethodID */
	const char *name, *signature;
	jint modifiers;
	jint first_line, last_line; /* of a method; 0: not known */
} jvmtiProfMember;

/* What is pointed to is valid during the callback. */
typedef struct {
	jlong id;	     /* of this class alone, from 1 */
	jclass class_object; /* NULL when it is unloaded */
	const char *signature;
	const char *source; /* file; NULL: not known */
	jint interface_count, field_count, method_count; /* its own */
	const jvmtiProfMember *fields, *methods;
} jvmtiProfClass;

/* In the thread that prepared the class. */
typedef void(JNICALL *jvmtiProfEventClassLoad)(jvmtiProfEnv *prof_env,
					       jvmtiEnv *jvmti_env,
					       JNIEnv *jni_env, jthread thread,
					       const jvmtiProfClass *loaded);

/* In any thread: as ObjectFree of JVMTI, without JNI. Id and signature. */
typedef void(JNICALL *jvmtiProfEventClassUnload)(
	jvmtiProfEnv *prof_env, jvmtiEnv *jvmti_env,
	const jvmtiProfClass *unloaded);

typedef enum {
	JVMTIPROF_REFERENCE_GLOBAL = 1,
	JVMTIPROF_REFERENCE_WEAK = 2
} jvmtiProfReferenceKind;

typedef struct {
	jvmtiProfReferenceKind kind;
	jboolean made;	   /* else it is about to be deleted */
	jobject reference; /* do not delete it */
	jint frame_count;
	const jvmtiFrameInfo *frames; /* innermost first */
} jvmtiProfReference;

/* In the thread that calls JNI; an exception may be pending. */
typedef void(JNICALL *jvmtiProfEventReference)(
	jvmtiProfEnv *prof_env, jvmtiEnv *jvmti_env, JNIEnv *jni_env,
	const jvmtiProfReference *reference);

typedef enum {
	JVMTIPROF_MONITOR_ENTER = 1,   /* another thread has it */
	JVMTIPROF_MONITOR_ENTERED = 2, /* after such a wait */
	JVMTIPROF_MONITOR_WAIT = 3,    /* Object.wait begins */
	JVMTIPROF_MONITOR_WAITED = 4
} jvmtiProfMonitorKind;

typedef struct {
	jvmtiProfMonitorKind kind;
	jobject monitor;    /* local reference */
	jlong timeout;	    /* of WAIT: milliseconds; 0: none; else 0 */
	jboolean timed_out; /* of WAITED */
	jlong waited; /* of ENTERED and WAITED: nanoseconds; -1: not known */
} jvmtiProfMonitor;

/* In the thread that waits. */
typedef void(JNICALL *jvmtiProfEventMonitor)(jvmtiProfEnv *prof_env,
					     jvmtiEnv *jvmti_env,
					     JNIEnv *jni_env, jthread thread,
					     const jvmtiProfMonitor *monitor);

typedef struct {
	jvmtiProfEventSampleExecution SampleExecution;
	jvmtiProfEventSpecificMethodEntry SpecificMethodEntry;
	jvmtiProfEventSpecificMethodExit SpecificMethodExit;
	jvmtiProfEventObjectAlloc ObjectAlloc;
	jvmtiProfEventObjectFree ObjectFree;
	jvmtiProfEventCollectionStart CollectionStart;
	jvmtiProfEventCollectionFinish CollectionFinish;
	jvmtiProfEventClassLoad ClassLoad;
	jvmtiProfEventClassUnload ClassUnload;
	jvmtiProfEventReference Reference;
	jvmtiProfEventMonitor Monitor;
} jvmtiProfEventCallbacks;

/* Rows of ages in jvmtiProfSite. */
enum { JVMTIPROF_AGES = 16 };

/* Objects of one class that were allocated at one stack. */
typedef struct {
	const char *signature; /* of the class */
	jint frame_count;
	const jvmtiFrameInfo *frames; /* innermost first */
	/* Since the event was first enabled; estimated unless each is told. */
	jdouble objects, bytes;
	/* [i]: of them, those that lived through 2^i collections or more. */
	jdouble survived[JVMTIPROF_AGES];
	jdouble live_objects, live_bytes; /* that are not known to be gone */
} jvmtiProfSite;

/* A pool of the JVM's memory. Bytes that are not known are -1. */
typedef struct {
	const char *name;
	jboolean is_heap;
	jlong used, committed, max;
	jlong used_after_collection; /* after the last one that it had part in */
} jvmtiProfMemoryPool;

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
	jvmtiProfError(JNICALL *SetAllocationSampling)(jvmtiProfEnv *env,
						       jint interval,
						       jint depth);
	jvmtiProfError(JNICALL *GetAllocationSites)(jvmtiProfEnv *env,
						    jint *count_ptr,
						    jvmtiProfSite **sites_ptr);
	jvmtiProfError(JNICALL *GetMemoryPools)(
		jvmtiProfEnv *env, jint *count_ptr,
		jvmtiProfMemoryPool **pools_ptr);
	jvmtiProfError(JNICALL *SetReferenceDepth)(jvmtiProfEnv *env,
						   jint depth);
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
	jvmtiProfError SetAllocationSampling(jint interval, jint depth)
	{
		return functions->SetAllocationSampling(this, interval, depth);
	}
	jvmtiProfError GetAllocationSites(jint *count_ptr,
					  jvmtiProfSite **sites_ptr)
	{
		return functions->GetAllocationSites(this, count_ptr,
						     sites_ptr);
	}
	jvmtiProfError GetMemoryPools(jint *count_ptr,
				      jvmtiProfMemoryPool **pools_ptr)
	{
		return functions->GetMemoryPools(this, count_ptr, pools_ptr);
	}
	jvmtiProfError SetReferenceDepth(jint depth)
	{
		return functions->SetReferenceDepth(this, depth);
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
