/* SPDX-License-Identifier: MIT */
/*
 * execution.c - see execution.h.
 *
 * There is one set of timers in a process, with the shortest interval that an
 * environment asks for; one that asks for less gets a sample whenever a thread
 * has used that much since its last.
 *
 * A handler may neither make a reference to its thread nor look it up. So each
 * thread has a record from its start on, found by a variable of the thread. That
 * is of the model initial-exec: others may be allocated at their first use.
 */
#include "prof/execution.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/sampling/async_stack.h"
#include "agent/sampling/code_events.h"
#include "agent/sampling/cpu_signal.h"
#include "agent/sampling/cpu_timers.h"
#include "base/mem.h"
#include "prof/hook_calls.h"

struct thread {
	struct thread *next, **at; /* in the list */
	pid_t tid;
	jthread ref; /* global */
	JNIEnv *jni;
	uint64_t used; /* CPU time, in nanoseconds, as samples count it */
	void *context; /* of the handler it is in */
};

static __thread struct thread *self __attribute__((tls_model("initial-exec")));

static struct {
	jvmtiEnv
		*code; /* for the events of code_events.h; NULL: not prepared */
	const char *refused; /* why it could not be prepared */
	atomic_bool live;
	_Atomic uint64_t interval;
	pthread_mutex_t lock; /* of the threads and timers */
	struct thread *threads;
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the handler ----------------------------------------------------------- */

static void tell(struct pf_env *e, const struct thread *t, uint64_t since)
{
	const uint64_t every = (uint64_t)atomic_load(&e->interval);
	jvmtiProfEventSampleExecution call = atomic_load(&e->sample);

	if (call && pf_env_sends(e, JVMTIPROF_EVENT_SAMPLE_EXECUTION) &&
	    since / every != t->used / every)
		call(&e->functions, e->user, t->jni, t->ref);
}

static void take_sample(void *context, uint64_t weight)
{
	struct thread *t = self;
	uint64_t since;

	if (!t || t->context)
		return;
	since = t->used;
	t->used += weight * atomic_load(&the.interval);
	t->context = context;
	for (struct pf_env *e = pf_env_first(); e; e = e->next)
		tell(e, t, since);
	t->context = NULL;
}

/* ---- stacks ---------------------------------------------------------------- */

/* So that one array serves both. */
static_assert(sizeof(jvmtiProfFrameInfo) == sizeof(struct ag_async_frame) &&
		      offsetof(jvmtiProfFrameInfo, method) ==
			      offsetof(struct ag_async_frame, method),
	      "a frame of ours is one of AsyncGetCallTrace");

static jint take_stack(void *context, jvmtiProfFrameInfo *frames, jint depth)
{
	struct ag_async_frame *list = (void *)frames;
	uintptr_t pc;
	jint count = ag_async_stack(context, list, depth, &pc);

	for (jint i = 0; i < count; i++)
		if (list[i].location == AG_ASYNC_NATIVE)
			list[i].location = JVMTIPROF_OFFSET_NATIVE;
		else if (list[i].location < 0)
			list[i].location = JVMTIPROF_OFFSET_UNKNOWN;
	return count;
}

/* In a callback of a hook, the calls that led to it are on top. */
static jint drop_own(const jvmtiProfFrameInfo *from, jint count,
		     jvmtiProfFrameInfo *frames, jint depth)
{
	jint own = 0, kept = 0;

	while (own < count && pf_hook_calls_own(from[own].method))
		own++;
	while (own < count && kept < depth)
		frames[kept++] = from[own++];
	return kept;
}

static jint take_own_stack(jvmtiProfFrameInfo *frames, jint depth)
{
	enum { MOST = 1024, OWN = 2 };
	jvmtiProfFrameInfo all[MOST + OWN];
	ucontext_t here;
	jint count;

	if (getcontext(&here))
		return AG_ASYNC_NO_JAVA;
	count = take_stack(&here, all, (depth < MOST ? depth : MOST) + OWN);
	return count > 0 ? drop_own(all, count, frames, depth) : count;
}

jint pf_execution_stack(jvmtiProfFrameInfo *frames, jint depth)
{
	if (!atomic_load(&the.live))
		return AG_ASYNC_NO_JAVA;
	if (self && self->context)
		return take_stack(self->context, frames, depth);
	return take_own_stack(frames, depth);
}

bool pf_execution_is_live(void)
{
	return atomic_load(&the.live);
}

/* ---- threads --------------------------------------------------------------- */

/* With the lock. */
static void add_timer(const struct thread *t)
{
	if (ag_cpu_signal_is_on())
		ag_timers_add(t->tid, 1);
}

void pf_execution_thread_start(JNIEnv *jni, jthread thread)
{
	struct thread *t = the.code && !self ? hp_calloc(1, sizeof *t) : NULL;

	if (!t)
		return;
	t->tid = (pid_t)syscall(SYS_gettid);
	t->jni = jni;
	t->ref = (*jni)->NewGlobalRef(jni, thread);
	pthread_mutex_lock(&the.lock);
	t->next = the.threads;
	t->at = &the.threads;
	if (t->next)
		t->next->at = &t->next;
	the.threads = t;
	self = t;
	add_timer(t);
	pthread_mutex_unlock(&the.lock);
}

void pf_execution_thread_end(JNIEnv *jni)
{
	struct thread *t = self;

	if (!t)
		return;
	pthread_mutex_lock(&the.lock);
	ag_timers_remove(t->tid);
	self = NULL; /* a signal that is on its way finds none */
	*t->at = t->next;
	if (t->next)
		t->next->at = t->at;
	pthread_mutex_unlock(&the.lock);
	(*jni)->DeleteGlobalRef(jni, t->ref);
	hp_free(t);
}

/* ---- timers ---------------------------------------------------------------- */

/* The shortest one that is wanted; 0: none is. */
static uint64_t wanted_interval(void)
{
	uint64_t least = 0;

	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		const uint64_t every = (uint64_t)atomic_load(&e->interval);

		if (pf_env_sends(e, JVMTIPROF_EVENT_SAMPLE_EXECUTION) &&
		    (least == 0 || every < least))
			least = every;
	}
	return least;
}

/* With the lock. */
static const char *arm(uint64_t interval)
{
	const char *why;

	atomic_store(&the.interval, interval);
	why = ag_cpu_signal_start(interval, take_sample);
	if (why)
		return why;
	for (const struct thread *t = the.threads; t; t = t->next)
		add_timer(t);
	return NULL;
}

const char *pf_execution_update(void)
{
	const uint64_t interval = wanted_interval();
	const char *why = NULL;

	if (!atomic_load(&the.live))
		return NULL;
	pthread_mutex_lock(&the.lock);
	if (ag_cpu_signal_is_on() && atomic_load(&the.interval) != interval)
		ag_cpu_signal_stop();
	if (interval && !ag_cpu_signal_is_on())
		why = arm(interval);
	pthread_mutex_unlock(&the.lock);
	return why;
}

/* ---- begin and end --------------------------------------------------------- */

static const char *prepare(void)
{
	const char *why = ag_async_prepare(pf_vm());
	void *jvmti;

	if (why)
		return why;
	if ((*pf_vm())->GetEnv(pf_vm(), &jvmti, JVMTI_VERSION_11) != JNI_OK)
		return "there is no tool interface";
	why = ag_code_events_enable(jvmti);
	if (!why)
		the.code = jvmti;
	return why;
}

const char *pf_execution_prepare(void)
{
	pf_lock();
	if (!the.code && !the.refused)
		the.refused = prepare();
	pf_unlock();
	return the.refused;
}

void pf_execution_begin(JNIEnv *jni, jthread main_thread)
{
	if (the.code)
		ag_code_events_catch_up(the.code, jni);
	pf_execution_thread_start(jni, main_thread);
	atomic_store(&the.live, true);
}

void pf_execution_end(void)
{
	atomic_store(&the.live, false);
	pthread_mutex_lock(&the.lock);
	ag_cpu_signal_stop();
	pthread_mutex_unlock(&the.lock);
}
