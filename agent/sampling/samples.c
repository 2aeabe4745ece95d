/* SPDX-License-Identifier: MIT */
/*
 * samples.c - see samples.h. Traces have serials one after the other, so the
 * counts are an array. Samples without a stack are counted by reason; they are
 * rows of the empty trace, so that shares are shares of all the time.
 */
#include "agent/sampling/samples.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "agent/common/log.h"
#include "agent/sampling/cpu_timers.h"
#include "agent/sampling/samples_async.h"
#include "agent/sampling/samples_thread.h"
#include "agent/sampling/thread_choice.h"
#include "base/mem.h"

enum { REASONS = 16 };

struct samples {
	struct ag_collector collector;
	struct ag_session *session;
	pthread_mutex_t lock;
	uint64_t *counts; /* by serial, from AG_TRACE_FIRST on */
	size_t room;
	uint64_t empty; /* of traces with no frame, as with depth=0 */
	struct ag_thread_choice threads; /* with the lock */
	atomic_uint depth;
	struct reason {
		const char *why;
		uint64_t count;
	} reasons[REASONS];
};

static struct samples *samples_of(struct ag_collector *collector)
{
	return (struct samples *)(void *)collector;
}

static bool is_async(const struct ag_session *session)
{
	return session->options->sampler == AG_SAMPLER_ASYNC;
}

/* ---- counting ------------------------------------------------------------ */

static void count_unknown(struct samples *s, const char *why, uint64_t weight)
{
	struct reason *r = s->reasons;

	while (r < &s->reasons[REASONS - 1] && r->why && r->why != why)
		r++;
	r->why = why;
	r->count += weight;
}

/* NULL without memory. */
static uint64_t *counter_of(struct samples *s, uint32_t trace)
{
	const size_t i = trace - AG_TRACE_FIRST;
	size_t room = s->room ? s->room : 1024;
	uint64_t *counts;

	if (trace == AG_TRACE_EMPTY)
		return &s->empty;
	if (trace < AG_TRACE_FIRST)
		return NULL;
	if (i < s->room)
		return &s->counts[i];
	while (room <= i)
		room *= 2;
	counts = hp_realloc(s->counts, room, sizeof *counts);
	if (!counts)
		return NULL;
	memset(&counts[s->room], 0, (room - s->room) * sizeof *counts);
	s->counts = counts;
	s->room = room;
	return &counts[i];
}

static uint32_t thread_serial(void *user, jthread thread)
{
	const struct samples *s = user;

	/* A timer's thread need not be known; then it is of any thread. */
	return is_async(s->session)
		       ? ag_session_thread(s->session, thread)
		       : ag_threads_serial(s->session->threads, thread);
}

static bool is_wanted(struct samples *s, uint32_t thread)
{
	bool wanted;

	pthread_mutex_lock(&s->lock);
	wanted = ag_choice_has(&s->threads, thread);
	pthread_mutex_unlock(&s->lock);
	return wanted;
}

static void add_stack(void *user, JNIEnv *jni, const jvmtiFrameInfo *frames,
		      jint count, uint32_t thread, uint64_t weight)
{
	struct samples *s = user;
	const unsigned depth = atomic_load(&s->depth);
	const uint32_t frame_count =
		(uint32_t)count < depth ? (uint32_t)count : depth;
	uint32_t trace;
	uint64_t *counter;

	if (!is_wanted(s, thread))
		return;
	trace = ag_traces_add(s->session->traces, jni, frames, frame_count,
			      s->session->options->threads_in_traces ? thread
								     : 0);
	pthread_mutex_lock(&s->lock);
	counter = trace ? counter_of(s, trace) : NULL;
	if (counter)
		*counter += weight;
	else
		count_unknown(s,
			      ag_traces_full(s->session->traces)
				      ? "table of stacks full"
				      : "no memory",
			      weight);
	pthread_mutex_unlock(&s->lock);
}

static void add_unknown(void *user, const char *why, uint64_t weight)
{
	struct samples *s = user;

	/* Nobody knows whose they are. */
	if (!is_wanted(s, 0))
		return;
	pthread_mutex_lock(&s->lock);
	count_unknown(s, why, weight);
	pthread_mutex_unlock(&s->lock);
}

/* ---- the collector ------------------------------------------------------- */

static bool load(struct ag_collector *collector, struct ag_session *session)
{
	const char *why = NULL;

	samples_of(collector)->session = session;
	if (is_async(session))
		why = ag_async_load(session->vm);
	if (why)
		ag_log("no CPU samples with sampler=async: %s", why);
	return !why;
}

static void begin(struct ag_collector *collector, struct ag_session *session,
		  JNIEnv *jni)
{
	const struct ag_options *o = session->options;
	const struct ag_sample_sink sink = {
		.interval_ns = (uint64_t)o->interval_us * 1000,
		.depth = o->depth ? (jint)o->depth : 1,
		.thread = thread_serial,
		.stack = add_stack,
		.unknown = add_unknown,
		.user = samples_of(collector),
	};
	const char *why;

	atomic_store(&samples_of(collector)->depth, o->depth);
	why = is_async(session)
		      ? ag_async_start(jni, &sink)
		      : ag_thread_sampler_start(session->vm, jni, &sink);
	if (why)
		ag_log("no CPU samples with sampler=%s: %s",
		       is_async(session) ? "async" : "thread", why);
}

static void thread_start(struct ag_collector *collector,
			 struct ag_session *session, JNIEnv *jni,
			 jthread thread)
{
	(void)collector;
	if (is_async(session))
		ag_async_thread_start(thread);
	else
		ag_thread_sampler_thread_start(jni, thread);
}

static void thread_end(struct ag_collector *collector,
		       struct ag_session *session, JNIEnv *jni, jthread thread)
{
	(void)collector;
	if (is_async(session))
		ag_async_thread_end(jni);
	else
		ag_thread_sampler_thread_end(jni, thread);
}

/* Whose samples count; timers do not know every thread by its serial. */
static bool choose(struct samples *s, enum ag_control control, uint32_t thread)
{
	const bool one = control == AG_CONTROL_THREAD_ON ||
			 control == AG_CONTROL_THREAD_OFF;
	const bool on =
		control == AG_CONTROL_ON || control == AG_CONTROL_THREAD_ON;
	bool done = true;

	if (one && is_async(s->session))
		return false;
	pthread_mutex_lock(&s->lock);
	if (one)
		done = ag_choice_one(&s->threads, thread, on);
	else
		ag_choice_all(&s->threads, on);
	pthread_mutex_unlock(&s->lock);
	return done;
}

/* The samplers take stacks of the depth that they began with, at most. */
static bool control(struct ag_collector *collector, struct ag_session *session,
		    enum ag_control control, unsigned value)
{
	struct samples *s = samples_of(collector);

	if (control != AG_CONTROL_DEPTH)
		return choose(s, control, value);
	if (value > session->options->depth)
		return false;
	atomic_store(&s->depth, value);
	return true;
}

static void clear(struct ag_collector *collector, struct ag_session *session)
{
	struct samples *s = samples_of(collector);

	(void)session;
	pthread_mutex_lock(&s->lock);
	if (s->room)
		memset(s->counts, 0, s->room * sizeof *s->counts);
	s->empty = 0;
	memset(s->reasons, 0, sizeof s->reasons);
	pthread_mutex_unlock(&s->lock);
}

static void stop(struct ag_collector *collector, struct ag_session *session,
		 JNIEnv *jni, bool vm_ends)
{
	(void)vm_ends;
	(void)collector;
	if (is_async(session))
		ag_async_stop(jni);
	else
		ag_thread_sampler_stop(jni);
}

/* ---- the report ---------------------------------------------------------- */

static void add_row(struct ag_cost_table *t, uint32_t trace, uint64_t count)
{
	if (count)
		t->rows[t->count++] = (struct ag_cost_row){
			.trace = trace,
			.count = count,
		};
}

/* With the lock. False without memory. */
static bool make_rows(const struct samples *s, struct ag_cost_table *t)
{
	size_t count = 1;

	for (size_t i = 0; i < s->room; i++)
		count += s->counts[i] != 0;
	t->rows = hp_calloc(count, sizeof *t->rows);
	if (!t->rows)
		return false;
	for (size_t i = 0; i < s->room; i++)
		add_row(t, (uint32_t)(AG_TRACE_FIRST + i), s->counts[i]);
	for (size_t i = 0; i < REASONS; i++)
		t->failed += s->reasons[i].count;
	add_row(t, AG_TRACE_EMPTY, s->empty + t->failed);
	return true;
}

/* With the lock. */
static void tell_unknown(const struct samples *s, const struct ag_cost_table *t)
{
	char list[600] = "";
	size_t used = 0;

	for (size_t i = 0; i < REASONS && s->reasons[i].count; i++) {
		int n = snprintf(list + used, sizeof list - used, "%s%llu %s",
				 used ? ", " : "",
				 (unsigned long long)s->reasons[i].count,
				 s->reasons[i].why);

		if (n < 0 || (size_t)n >= sizeof list - used)
			break;
		used += (size_t)n;
	}
	ag_log("%llu CPU samples, %llu without a stack%s%s",
	       (unsigned long long)t->total, (unsigned long long)t->failed,
	       used ? ": " : "", list);
}

/* What the samples are worth. */
static void tell_way(const struct ag_session *session)
{
	const struct ag_timers_kind kind = ag_timers_kind();

	if (is_async(session))
		ag_log("sampler=async: threads with timers: %llu by "
		       "perf_event_open, %llu by timer_create, %llu without",
		       (unsigned long long)kind.counters,
		       (unsigned long long)kind.timers,
		       (unsigned long long)kind.refused);
	else
		ag_log("sampler=thread: stacks are those of the next "
		       "safepoint, a call or loop later than where the time "
		       "went");
}

static void report(struct ag_collector *collector, struct ag_session *session,
		   JNIEnv *jni, const struct ag_report_options *options,
		   struct ag_profile *ret)
{
	struct samples *s = samples_of(collector);
	struct ag_cost_table *t = &ret->samples;
	bool made;

	if (is_async(session))
		ag_async_flush(jni);
	else
		ag_thread_sampler_flush();
	t->cutoff = options->cutoff;
	pthread_mutex_lock(&s->lock);
	made = make_rows(s, t);
	ag_cost_table_order(t, AG_BY_COUNT);
	if (made && session->options->verbose)
		tell_unknown(s, t);
	if (made && session->options->verbose)
		tell_way(session);
	pthread_mutex_unlock(&s->lock);
	if (!made)
		ag_log("no CPU samples: out of memory");
	ret->has_samples = made;
}

struct ag_collector *ag_samples_new(void)
{
	static const struct ag_collector_ops ops = {
		.section = AG_SECTION_SAMPLES,
		.load = load,
		.begin = begin,
		.thread_start = thread_start,
		.thread_end = thread_end,
		.report = report,
		.control = control,
		.clear = clear,
		.stop = stop,
	};
	struct samples *s = hp_calloc(1, sizeof *s);

	if (!s) {
		ag_log("no CPU samples: out of memory");
		return NULL;
	}
	s->collector.ops = &ops;
	pthread_mutex_init(&s->lock, NULL);
	return &s->collector;
}
