/* SPDX-License-Identifier: MIT */
/*
 * monitor_events.c - see monitor_events.h. JVMTI has these events; the time of a
 * wait is added here.
 */
#include "prof/monitor_events.h"

#include "agent/common/clock.h"
#include "prof/own_env.h"

static struct {
	bool tried;
	jvmtiEnv *jvmti; /* NULL: not prepared */
} the;

/* When this thread began to wait; 0: it does not, or it is not known. */
static _Thread_local int64_t enter_ns, wait_ns;

static jlong since(int64_t *begin)
{
	const jlong waited = *begin ? (int64_t)ag_clock_ns() - *begin : -1;

	*begin = 0;
	return waited;
}

/* ---- events ---------------------------------------------------------------- */

static void tell(JNIEnv *jni, jthread thread, const jvmtiProfMonitor *monitor)
{
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventMonitor call = atomic_load(&e->monitor);

		if (call && pf_env_sends(e, JVMTIPROF_EVENT_MONITOR))
			call(&e->functions, e->user, jni, thread, monitor);
	}
}

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jobject object)
{
	const jvmtiProfMonitor told = { .kind = JVMTIPROF_MONITOR_ENTER,
					.monitor = object };

	(void)jvmti;
	tell(jni, thread, &told);
	enter_ns = (int64_t)ag_clock_ns();
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			       jobject object)
{
	const jvmtiProfMonitor told = { .kind = JVMTIPROF_MONITOR_ENTERED,
					.monitor = object,
					.waited = since(&enter_ns) };

	(void)jvmti;
	tell(jni, thread, &told);
}

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			    jobject object, jlong timeout)
{
	const jvmtiProfMonitor told = { .kind = JVMTIPROF_MONITOR_WAIT,
					.monitor = object,
					.timeout = timeout };

	(void)jvmti;
	tell(jni, thread, &told);
	wait_ns = (int64_t)ag_clock_ns();
}

static void JNICALL on_waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			      jobject object, jboolean timed_out)
{
	const jvmtiProfMonitor told = { .kind = JVMTIPROF_MONITOR_WAITED,
					.monitor = object,
					.timed_out = timed_out,
					.waited = since(&wait_ns) };

	(void)jvmti;
	tell(jni, thread, &told);
}

/* ---- on and off ------------------------------------------------------------ */

bool pf_monitor_events_prepare(void)
{
	const jvmtiCapabilities want = { .can_generate_monitor_events = 1 };
	const jvmtiEventCallbacks callbacks = {
		.MonitorContendedEnter = on_enter,
		.MonitorContendedEntered = on_entered,
		.MonitorWait = on_wait,
		.MonitorWaited = on_waited,
	};

	if (!the.tried)
		the.jvmti = pf_own_env(&want, &callbacks);
	the.tried = true;
	return the.jvmti != NULL;
}

bool pf_monitor_events_update(void)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
		JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_MONITOR_WAIT,
		JVMTI_EVENT_MONITOR_WAITED
	};
	const bool on = pf_env_any_sends(1U << JVMTIPROF_EVENT_MONITOR);
	bool done = true;

	for (size_t i = 0; the.jvmti && i < sizeof events / sizeof *events; i++)
		done = pf_own_env_enable(the.jvmti, events[i], on) && done;
	return done;
}
