/* SPDX-License-Identifier: MIT */
/*
 * thread_table.c - see thread_table.h. The serial of a thread is in its JVMTI
 * local storage.
 */
#include "agent/profile/thread_table.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

/* A program may start threads for ever. */
enum { MOST_THREADS = 1 << 17 };

struct ag_threads {
	jvmtiEnv *jvmti;
	pthread_mutex_t lock; /* of all that follows */
	struct ag_thread *all;
	size_t count, room;
	size_t limit; /* when there are so many, some are dropped */
	uint32_t last;
	uint64_t lost;
};

struct ag_threads *ag_threads_new(jvmtiEnv *jvmti)
{
	struct ag_threads *t = hp_calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->jvmti = jvmti;
	t->last = AG_THREAD_FIRST - 1;
	t->limit = MOST_THREADS;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

static void forget(struct ag_thread *thread)
{
	hp_free(thread->name);
	hp_free(thread->group);
	hp_free(thread->parent);
}

void ag_threads_free(struct ag_threads *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		forget(&t->all[i]);
	hp_free(t->all);
	pthread_mutex_destroy(&t->lock);
	hp_free(t);
}

/* ---- names --------------------------------------------------------------- */

/* Replaces the JVM's text by a copy of ours. */
static char *take_text(jvmtiEnv *jvmti, char *text)
{
	char *copy = text ? hp_strdup(text) : NULL;

	(*jvmti)->Deallocate(jvmti, (unsigned char *)text);
	return copy;
}

/* RET_PARENT may be NULL. */
static char *group_name(jvmtiEnv *jvmti, JNIEnv *jni, jthreadGroup group,
			jthreadGroup *ret_parent)
{
	jvmtiThreadGroupInfo info;

	if (ret_parent)
		*ret_parent = NULL;
	if (!group || (*jvmti)->GetThreadGroupInfo(jvmti, group, &info))
		return NULL;
	if (ret_parent)
		*ret_parent = info.parent;
	else
		(*jni)->DeleteLocalRef(jni, info.parent);
	return take_text(jvmti, info.name);
}

static void take_names(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
		       struct ag_thread *ret)
{
	jthreadGroup parent = NULL;
	jvmtiThreadInfo info;

	if ((*jvmti)->GetThreadInfo(jvmti, thread, &info))
		return;
	ret->name = take_text(jvmti, info.name);
	ret->group = group_name(jvmti, jni, info.thread_group, &parent);
	ret->parent = group_name(jvmti, jni, parent, NULL);
	(*jni)->DeleteLocalRef(jni, parent);
	(*jni)->DeleteLocalRef(jni, info.thread_group);
	(*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

/* ---- the list ------------------------------------------------------------ */

/* Drops the older half of the threads that have ended. The lock is held. */
static void make_room(struct ag_threads *t)
{
	size_t kept = 0, ended = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (t->all[i].ended && ended < MOST_THREADS / 2) {
			forget(&t->all[i]);
			ended++;
		} else {
			t->all[kept++] = t->all[i];
		}
	}
	t->count = kept;
	t->lost += ended;
	t->limit = kept < MOST_THREADS / 2 ? MOST_THREADS : 2 * kept;
}

void ag_threads_start(struct ag_threads *t, JNIEnv *jni, jthread thread)
{
	struct ag_thread new = { 0 };

	if (ag_threads_serial(t, thread) != 0)
		return;
	take_names(t->jvmti, jni, thread, &new);
	pthread_mutex_lock(&t->lock);
	if (t->count >= t->limit)
		make_room(t);
	if (hp_grow((void **)&t->all, &t->room, t->count, sizeof new) == 0) {
		new.serial = ++t->last;
		(*t->jvmti)->SetThreadLocalStorage(
			t->jvmti, thread, (void *)(uintptr_t) new.serial);
		t->all[t->count++] = new;
	} else {
		forget(&new);
		t->lost++;
	}
	pthread_mutex_unlock(&t->lock);
}

void ag_threads_begin(struct ag_threads *t, JNIEnv *jni)
{
	jthread *threads;
	jint count;

	if ((*t->jvmti)->GetAllThreads(t->jvmti, &count, &threads))
		return;
	for (jint i = 0; i < count; i++) {
		ag_threads_start(t, jni, threads[i]);
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	(*t->jvmti)->Deallocate(t->jvmti, (unsigned char *)threads);
}

/* The serials ascend. */
static struct ag_thread *find(struct ag_threads *t, uint32_t serial)
{
	size_t at;

	HP_LOWER_BOUND(&at, t->count, t->all[hp_at].serial < serial);
	return at < t->count && t->all[at].serial == serial ? &t->all[at]
							    : NULL;
}

void ag_threads_end(struct ag_threads *t, jthread thread)
{
	const uint32_t serial = ag_threads_serial(t, thread);
	struct ag_thread *ended;

	if (serial == 0)
		return;
	pthread_mutex_lock(&t->lock);
	ended = find(t, serial);
	if (ended)
		ended->ended = true;
	pthread_mutex_unlock(&t->lock);
}

uint32_t ag_threads_serial(const struct ag_threads *t, jthread thread)
{
	void *serial = NULL;

	if ((*t->jvmti)->GetThreadLocalStorage(t->jvmti, thread, &serial))
		return 0;
	return (uint32_t)(uintptr_t)serial;
}

bool ag_threads_live(struct ag_threads *t, uint32_t serial)
{
	const struct ag_thread *thread;
	bool live;

	pthread_mutex_lock(&t->lock);
	thread = find(t, serial);
	live = thread && !thread->ended;
	pthread_mutex_unlock(&t->lock);
	return live;
}

bool ag_threads_each(struct ag_threads *t, ag_thread_fn *put, void *user)
{
	bool fine = true;

	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->count && fine; i++)
		fine = put(user, &t->all[i]);
	pthread_mutex_unlock(&t->lock);
	return fine;
}

uint64_t ag_threads_lost(struct ag_threads *t)
{
	uint64_t lost;

	pthread_mutex_lock(&t->lock);
	lost = t->lost;
	pthread_mutex_unlock(&t->lock);
	return lost;
}
