/* SPDX-License-Identifier: MIT */
/*
 * monitors.c - see monitors.h. Events come in pairs, a wait's begin and its end,
 * which may be on different carriers if the thread is virtual, and of which one
 * may be missing: so they are put together by the thread's number.
 */
#include "agent/monitor/monitors.h"

#include <string.h>

#include "agent/common/clock.h"
#include "agent/common/environment.h"
#include "agent/common/hotspot.h"
#include "agent/common/log.h"
#include "agent/monitor/monitor_dump.h"
#include "agent/monitor/monitor_times.h"
#include "agent/monitor/monitor_trace.h"
#include "agent/monitor/park.h"
#include "agent/monitor/wait_lines.h"
#include "base/mem.h"

struct monitors {
	struct ag_collector collector;
	struct ag_session *session;
	jvmtiEnv *jvmti; /* for events; it leads here */
	jvmtiEnv *dumping;
	jfieldID thread_number;
	struct ag_monitor_times *times;
	struct ag_wait_lines *lines;
};

static struct monitors *monitors_of(struct ag_collector *collector)
{
	return (struct monitors *)(void *)collector;
}

/* ---- events -------------------------------------------------------------- */

static struct monitors *receiver(jvmtiEnv *jvmti)
{
	void *monitors = NULL;

	(*jvmti)->GetEnvironmentLocalStorage(jvmti, &monitors);
	return monitors;
}

static uint64_t number_of(const struct monitors *m, JNIEnv *jni, jthread thread)
{
	return (uint64_t)(*jni)->GetLongField(jni, thread, m->thread_number);
}

static uint32_t class_of(const struct monitors *m, JNIEnv *jni, jobject object)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	uint32_t number = ag_class_list_number(m->session->classes, class);

	(*jni)->DeleteLocalRef(jni, class);
	return number;
}

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jobject object)
{
	struct monitors *m = receiver(jvmti);
	const uint32_t class_number = class_of(m, jni, object);
	const uint32_t trace = ag_monitor_trace(m->session, jni, thread);

	ag_monitor_wait_begin(m->times, AG_WAIT_ENTER,
			      number_of(m, jni, thread), trace, class_number,
			      ag_clock_ns());
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			       jobject object)
{
	struct monitors *m = receiver(jvmti);
	const uint64_t now = ag_clock_ns();
	uint64_t ns;

	(void)object;
	ag_monitor_wait_end(m->times, AG_WAIT_ENTER, number_of(m, jni, thread),
			    now, &ns);
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

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			    jobject object, jlong timeout)
{
	struct monitors *m = receiver(jvmti);
	const uint32_t class_number = class_of(m, jni, object);

	add_line(m, class_number, thread, false, timeout);
	ag_monitor_wait_begin(m->times, AG_WAIT_NOTIFY,
			      number_of(m, jni, thread), 0, class_number,
			      ag_clock_ns());
}

static void JNICALL on_waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			      jobject object, jboolean timed_out)
{
	struct monitors *m = receiver(jvmti);
	const uint64_t now = ag_clock_ns();
	uint64_t ns;

	(void)timed_out;
	if (ag_monitor_wait_end(m->times, AG_WAIT_NOTIFY,
				number_of(m, jni, thread), now, &ns))
		add_line(m, class_of(m, jni, object), thread, true,
			 (int64_t)(ns / 1000000));
}

static void set_events(jvmtiEnv *jvmti, jvmtiEventMode mode)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
		JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
		JVMTI_EVENT_MONITOR_WAIT,
		JVMTI_EVENT_MONITOR_WAITED,
	};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		(*jvmti)->SetEventNotificationMode(jvmti, mode, events[i],
						   NULL);
}

static bool subscribe(struct monitors *m, JavaVM *vm)
{
	jvmtiEventCallbacks callbacks;
	jvmtiCapabilities want;

	m->jvmti = ag_environment(vm);
	if (!m->jvmti)
		return false;
	memset(&want, 0, sizeof want);
	want.can_generate_monitor_events = 1;
	memset(&callbacks, 0, sizeof callbacks);
	callbacks.MonitorContendedEnter = on_enter;
	callbacks.MonitorContendedEntered = on_entered;
	callbacks.MonitorWait = on_wait;
	callbacks.MonitorWaited = on_waited;
	return !(*m->jvmti)->AddCapabilities(m->jvmti, &want) &&
	       !(*m->jvmti)->SetEnvironmentLocalStorage(m->jvmti, m) &&
	       !(*m->jvmti)->SetEventCallbacks(m->jvmti, &callbacks,
					       (jint)sizeof callbacks);
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
	if (!subscribe(m, session->vm)) {
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
	jthread thread;

	if (!(*m->jvmti)->GetCurrentThread(m->jvmti, &thread)) {
		m->thread_number = ag_thread_number(m->jvmti, jni, thread);
		(*jni)->DeleteLocalRef(jni, thread);
	}
	if (!m->thread_number) {
		ag_log("no monitors: threads have no numbers in this JVM");
		return;
	}
	set_events(m->jvmti, JVMTI_ENABLE);
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
	set_events(monitors_of(collector)->jvmti, JVMTI_DISABLE);
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
