/* SPDX-License-Identifier: MIT */
/*
 * monitor_dump.c - see monitor_dump.h.
 *
 * JVMTI does not list monitors. So each thread is asked which ones it has and
 * which one it waits for; tags, in an environment that has no others, tell which
 * were met before. The threads run on meanwhile, and each answer is of its own
 * moment.
 */
#include "agent/monitor/monitor_dump.h"

#include <string.h>

#include "agent/common/environment.h"
#include "agent/monitor/monitor_trace.h"
#include "base/mem.h"

struct dump {
	jvmtiEnv *jvmti;
	JNIEnv *jni;
	const struct ag_session *session;
	struct ag_monitor_report *report;
	jobject *objects; /* local references */
	size_t count, room;
	bool failed;
};

jvmtiEnv *ag_monitor_dump_load(JavaVM *vm)
{
	jvmtiCapabilities want, have;
	jvmtiEnv *jvmti = ag_environment(vm);

	if (!jvmti)
		return NULL;
	memset(&want, 0, sizeof want);
	if (!(*jvmti)->GetPotentialCapabilities(jvmti, &have)) {
		want.can_tag_objects = have.can_tag_objects;
		want.can_get_monitor_info = have.can_get_monitor_info;
		want.can_get_owned_monitor_info =
			have.can_get_owned_monitor_info;
		want.can_get_current_contended_monitor =
			have.can_get_current_contended_monitor;
	}
	if (want.can_tag_objects && want.can_get_monitor_info &&
	    !(*jvmti)->AddCapabilities(jvmti, &want))
		return jvmti;
	(*jvmti)->DisposeEnvironment(jvmti);
	return NULL;
}

static void release(jvmtiEnv *jvmti, void *memory)
{
	(*jvmti)->Deallocate(jvmti, memory);
}

/* ---- threads ------------------------------------------------------------- */

/* Keeps the reference, or deletes it. */
static void add_monitor(struct dump *d, jobject object)
{
	jlong tag = 0;

	if (!object)
		return;
	if ((*d->jvmti)->GetTag(d->jvmti, object, &tag) || tag ||
	    hp_grow((void **)&d->objects, &d->room, d->count,
		    sizeof *d->objects) ||
	    (*d->jvmti)->SetTag(d->jvmti, object, (jlong)d->count + 1)) {
		(*d->jni)->DeleteLocalRef(d->jni, object);
		return;
	}
	d->objects[d->count++] = object;
}

static void add_monitors_of(struct dump *d, jthread thread)
{
	jobject *owned, contended;
	jint count;

	if (!(*d->jvmti)->GetOwnedMonitorInfo(d->jvmti, thread, &count,
					      &owned)) {
		for (jint i = 0; i < count; i++)
			add_monitor(d, owned[i]);
		release(d->jvmti, owned);
	}
	if (!(*d->jvmti)->GetCurrentContendedMonitor(d->jvmti, thread,
						     &contended))
		add_monitor(d, contended);
}

static void add_thread(struct dump *d, jthread thread)
{
	struct ag_monitor_thread *t =
		&d->report->threads[d->report->thread_count];
	jint state;

	t->serial = ag_threads_serial(d->session->threads, thread);
	if (!t->serial || (*d->jvmti)->GetThreadState(d->jvmti, thread, &state))
		return;
	t->state = (uint32_t)state;
	t->trace = ag_monitor_trace(d->session, d->jni, thread);
	d->report->thread_count++;
	add_monitors_of(d, thread);
}

static void add_threads(struct dump *d)
{
	jthread *threads;
	jint count;

	if ((*d->jvmti)->GetAllThreads(d->jvmti, &count, &threads)) {
		d->failed = true;
		return;
	}
	d->report->threads =
		hp_calloc((size_t)count + 1, sizeof *d->report->threads);
	if (d->report->threads)
		for (jint i = 0; i < count; i++)
			add_thread(d, threads[i]);
	else
		d->failed = true;
	release(d->jvmti, threads);
}

/* ---- monitors ------------------------------------------------------------ */

static bool is_among(JNIEnv *jni, jthread thread, const jthread *list,
		     jint count)
{
	for (jint i = 0; i < count; i++)
		if ((*jni)->IsSameObject(jni, thread, list[i]))
			return true;
	return false;
}

/* Before JDK 23, those who wait to be notified are among both. */
static void add_waiters(struct dump *d, const jvmtiMonitorUsage *u,
			struct ag_monitor_state *m)
{
	const struct ag_threads *threads = d->session->threads;

	for (jint i = 0; i < u->waiter_count; i++)
		if (!is_among(d->jni, u->waiters[i], u->notify_waiters,
			      u->notify_waiter_count))
			m->waiters[m->entering_count++] =
				ag_threads_serial(threads, u->waiters[i]);
	for (jint i = 0; i < u->notify_waiter_count; i++)
		m->waiters[m->entering_count + m->waiting_count++] =
			ag_threads_serial(threads, u->notify_waiters[i]);
}

static void describe(struct dump *d, jobject object, jvmtiMonitorUsage *u)
{
	const size_t most =
		(size_t)u->waiter_count + (size_t)u->notify_waiter_count;
	struct ag_monitor_state *m =
		&d->report->monitors[d->report->monitor_count];
	jclass class;

	m->waiters = hp_calloc(most + 1, sizeof *m->waiters);
	if (!m->waiters) {
		d->failed = true;
		return;
	}
	class = (*d->jni)->GetObjectClass(d->jni, object);
	m->class_number = ag_class_list_number(d->session->classes, class);
	(*d->jni)->DeleteLocalRef(d->jni, class);
	if (u->owner)
		m->owner = ag_threads_serial(d->session->threads, u->owner);
	m->entry_count = (uint32_t)u->entry_count;
	add_waiters(d, u, m);
	d->report->monitor_count++;
}

static void add_monitor_states(struct dump *d)
{
	d->report->monitors =
		hp_calloc(d->count + 1, sizeof *d->report->monitors);
	for (size_t i = 0; i < d->count; i++) {
		jvmtiMonitorUsage usage;

		(*d->jvmti)->SetTag(d->jvmti, d->objects[i], 0);
		if (!d->report->monitors ||
		    (*d->jvmti)->GetObjectMonitorUsage(d->jvmti, d->objects[i],
						       &usage))
			continue;
		describe(d, d->objects[i], &usage);
		release(d->jvmti, usage.waiters);
		release(d->jvmti, usage.notify_waiters);
	}
	d->failed |= !d->report->monitors;
}

bool ag_monitor_dump(jvmtiEnv *jvmti, JNIEnv *jni,
		     const struct ag_session *session,
		     struct ag_monitor_report *ret)
{
	enum { LOCAL_REFS = 256 };
	struct dump d = {
		.jvmti = jvmti,
		.jni = jni,
		.session = session,
		.report = ret,
	};

	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) != 0) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	add_threads(&d);
	add_monitor_states(&d);
	(*jni)->PopLocalFrame(jni, NULL);
	hp_free(d.objects);
	ret->dumped = !d.failed;
	return !d.failed;
}
