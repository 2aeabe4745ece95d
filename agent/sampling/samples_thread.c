/* SPDX-License-Identifier: MIT */
/*
 * samples_thread.c - see samples_thread.h.
 *
 * Each thread has an account of the CPU time it has used and that no sample
 * stands for yet. When there is at least one interval in it, the thread's stack
 * is taken, with a weight of as many intervals: so the shares are those of CPU
 * time, however seldom this thread gets to run. A thread that is found waiting
 * keeps its account until it is found running, since where it waits is not
 * where the time went. What is left in the accounts of threads that end has no
 * stack.
 *
 * The lock is held while stacks are taken. A thread that ends meanwhile waits
 * in its event, which is native code to the JVM and no obstacle to a safepoint.
 */
#include "agent/sampling/samples_thread.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "agent/common/agent_thread.h"
#include "agent/common/clock.h"
#include "agent/common/environment.h"
#include "agent/common/hotspot.h"
#include "base/mem.h"

struct account {
	struct account *next, **link;
	jthread thread; /* a global reference */
	jlong seen_ns;	/* CPU time at the last look */
	jlong owed_ns;	/* without a sample */
	bool ours;	/* a thread of the agent */
};

struct thread_sampler {
	JavaVM *vm;
	jvmtiEnv *jvmti;
	struct ag_sample_sink to;
	jvmtiExtensionFunction get_virtual; /* NULL: not in this JVM */
	struct account *accounts;
	struct account **due; /* of those that are looked at */
	jthread *threads;
	size_t due_count, due_room, threads_room;
	uint64_t ended_ns; /* owed by threads that have ended */
	bool stop, ended;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/*
 * One for the process, which is never freed: a thread may be in one of its
 * events when it is stopped.
 */
static struct thread_sampler the = {
	.stop = true,
	.ended = true,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* ---- accounts ------------------------------------------------------------ */

static struct account *account_of(jvmtiEnv *jvmti, jthread thread)
{
	void *account = NULL;

	(*jvmti)->GetThreadLocalStorage(jvmti, thread, &account);
	return account;
}

static void close_account(struct account *a, JNIEnv *jni)
{
	*a->link = a->next;
	if (a->next)
		a->next->link = a->link;
	(*jni)->DeleteGlobalRef(jni, a->thread);
	hp_free(a);
}

/* With the lock. A thread that has one already keeps it. */
static void open_account(struct thread_sampler *s, JNIEnv *jni, jthread thread)
{
	jvmtiEnv *jvmti = s->jvmti;
	struct account *a;

	if (account_of(jvmti, thread))
		return;
	a = hp_calloc(1, sizeof *a);
	if (!a)
		return;
	a->thread = (*jni)->NewGlobalRef(jni, thread);
	a->next = s->accounts;
	a->link = &s->accounts;
	if (a->next)
		a->next->link = &a->next;
	s->accounts = a;
	if (!a->thread || (*jvmti)->SetThreadLocalStorage(jvmti, thread, a))
		close_account(a, jni);
	else
		(*jvmti)->GetThreadCpuTime(jvmti, thread, &a->seen_ns);
}

static void look_at_clock(struct thread_sampler *s, struct account *a)
{
	jlong now;

	if ((*s->jvmti)->GetThreadCpuTime(s->jvmti, a->thread, &now) ||
	    now <= a->seen_ns)
		return;
	a->owed_ns += now - a->seen_ns;
	a->seen_ns = now;
}

void ag_thread_sampler_thread_start(JNIEnv *jni, jthread thread)
{
	struct thread_sampler *s = &the;

	pthread_mutex_lock(&s->lock);
	if (!s->stop)
		open_account(s, jni, thread);
	pthread_mutex_unlock(&s->lock);
}

void ag_thread_sampler_thread_end(JNIEnv *jni, jthread thread)
{
	struct thread_sampler *s = &the;
	struct account *a;

	pthread_mutex_lock(&s->lock);
	a = s->stop ? NULL : account_of(s->jvmti, thread);
	if (a) {
		look_at_clock(s, a);
		if (!a->ours)
			s->ended_ns += (uint64_t)a->owed_ns;
		(*s->jvmti)->SetThreadLocalStorage(s->jvmti, thread, NULL);
		close_account(a, jni);
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- a look -------------------------------------------------------------- */

static void find_due(struct thread_sampler *s)
{
	s->due_count = 0;
	for (struct account *a = s->accounts; a; a = a->next) {
		if (a->ours)
			continue;
		look_at_clock(s, a);
		if ((uint64_t)a->owed_ns < s->to.interval_ns ||
		    hp_grow((void **)&s->due, &s->due_room, s->due_count,
			    sizeof *s->due) ||
		    hp_grow((void **)&s->threads, &s->threads_room,
			    s->due_count, sizeof *s->threads))
			continue;
		s->due[s->due_count++] = a;
	}
}

/*
 * A carrier's own stack does not show the virtual thread that it runs, whose
 * work it is. The result is a local reference, or the account's own.
 */
static jthread who_runs(struct thread_sampler *s, JNIEnv *jni,
			const struct account *a)
{
	jthread mounted = NULL;

	if (!s->get_virtual || s->get_virtual(s->jvmti, a->thread, &mounted) ||
	    !mounted)
		return (*jni)->NewLocalRef(jni, a->thread);
	return mounted;
}

static void take(struct thread_sampler *s, JNIEnv *jni, struct account *a,
		 const jvmtiStackInfo *stack)
{
	const uint64_t weight = (uint64_t)a->owed_ns / s->to.interval_ns;

	if (!(stack->state & JVMTI_THREAD_STATE_RUNNABLE) ||
	    stack->frame_count <= 0)
		return;
	s->to.stack(s->to.user, jni, stack->frame_buffer, stack->frame_count,
		    s->to.thread(s->to.user, a->thread), weight);
	a->owed_ns -= (jlong)(weight * s->to.interval_ns);
}

static void look(struct thread_sampler *s, JNIEnv *jni)
{
	jvmtiStackInfo *stacks;
	jint count;

	find_due(s);
	count = (jint)s->due_count;
	if (!count || (*jni)->PushLocalFrame(jni, count) != 0) {
		(*jni)->ExceptionClear(jni);
		return;
	}
	for (jint i = 0; i < count; i++)
		s->threads[i] = who_runs(s, jni, s->due[i]);
	if (!(*s->jvmti)->GetThreadListStackTraces(s->jvmti, count, s->threads,
						   s->to.depth, &stacks)) {
		for (jint i = 0; i < count; i++)
			take(s, jni, s->due[i], &stacks[i]);
		(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)stacks);
	}
	(*jni)->PopLocalFrame(jni, NULL);
}

/* ---- the thread ---------------------------------------------------------- */

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000),
				  (long)(ns % 1000000000) };
}

/* Looks that come too late are left out: the accounts know. */
static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *jni, void *sampler)
{
	struct thread_sampler *s = sampler;
	uint64_t next = ag_clock_ns();
	struct account *own;

	pthread_mutex_lock(&s->lock);
	own = account_of(jvmti, NULL);
	if (own)
		own->ours = true;
	while (!s->stop) {
		const uint64_t now = ag_clock_ns();
		struct timespec until;

		if (now >= next) {
			look(s, jni);
			next = now + s->to.interval_ns;
		}
		until = time_of(next);
		pthread_cond_timedwait(&s->changed, &s->lock, &until);
	}
	s->ended = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* ---- starting and stopping ----------------------------------------------- */

static void add_threads(struct thread_sampler *s, JNIEnv *jni)
{
	jthread *threads;
	jint count;

	if ((*s->jvmti)->GetAllThreads(s->jvmti, &count, &threads))
		return;
	for (jint i = 0; i < count; i++) {
		open_account(s, jni, threads[i]);
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)threads);
}

/* Once in a process. */
static const char *prepare(struct thread_sampler *s)
{
	pthread_condattr_t attributes;
	jvmtiCapabilities want;
	jvmtiEnv *jvmti;

	if (s->jvmti)
		return NULL;
	jvmti = ag_environment(s->vm);
	if (!jvmti)
		return "there is no tool interface";
	memset(&want, 0, sizeof want);
	want.can_get_thread_cpu_time = 1;
	if ((*jvmti)->AddCapabilities(jvmti, &want)) {
		(*jvmti)->DisposeEnvironment(jvmti);
		return "this JVM does not tell the CPU time of threads";
	}
	s->jvmti = jvmti;
	s->get_virtual = ag_virtual_thread_getter(s->jvmti);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	return NULL;
}

const char *ag_thread_sampler_start(JavaVM *vm, JNIEnv *jni,
				    const struct ag_sample_sink *sink)
{
	const char *why;

	pthread_mutex_lock(&the.lock);
	why = the.stop ? NULL : "it runs already";
	if (!why) {
		the.vm = vm;
		the.to = *sink;
		why = prepare(&the);
	}
	if (!why) {
		the.stop = the.ended = false;
		the.ended_ns = 0;
		add_threads(&the, jni);
	}
	pthread_mutex_unlock(&the.lock);
	if (!why && !ag_thread_run(the.jvmti, jni, run, &the)) {
		the.ended = true;
		ag_thread_sampler_stop(jni);
		why = "this JVM starts no thread for it";
	}
	return why;
}

/* With the lock. */
static void close_all(struct thread_sampler *s, JNIEnv *jni)
{
	while (s->accounts) {
		struct account *a = s->accounts;

		(*s->jvmti)->SetThreadLocalStorage(s->jvmti, a->thread, NULL);
		close_account(a, jni);
	}
}

void ag_thread_sampler_flush(void)
{
	struct thread_sampler *s = &the;
	uint64_t weight;

	pthread_mutex_lock(&s->lock);
	weight = s->stop ? 0 : s->ended_ns / s->to.interval_ns;
	if (weight)
		s->to.unknown(s->to.user, "ended before it was looked at",
			      weight);
	s->ended_ns -= weight * s->to.interval_ns;
	pthread_mutex_unlock(&s->lock);
}

void ag_thread_sampler_stop(JNIEnv *jni)
{
	struct thread_sampler *s = &the;

	pthread_mutex_lock(&s->lock);
	if (!s->stop) {
		s->stop = true;
		pthread_cond_broadcast(&s->changed);
		while (!s->ended)
			pthread_cond_wait(&s->changed, &s->lock);
		close_all(s, jni);
		hp_free(s->due);
		hp_free(s->threads);
		s->due = NULL;
		s->threads = NULL;
		s->due_room = s->threads_room = 0;
	}
	pthread_mutex_unlock(&s->lock);
}
