/* SPDX-License-Identifier: MIT */
/*
 * park.c - see park.h.
 *
 * What a thread waits for is in its field parkBlocker. It counts if it is a
 * lock: a synchronizer of java.util.concurrent.locks, or StampedLock. Other
 * waits, for conditions, queues and results, are like Object.wait: no time that
 * is lost. A virtual thread that waits leaves its carrier and gets here only if
 * it cannot.
 */
#include "agent/monitor/park.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/common/clock.h"
#include "agent/common/environment.h"
#include "agent/monitor/monitor_trace.h"

typedef void JNICALL park_function(JNIEnv *jni, jobject unsafe,
				   jboolean absolute, jlong time);

enum { LOCK_CLASSES = 4 };

static struct {
	jvmtiEnv *jvmti;
	park_function *original;
	const struct ag_session *session;
	jfieldID blocker;
	jclass locks[LOCK_CLASSES]; /* global references; NULL: none left */
} the;

static _Atomic(struct ag_monitor_times *) times; /* NULL: it does not count */

/* ---- a wait -------------------------------------------------------------- */

static bool is_lock(JNIEnv *jni, jobject blocker)
{
	for (size_t i = 0; i < LOCK_CLASSES && the.locks[i]; i++)
		if ((*jni)->IsInstanceOf(jni, blocker, the.locks[i]))
			return true;
	return false;
}

/* What the current thread waits for: a local reference, or NULL. */
static jobject find_blocker(JNIEnv *jni)
{
	jthread thread;
	jobject blocker;

	if ((*the.jvmti)->GetCurrentThread(the.jvmti, &thread) || !thread)
		return NULL;
	blocker = (*jni)->GetObjectField(jni, thread, the.blocker);
	(*jni)->DeleteLocalRef(jni, thread);
	return blocker;
}

/* The number of its class if the current thread waits for a lock, or 0. */
static uint32_t find_lock(JNIEnv *jni)
{
	const jobject blocker = find_blocker(jni);
	uint32_t number = 0;

	if (!blocker)
		return 0;
	if (is_lock(jni, blocker)) {
		jclass class = (*jni)->GetObjectClass(jni, blocker);

		number = ag_class_list_number(the.session->classes, class);
		(*jni)->DeleteLocalRef(jni, class);
	}
	(*jni)->DeleteLocalRef(jni, blocker);
	return number;
}

static void JNICALL park(JNIEnv *jni, jobject unsafe, jboolean absolute,
			 jlong time)
{
	struct ag_monitor_times *to = atomic_load(&times);
	const uint32_t lock = to ? find_lock(jni) : 0;
	uint32_t trace = 0;
	uint64_t since = 0;

	if (lock) {
		trace = ag_monitor_trace(the.session, jni, NULL);
		since = ag_clock_ns();
	}
	the.original(jni, unsafe, absolute, time);
	if (lock)
		ag_monitor_times_add(to, trace, lock, ag_clock_ns() - since);
}

/* ---- wrapping ------------------------------------------------------------ */

static void release(jvmtiEnv *jvmti, char *text)
{
	(*jvmti)->Deallocate(jvmti, (unsigned char *)text);
}

/* Its signature and name are unlike those of any other native method. */
static bool is_park(jvmtiEnv *jvmti, jmethodID method)
{
	char *name, *signature;
	bool same;

	if ((*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL))
		return false;
	same = !strcmp(name, "park") && !strcmp(signature, "(ZJ)V");
	release(jvmti, name);
	release(jvmti, signature);
	return same;
}

static void JNICALL on_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			    jmethodID method, void *address, void **ret)
{
	void *ours;
	park_function *function = park;

	(void)jni;
	(void)thread;
	if (the.original || !is_park(jvmti, method))
		return;
	/* POSIX, unlike ISO C, has functions and objects of one size. */
	memcpy(&the.original, &address, sizeof address);
	memcpy(&ours, &function, sizeof ours);
	*ret = ours;
	(*jvmti)->SetEventNotificationMode(
		jvmti, JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
}

const char *ag_park_load(JavaVM *vm)
{
	jvmtiCapabilities want;
	jvmtiEventCallbacks callbacks;
	jvmtiEnv *jvmti;

	if (the.jvmti)
		return "another agent counts them";
	jvmti = ag_environment(vm);
	if (!jvmti)
		return "there is no tool interface";
	memset(&want, 0, sizeof want);
	want.can_generate_native_method_bind_events = 1;
	want.can_generate_early_vmstart = 1;
	memset(&callbacks, 0, sizeof callbacks);
	callbacks.NativeMethodBind = on_bind;
	if ((*jvmti)->AddCapabilities(jvmti, &want) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					(jint)sizeof callbacks) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_NATIVE_METHOD_BIND,
					       NULL)) {
		(*jvmti)->DisposeEnvironment(jvmti);
		return "this JVM does not tell when it binds native methods";
	}
	the.jvmti = jvmti;
	return NULL;
}

/* ---- beginning and end --------------------------------------------------- */

/* Not every JDK has all of them. */
static void find_locks(JNIEnv *jni)
{
	static const char *const names[LOCK_CLASSES] = {
		"java/util/concurrent/locks/AbstractOwnableSynchronizer",
		"java/util/concurrent/locks/AbstractQueuedSynchronizer",
		"java/util/concurrent/locks/AbstractQueuedLongSynchronizer",
		"java/util/concurrent/locks/StampedLock",
	};
	size_t found = 0;

	for (size_t i = 0; i < LOCK_CLASSES; i++) {
		jclass class = (*jni)->FindClass(jni, names[i]);

		(*jni)->ExceptionClear(jni);
		if (!class)
			continue;
		the.locks[found] = (*jni)->NewGlobalRef(jni, class);
		found += the.locks[found] != NULL;
		(*jni)->DeleteLocalRef(jni, class);
	}
}

const char *ag_park_begin(JNIEnv *jni, const struct ag_session *session,
			  struct ag_monitor_times *to)
{
	jclass class;

	if (!the.original)
		return "Unsafe.park was bound before";
	class = (*jni)->FindClass(jni, "java/lang/Thread");
	if (class)
		the.blocker = (*jni)->GetFieldID(jni, class, "parkBlocker",
						 "Ljava/lang/Object;");
	(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, class);
	if (!the.blocker)
		return "this JVM does not keep what threads wait for";
	the.session = session;
	find_locks(jni);
	atomic_store(&times, to);
	return NULL;
}

void ag_park_stop(void)
{
	atomic_store(&times, NULL);
}
