/* SPDX-License-Identifier: MIT */
/*
 * collections.c - see collections.h.
 *
 * In the JVM's own events it may be asked for nothing: a thread of this library
 * is woken, asks, and tells of the end. Collections that are over before it has
 * asked share an event.
 */
#include "prof/collections.h"

#include <errno.h>
#include <semaphore.h>

#include "agent/common/clock.h"
#include "agent/common/thread_start.h"
#include "agent/profile/allocations.h"
#include "prof/management.h"
#include "prof/objects.h"
#include "prof/own_env.h"

static struct {
	bool tried, runs; /* the thread */
	jvmtiEnv *jvmti;  /* NULL: not prepared */
	sem_t finished;
	_Atomic jlong starts, finishes;
	/* Of the last one. */
	_Atomic int64_t begin_ns, duration_ns;
	_Atomic double objects_before, made_before; /* -1: not known */
} the;

static const unsigned collection_events =
	1U << JVMTIPROF_EVENT_COLLECTION_START |
	1U << JVMTIPROF_EVENT_COLLECTION_FINISH;

/* ---- in pauses ------------------------------------------------------------- */

static void JNICALL on_start(jvmtiEnv *jvmti)
{
	const jlong number = atomic_fetch_add(&the.starts, 1) + 1;
	double live = -1, made = -1;

	(void)jvmti;
	atomic_store(&the.begin_ns, (int64_t)ag_clock_ns());
	pf_objects_count(NULL, &live, &made);
	atomic_store(&the.objects_before, live);
	atomic_store(&the.made_before, made);
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventCollectionStart call =
			atomic_load(&e->collection_start);

		if (call && pf_env_sends(e, JVMTIPROF_EVENT_COLLECTION_START))
			call(&e->functions, e->user, number);
	}
}

static void JNICALL on_finish(jvmtiEnv *jvmti)
{
	(void)jvmti;
	atomic_store(&the.duration_ns,
		     (int64_t)ag_clock_ns() - atomic_load(&the.begin_ns));
	atomic_fetch_add(&the.finishes, 1);
	sem_post(&the.finished);
}

/* ---- the thread ------------------------------------------------------------ */

/* The program goes on meanwhile: what it made since is taken off. */
static double objects_after(JNIEnv *jni)
{
	const double before = atomic_load(&the.made_before);
	double live, made;

	if (before < 0 || !pf_objects_count(jni, &live, &made))
		return -1;
	return live - (made - before);
}

/*
 * What is known of the last collection; if another one ends meanwhile, of that.
 * Its number.
 */
static jlong look(JNIEnv *jni, struct pf_collectors *collectors,
		  jvmtiProfCollection *ret)
{
	enum { MOST_TRIES = 8 };
	jlong number = 0;

	ret->used_before = ret->used_after = ret->total_after = -1;
	for (int i = 0; i < MOST_TRIES && number != atomic_load(&the.finishes);
	     i++) {
		number = atomic_load(&the.finishes);
		ret->duration = atomic_load(&the.duration_ns);
		ret->objects_before = atomic_load(&the.objects_before);
		ret->objects_after = objects_after(jni);
		pf_management_last_collection(jni, collectors, ret);
	}
	return number;
}

static void tell(JNIEnv *jni, const jvmtiProfCollection *c)
{
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventCollectionFinish call =
			atomic_load(&e->collection_finish);

		if (call && pf_env_sends(e, JVMTIPROF_EVENT_COLLECTION_FINISH))
			call(&e->functions, e->user, jni, c);
	}
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *jni, void *argument)
{
	struct pf_collectors collectors = { 0 };
	jlong told = 0;

	(void)jvmti;
	(void)argument;
	/* What this thread allocates is not the program's. */
	ag_allocations_enter();
	for (;;) {
		jvmtiProfCollection c = { 0 };

		while (sem_wait(&the.finished) && errno == EINTR)
			;
		if (atomic_load(&the.finishes) == told)
			continue;
		c.number = look(jni, &collectors, &c);
		c.count = (jint)(c.number - told);
		told = c.number;
		tell(jni, &c);
	}
}

/* ---- on and off ------------------------------------------------------------ */

bool pf_collections_prepare(void)
{
	const jvmtiCapabilities want = {
		.can_generate_garbage_collection_events = 1
	};
	const jvmtiEventCallbacks callbacks = {
		.GarbageCollectionStart = on_start,
		.GarbageCollectionFinish = on_finish,
	};

	if (!the.tried && !sem_init(&the.finished, 0, 0))
		the.jvmti = pf_own_env(&want, &callbacks);
	the.tried = true;
	return the.jvmti != NULL;
}

/* The thread that tells of ends, once the JVM runs. */
static bool start_thread(JNIEnv *jni)
{
	if (!the.runs && jni)
		the.runs = ag_thread_start(the.jvmti, jni, "hprof-prof", run,
					   NULL);
	return the.runs || !jni;
}

bool pf_collections_update(void)
{
	const bool live = the.jvmti && pf_phase() == JVMTI_PHASE_LIVE;
	const bool on = the.jvmti && pf_env_any_sends(collection_events);

	if (!the.jvmti)
		return true;
	if (on && live && !start_thread(pf_jni()))
		return false;
	return pf_own_env_enable(the.jvmti,
				 JVMTI_EVENT_GARBAGE_COLLECTION_START, on) &&
	       pf_own_env_enable(the.jvmti,
				 JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, on);
}

void pf_collections_begin(JNIEnv *jni)
{
	if (the.jvmti && pf_env_any_sends(collection_events))
		start_thread(jni);
}
