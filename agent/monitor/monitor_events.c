/* SPDX-License-Identifier: MIT */
/*
 * monitor_events.c - see monitor_events.h. Events come in pairs, which may be on
 * different carriers if the thread is virtual, and of which one may be missing:
 * so they are put together by the thread's number.
 */
#include "agent/monitor/monitor_events.h"

#include <stdatomic.h>

#include "agent/common/clock.h"
#include "agent/common/hotspot.h"
#include "base/mem.h"

struct ag_monitor_events {
	jvmtiEnv *jvmti; /* it leads here */
	_Atomic(jfieldID) number;
	struct ag_waits *waits;
	ag_monitor_told told;
	void *user;
};

static struct ag_monitor_events *receiver(jvmtiEnv *jvmti)
{
	void *events = NULL;

	(*jvmti)->GetEnvironmentLocalStorage(jvmti, &events);
	return events;
}

/* ---- events -------------------------------------------------------------- */

static jfieldID number_field(struct ag_monitor_events *e, JNIEnv *jni,
			     jthread thread)
{
	jfieldID field = atomic_load(&e->number);

	if (!field) {
		field = ag_thread_number(e->jvmti, jni, thread);
		atomic_store(&e->number, field);
	}
	return field;
}

/* 0: it has none. */
static uint64_t number_of(struct ag_monitor_events *e, JNIEnv *jni,
			  jthread thread)
{
	const jfieldID field = number_field(e, jni, thread);

	return field ? (uint64_t)(*jni)->GetLongField(jni, thread, field) : 0;
}

static void begin(struct ag_monitor_events *e, JNIEnv *jni, jthread thread,
		  const struct ag_monitor_event *event)
{
	const uint64_t number = number_of(e, jni, thread);
	const uint64_t kept = e->told(e->user, jni, thread, event);

	if (number)
		ag_waits_begin(e->waits, event->what, number, kept,
			       ag_clock_ns());
}

static void end(struct ag_monitor_events *e, JNIEnv *jni, jthread thread,
		struct ag_monitor_event *event)
{
	const uint64_t now = ag_clock_ns();
	const uint64_t number = number_of(e, jni, thread);
	uint64_t ns;

	event->ended = true;
	event->waited_ns = -1;
	if (number &&
	    ag_waits_end(e->waits, event->what, number, now, &ns, &event->kept))
		event->waited_ns = (int64_t)ns;
	e->told(e->user, jni, thread, event);
}

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jobject object)
{
	const struct ag_monitor_event event = { .what = AG_WAIT_ENTER,
						.monitor = object };

	begin(receiver(jvmti), jni, thread, &event);
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			       jobject object)
{
	struct ag_monitor_event event = { .what = AG_WAIT_ENTER,
					  .monitor = object };

	end(receiver(jvmti), jni, thread, &event);
}

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			    jobject object, jlong timeout)
{
	const struct ag_monitor_event event = { .what = AG_WAIT_NOTIFY,
						.monitor = object,
						.timeout = timeout };

	begin(receiver(jvmti), jni, thread, &event);
}

static void JNICALL on_waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			      jobject object, jboolean timed_out)
{
	struct ag_monitor_event event = { .what = AG_WAIT_NOTIFY,
					  .monitor = object,
					  .timed_out = timed_out };

	end(receiver(jvmti), jni, thread, &event);
}

/* ---- the beginning ------------------------------------------------------- */

static bool subscribe(struct ag_monitor_events *e, JavaVM *vm)
{
	const jvmtiCapabilities want = { .can_generate_monitor_events = 1 };
	const jvmtiEventCallbacks callbacks = {
		.MonitorContendedEnter = on_enter,
		.MonitorContendedEntered = on_entered,
		.MonitorWait = on_wait,
		.MonitorWaited = on_waited,
	};
	void *made = NULL;

	if ((*vm)->GetEnv(vm, &made, JVMTI_VERSION_11) != JNI_OK)
		return false;
	e->jvmti = made;
	if (!(*e->jvmti)->AddCapabilities(e->jvmti, &want) &&
	    !(*e->jvmti)->SetEnvironmentLocalStorage(e->jvmti, e) &&
	    !(*e->jvmti)->SetEventCallbacks(e->jvmti, &callbacks,
					    (jint)sizeof callbacks))
		return true;
	(*e->jvmti)->DisposeEnvironment(e->jvmti);
	return false;
}

struct ag_monitor_events *
ag_monitor_events_new(JavaVM *vm, ag_monitor_told told, void *user)
{
	struct ag_monitor_events *e = hp_calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->told = told;
	e->user = user;
	e->waits = ag_waits_new();
	if (e->waits && subscribe(e, vm))
		return e;
	ag_waits_free(e->waits);
	hp_free(e);
	return NULL;
}

bool ag_monitor_events_enable(struct ag_monitor_events *e, bool on)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
		JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
		JVMTI_EVENT_MONITOR_WAIT,
		JVMTI_EVENT_MONITOR_WAITED,
	};
	const jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
	bool done = true;

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		done = !(*e->jvmti)->SetEventNotificationMode(
			       e->jvmti, mode, events[i], NULL) &&
		       done;
	if (!on)
		ag_waits_clear(e->waits);
	return done;
}

bool ag_monitor_events_know_threads(struct ag_monitor_events *e, JNIEnv *jni)
{
	jthread thread;
	bool known;

	if ((*e->jvmti)->GetCurrentThread(e->jvmti, &thread))
		return false;
	known = number_field(e, jni, thread) != NULL;
	(*jni)->DeleteLocalRef(jni, thread);
	return known;
}

uint64_t ag_monitor_events_lost(struct ag_monitor_events *e)
{
	return ag_waits_lost(e->waits);
}
