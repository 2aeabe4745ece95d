/* SPDX-License-Identifier: MIT */
/*
 * monitor_events.c - see monitor_events.h. JVMTI has these events; the time of a
 * wait is added.
 */
#include "prof/monitor_events.h"

#include "agent/monitor/monitor_events.h"
#include "prof/environment.h"

static struct {
	bool tried, on;
	struct ag_monitor_events *events; /* NULL: not prepared */
} the;

static jvmtiProfMonitorKind kind_of(const struct ag_monitor_event *event)
{
	if (event->what == AG_WAIT_ENTER)
		return event->ended ? JVMTIPROF_MONITOR_ENTERED
				    : JVMTIPROF_MONITOR_ENTER;
	return event->ended ? JVMTIPROF_MONITOR_WAITED : JVMTIPROF_MONITOR_WAIT;
}

static uint64_t tell(void *user, JNIEnv *jni, jthread thread,
		     const struct ag_monitor_event *event)
{
	const jvmtiProfMonitor told = {
		.kind = kind_of(event),
		.monitor = event->monitor,
		.timeout = event->timeout,
		.timed_out = event->timed_out ? JNI_TRUE : JNI_FALSE,
		.waited = event->waited_ns,
	};

	(void)user;
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventMonitor call = atomic_load(&e->monitor);

		if (call && pf_env_sends(e, JVMTIPROF_EVENT_MONITOR))
			call(&e->functions, e->user, jni, thread, &told);
	}
	return 0;
}

bool pf_monitor_events_prepare(void)
{
	if (!the.tried)
		the.events = ag_monitor_events_new(pf_vm(), tell, NULL);
	the.tried = true;
	return the.events != NULL;
}

bool pf_monitor_events_update(void)
{
	const bool on = pf_env_any_sends(1U << JVMTIPROF_EVENT_MONITOR);

	if (!the.events || on == the.on)
		return true;
	the.on = on;
	return ag_monitor_events_enable(the.events, on);
}
