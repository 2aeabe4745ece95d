/* SPDX-License-Identifier: MIT */
/*
 * session.c - see session.h.
 */
#include "agent/profile/session.h"

#include <pthread.h>
#include <string.h>

#include "agent/common/environment.h"
#include "agent/common/log.h"
#include "base/mem.h"

/* Reports and the other calls that only one thread may make. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- begin and end ------------------------------------------------------- */

static bool make_tables(struct ag_session *s)
{
	s->classes = ag_class_list_new(s->jvmti);
	s->traces =
		ag_traces_new(s->jvmti, s->classes, s->options->line_numbers);
	s->threads = ag_threads_new(s->jvmti);
	if (s->classes && s->traces && s->threads)
		return true;
	ag_log("no profile: out of memory");
	return false;
}

struct ag_session *ag_session_new(JavaVM *vm, const struct ag_options *options)
{
	struct ag_session *s = hp_calloc(1, sizeof *s);

	if (!s) {
		ag_log("no profile: out of memory");
		return NULL;
	}
	s->vm = vm;
	s->options = options;
	s->jvmti = ag_environment(vm);
	if (s->jvmti && ag_environment_can_tag(s->jvmti) && make_tables(s))
		return s;
	ag_session_free(s);
	return NULL;
}

void ag_session_free(struct ag_session *s)
{
	if (!s)
		return;
	ag_threads_free(s->threads);
	ag_traces_free(s->traces);
	ag_class_list_free(s->classes);
	if (s->jvmti)
		(*s->jvmti)->DisposeEnvironment(s->jvmti);
	hp_free(s);
}

void ag_session_add(struct ag_session *s, struct ag_collector *collector)
{
	struct ag_collector **end = &s->collectors;

	while (*end)
		end = &(*end)->next;
	collector->next = NULL;
	*end = collector;
}

/* ---- events -------------------------------------------------------------- */

struct ag_session *ag_session_of(jvmtiEnv *jvmti)
{
	void *session = NULL;

	(*jvmti)->GetEnvironmentLocalStorage(jvmti, &session);
	return session;
}

bool ag_session_enable(struct ag_session *s, jvmtiEvent event, bool on)
{
	return (*s->jvmti)->SetEventNotificationMode(
		       s->jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event,
		       NULL) == JVMTI_ERROR_NONE;
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni,
				    jthread thread)
{
	struct ag_session *s = ag_session_of(jvmti);

	ag_threads_start(s->threads, jni, thread);
	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->thread_start)
			c->ops->thread_start(c, s, jni, thread);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct ag_session *s = ag_session_of(jvmti);

	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->thread_end)
			c->ops->thread_end(c, s, jni, thread);
	ag_threads_end(s->threads, thread);
}

uint32_t ag_session_thread(const struct ag_session *s, jthread thread)
{
	return s->options->threads_in_traces
		       ? ag_threads_serial(s->threads, thread)
		       : 0;
}

/* ---- calls of the agent -------------------------------------------------- */

/* Drops the collectors that cannot be had. */
static void load_collectors(struct ag_session *s)
{
	struct ag_collector **at = &s->collectors;

	while (*at) {
		if (!(*at)->ops->load || (*at)->ops->load(*at, s))
			at = &(*at)->next;
		else
			*at = (*at)->next;
	}
}

bool ag_session_load(struct ag_session *s, bool late)
{
	s->late = late;
	s->callbacks.ThreadStart = on_thread_start;
	s->callbacks.ThreadEnd = on_thread_end;
	load_collectors(s);
	if (!s->collectors)
		return false;
	if ((*s->jvmti)->SetEnvironmentLocalStorage(s->jvmti, s) ||
	    (*s->jvmti)->SetEventCallbacks(s->jvmti, &s->callbacks,
					   (jint)sizeof s->callbacks) ||
	    !ag_session_enable(s, JVMTI_EVENT_THREAD_START, true) ||
	    !ag_session_enable(s, JVMTI_EVENT_THREAD_END, true)) {
		ag_log("no profile: this JVM does not take the agent's "
		       "callbacks");
		return false;
	}
	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->loaded)
			c->ops->loaded(c, s);
	return true;
}

void ag_session_begin(struct ag_session *s, JNIEnv *jni)
{
	ag_threads_begin(s->threads, jni);
	pthread_mutex_lock(&lock);
	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->begin)
			c->ops->begin(c, s, jni);
	pthread_mutex_unlock(&lock);
}

void ag_session_stop(struct ag_session *s, JNIEnv *jni, bool vm_ends)
{
	ag_session_enable(s, JVMTI_EVENT_THREAD_START, false);
	ag_session_enable(s, JVMTI_EVENT_THREAD_END, false);
	pthread_mutex_lock(&lock);
	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->stop)
			c->ops->stop(c, s, jni, vm_ends);
	pthread_mutex_unlock(&lock);
}

/* Is the collector asked, if these sections are wanted? */
static bool is_of(const struct ag_collector *c, unsigned sections)
{
	/* The sums of the heap are those of its sites. */
	if (sections & AG_SECTION_SUMMARY)
		sections |= AG_SECTION_SITES;
	return sections == 0 || (c->ops->section & sections);
}

bool ag_session_makes(const struct ag_session *s, unsigned sections)
{
	for (const struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->report && is_of(c, sections))
			return true;
	return false;
}

bool ag_session_clear(struct ag_session *s, unsigned sections)
{
	bool cleared = false;

	pthread_mutex_lock(&lock);
	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->clear && is_of(c, sections)) {
			c->ops->clear(c, s);
			cleared = true;
		}
	pthread_mutex_unlock(&lock);
	return cleared;
}

bool ag_session_control(struct ag_session *s, unsigned sections,
			enum ag_control control, unsigned value)
{
	bool done = false;

	pthread_mutex_lock(&lock);
	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->control && is_of(c, sections) &&
		    c->ops->control(c, s, control, value))
			done = true;
	pthread_mutex_unlock(&lock);
	return done;
}

void ag_session_report(struct ag_session *s, JNIEnv *jni,
		       const struct ag_report_options *options,
		       struct ag_profile *ret)
{
	memset(ret, 0, sizeof *ret);
	pthread_mutex_lock(&lock);
	for (struct ag_collector *c = s->collectors; c; c = c->next)
		if (c->ops->report && is_of(c, options->sections))
			c->ops->report(c, s, jni, options, ret);
	pthread_mutex_unlock(&lock);
}
