/* SPDX-License-Identifier: MIT */
/*
 * environment.h - the environments of this process, and the JVM they are in.
 *
 * An environment is never freed, since a thread may still be in a callback that
 * uses it: disposing of it only ends its life. What callbacks look at is atomic;
 * the rest belongs to the thread that changes it, under pf_lock.
 */
#ifndef PF_ENVIRONMENT_H
#define PF_ENVIRONMENT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "prof/hprof/prof.h"

struct pf_env {
	jvmtiProfEnv functions; /* comes first: what the user points to */
	jvmtiEnv *user;		/* the JVMTI environment beside it */
	struct pf_env *next;	/* older; constant */
	atomic_bool alive;
	atomic_uint verbose;	  /* JVMTIPROF_VERBOSE_... */
	atomic_uint capabilities; /* PF_CAN_... */
	atomic_uint enabled;	  /* events: 1 << JVMTIPROF_EVENT_... */
	_Atomic jlong interval;	  /* of samples, in nanoseconds */
	_Atomic jvmtiProfEventSampleExecution sample;
	_Atomic jvmtiProfEventSpecificMethodEntry entry;
	_Atomic jvmtiProfEventSpecificMethodExit exit;
	_Atomic jvmtiProfEventObjectAlloc object_alloc;
	_Atomic jvmtiProfEventObjectFree object_free;
	_Atomic jvmtiProfEventCollectionStart collection_start;
	_Atomic jvmtiProfEventCollectionFinish collection_finish;
	_Atomic jvmtiProfEventClassLoad class_load;
	_Atomic jvmtiProfEventClassUnload class_unload;
	_Atomic jvmtiProfEventReference reference;
	_Atomic jvmtiProfEventMonitor monitor;
	_Atomic jint allocation_interval, allocation_depth;
	_Atomic jint reference_depth;
};

enum {
	PF_CAN_INTERCEPT = 1,
	PF_CAN_SAMPLE = 2,
	PF_CAN_STACK = 4,
	PF_CAN_OBJECTS = 8,
	PF_CAN_COLLECTIONS = 16,
	PF_CAN_CLASSES = 32,
	PF_CAN_REFERENCES = 64,
	PF_CAN_MONITORS = 128
};

enum { PF_DEFAULT_INTERVAL = 10000000, PF_LEAST_INTERVAL = 100000 };
enum { PF_DEFAULT_ALLOCATION_INTERVAL = 512 << 10 };

/* The newest one; all others by next. Safe in a handler. */
struct pf_env *pf_env_first(void);

/* Adds one; NULL if out of memory. */
struct pf_env *pf_env_new(const struct jvmtiProfInterface_ *functions,
			  jvmtiEnv *user);

/* The environment, if it is one and is alive; else NULL. */
struct pf_env *pf_env_of(jvmtiProfEnv *env);

/* Is an event of this environment to be sent? Safe in a handler. */
static inline bool pf_env_sends(const struct pf_env *e, jvmtiProfEvent event)
{
	return atomic_load_explicit(&e->enabled, memory_order_acquire) >>
		       event &
	       1;
}

/* Does any environment want one of the events in BITS, each 1 << event? */
bool pf_env_any_sends(unsigned bits);

/*
 * Serializes what changes environments and hooks. A thread may take it again
 * that has it: to change a class, the JVM may run Java, and that a callback.
 */
void pf_lock(void);
void pf_unlock(void);

/* ---- the JVM --------------------------------------------------------------- */

/*
 * The library's own JVMTI environment for VM; NULL if there is none. It is made
 * once; later calls ignore VM.
 */
jvmtiEnv *pf_jvmti_make(JavaVM *vm);
jvmtiEnv *pf_jvmti(void); /* NULL: not made yet */
JavaVM *pf_vm(void);

/* That of the calling thread; NULL if it is not the JVM's. */
JNIEnv *pf_jni(void);

jvmtiPhase pf_phase(void);

/* A line on standard error, if E wants such ones. */
void pf_tell(const struct pf_env *e, jvmtiProfVerboseFlag flag,
	     const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
