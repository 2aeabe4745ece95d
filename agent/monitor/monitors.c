/* SPDX-License-Identifier: MIT */
/*
 * monitors.c - see monitors.h.
 */
#include "agent/monitor/monitors.h"

#include "agent/common/log.h"
#include "agent/monitor/monitor_dump.h"
#include "agent/monitor/monitor_events.h"
#include "agent/monitor/monitor_times.h"
#include "agent/monitor/monitor_trace.h"
#include "agent/monitor/park.h"
#include "agent/monitor/wait_lines.h"
#include "base/mem.h"

struct monitors {
	struct ag_collector collector;
	struct ag_session *session;
	struct ag_monitor_events *events;
	jvmtiEnv *dumping;
	struct ag_monitor_times *times;
	struct ag_wait_lines *lines;
};

static struct monitors *monitors_of(struct ag_collector *collector)
{
	return (struct monitors *)(void *)collector;
}

/* ---- events -------------------------------------------------------------- */

static uint32_t class_of(const struct monitors *m, JNIEnv *jni, jobject object)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	uint32_t number = ag_class_list_number(m->session->classes, class);

	(*jni)->DeleteLocalRef(jni, class);
	return number;
}

static void add_line(struct monitors *m, uint32_t class_number, jthread thread,
		     bool waited, int64_t ms)
{
	ag_wait_lines_add(m->lines,
			  (struct ag_wait_line){
				  .class_number = class_number,
				  .thread = ag_threads_serial(
					  m->session->threads, thread),
				  .waited = waited,
				  .ms = ms,
			  });
}

/* For Object.wait a line each; for a monitor that is not free a row. */
static uint64_t begins(struct monitors *m, JNIEnv *jni, jthread thread,
		       const struct ag_monitor_event *event)
{
	const uint32_t class_number = class_of(m, jni, event->monitor);

	if (event->what == AG_WAIT_NOTIFY) {
		add_line(m, class_number, thread, false, event->timeout);
		return 0;
	}
	return (uint64_t)ag_monitor_trace(m->session, jni, thread) << 32 |
	       class_number;
}

static void ends(struct monitors *m, JNIEnv *jni, jthread thread,
		 const struct ag_monitor_event *event)
{
	const uint32_t trace = (uint32_t)(event->kept >> 32);

	if (event->waited_ns < 0)
		return;
	if (event->what == AG_WAIT_ENTER)
		ag_monitor_times_add(m->times, trace, (uint32_t)event->kept,
				     (uint64_t)event->waited_ns);
	else
		add_line(m, class_of(m, jni, event->monitor), thread, true,
			 event->waited_ns / 1000000);
}

static uint64_t told(void *user, JNIEnv *jni, jthread thread,
		     const struct ag_monitor_event *event)
{
	if (!event->ended)
		return begins(user, jni, thread, event);
	ends(user, jni, thread, event);
	return 0;
}

/* ---- the collector ------------------------------------------------------- */

static bool counts_locks(const struct ag_session *session)
{
	return session->options->monitor == AG_MONITOR_ALL;
}

static void say_without_locks(const char *why)
{
	ag_log("monitor=all: locks of java.util.concurrent are not counted: %s",
	       why);
}

static bool load(struct ag_collector *collector, struct ag_session *session)
{
	struct monitors *m = monitors_of(collector);
	const char *why = NULL;

	m->session = session;
	m->events = ag_monitor_events_new(session->vm, told, m);
	if (!m->events) {
		ag_log("no monitors: this JVM does not tell of them");
		return false;
	}
	m->dumping = ag_monitor_dump_load(session->vm);
	if (counts_locks(session))
		why = session->late ? "the agent was loaded too late"
				    : ag_park_load(session->vm);
	if (why)
		say_without_locks(why);
	return true;
}

static void begin(struct ag_collector *collector, struct ag_session *session,
		  JNIEnv *jni)
{
	struct monitors *m = monitors_of(collector);
	const char *why = NULL;

	if (!ag_monitor_events_know_threads(m->events, jni)) {
		ag_log("no monitors: threads have no numbers in this JVM");
		return;
	}
	ag_monitor_events_enable(m->events, true);
	if (counts_locks(session) && !session->late)
		why = ag_park_begin(jni, session, m->times);
	if (why)
		say_without_locks(why);
}

static void report(struct ag_collector *collector, struct ag_session *session,
		   JNIEnv *jni, const struct ag_report_options *options,
		   struct ag_profile *ret)
{
	struct monitors *m = monitors_of(collector);
	struct ag_monitor_report *r = &ret->monitors;

	ret->has_monitors = true;
	r->times.cutoff = options->cutoff;
	ag_wait_lines_take(m->lines, r);
	if (r->lines_lost)
		ag_log("%llu lines WAIT and WAITED are left out",
		       (unsigned long long)r->lines_lost);
	if (!ag_monitor_times_rows(m->times, &r->times))
		ag_log("no MONITOR TIME: out of memory");
	r->times.failed += ag_monitor_events_lost(m->events);
	if (m->dumping && !ag_monitor_dump(m->dumping, jni, session, r))
		ag_log("no MONITOR DUMP: out of memory");
	ag_cost_table_order(&r->times, AG_BY_COST);
}

static void clear(struct ag_collector *collector, struct ag_session *session)
{
	struct monitors *m = monitors_of(collector);

	(void)session;
	ag_monitor_times_clear(m->times);
	ag_wait_lines_clear(m->lines);
}

static void stop(struct ag_collector *collector, struct ag_session *session,
		 JNIEnv *jni, bool vm_ends)
{
	(void)vm_ends;
	(void)jni;
	ag_monitor_events_enable(monitors_of(collector)->events, false);
	if (counts_locks(session))
		ag_park_stop();
}

struct ag_collector *ag_monitors_new(void)
{
	static const struct ag_collector_ops ops = {
		.load = load,
		.begin = begin,
		.report = report,
		.clear = clear,
		.stop = stop,
	};
	struct monitors *m = hp_calloc(1, sizeof *m);

	if (m) {
		m->collector.ops = &ops;
		m->times = ag_monitor_times_new();
		m->lines = ag_wait_lines_new();
		if (m->times && m->lines)
			return &m->collector;
		ag_monitor_times_free(m->times);
		ag_wait_lines_free(m->lines);
		hp_free(m);
	}
	ag_log("no monitors: out of memory");
	return NULL;
}
