/* SPDX-License-Identifier: MIT */
/*
 * clones.c - see clones.h. Each thread that clones has a place in a list, which
 * is used again when it has ended, and never freed: a thread may be in a callback
 * until the process ends.
 */
#include "agent/profile/clones.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"

struct place {
	struct place *next;
	bool taken;   /* by a thread */
	jweak object; /* that waits; NULL: none */
	jlong mark;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct place *places;
static _Thread_local struct place *own;
static _Atomic(jmethodID) clone_method;

void ag_clones_begin(JNIEnv *jni)
{
	jclass object = (*jni)->FindClass(jni, "java/lang/Object");

	if (object)
		atomic_store(&clone_method,
			     (*jni)->GetMethodID(jni, object, "clone",
						 "()Ljava/lang/Object;"));
	(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, object);
}

bool ag_clones_is(jmethodID method)
{
	return method && method == atomic_load(&clone_method);
}

/* With the lock. NULL without memory. */
static struct place *take_place(void)
{
	struct place *p = places;

	while (p && p->taken)
		p = p->next;
	if (!p) {
		p = hp_calloc(1, sizeof *p);
		if (!p)
			return NULL;
		p->next = places;
		places = p;
	}
	p->taken = true;
	return p;
}

/* With the lock. An object that is gone by now needs no mark. */
static void settle(struct place *p, jvmtiEnv *marks, JNIEnv *jni)
{
	if (!p->object)
		return;
	(*marks)->SetTag(marks, p->object, p->mark);
	(*jni)->DeleteWeakGlobalRef(jni, p->object);
	p->object = NULL;
}

bool ag_clones_add(jvmtiEnv *marks, JNIEnv *jni, jobject object, jlong mark)
{
	jweak weak = (*jni)->NewWeakGlobalRef(jni, object);

	if (!weak) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	pthread_mutex_lock(&lock);
	if (!own)
		own = take_place();
	if (own) {
		settle(own, marks, jni);
		own->object = weak;
		own->mark = mark;
	}
	pthread_mutex_unlock(&lock);
	if (!own)
		(*jni)->DeleteWeakGlobalRef(jni, weak);
	return own != NULL;
}

void ag_clones_settle(jvmtiEnv *marks, JNIEnv *jni)
{
	if (!own)
		return;
	assert(own->taken);
	pthread_mutex_lock(&lock);
	settle(own, marks, jni);
	pthread_mutex_unlock(&lock);
}

void ag_clones_settle_all(jvmtiEnv *marks, JNIEnv *jni)
{
	pthread_mutex_lock(&lock);
	for (struct place *p = places; p; p = p->next)
		settle(p, marks, jni);
	pthread_mutex_unlock(&lock);
}

void ag_clones_thread_end(jvmtiEnv *marks, JNIEnv *jni)
{
	if (!own)
		return;
	ag_clones_settle(marks, jni);
	pthread_mutex_lock(&lock);
	own->taken = false;
	pthread_mutex_unlock(&lock);
	own = NULL;
}
