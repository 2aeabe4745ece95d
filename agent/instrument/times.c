/* SPDX-License-Identifier: MIT */
/*
 * times.c - the collector of what the tracker counts.
 */
#include "agent/instrument/times.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "agent/common/log.h"
#include "agent/instrument/method_numbers.h"
#include "agent/instrument/tracker.h"
#include "agent/instrument/tracking.h"
#include "base/mem.h"

struct times {
	struct ag_collector head;
	struct ag_session *session;
	bool by_caller; /* cpu=old */
	unsigned depth;
	/* By index of method_numbers.h: numbers in the session's class list. */
	uint32_t *class_numbers;
	size_t class_count;
};

/* There is one tracker, so it counts for one session at a time. */
static _Atomic(struct times *) active;

static uint32_t thread_serial(JNIEnv *jni)
{
	const struct times *t = atomic_load(&active);

	(void)jni;
	return t ? ag_session_thread(t->session, NULL) : 0;
}

/* ---- begin and end ------------------------------------------------------- */

static bool load(struct ag_collector *collector, struct ag_session *session)
{
	struct times *t = (struct times *)collector;
	struct times *none = NULL;

	t->session = session;
	if (!atomic_compare_exchange_strong(&active, &none, t)) {
		ag_log("no CPU times: the agent counts them already");
		return false;
	}
	if (!ag_tracking_prepare(session->jvmti)) {
		atomic_store(&active, NULL);
		ag_log("no CPU times: this JVM does not let classes be "
		       "changed");
		return false;
	}
	session->callbacks.ClassFileLoadHook = ag_tracking_hook;
	return true;
}

static void begin(struct ag_collector *collector, struct ag_session *session,
		  JNIEnv *jni)
{
	struct times *t = (struct times *)collector;
	const char *why = ag_tracking_start(session->jvmti, jni);

	if (!why && !ag_tracker_engage(jni, t->depth,
				       session->options->threads_in_traces
					       ? thread_serial
					       : NULL))
		why = "its class for counting does not work";
	if (why)
		ag_log("no CPU times: %s", why);
}

static void thread_end(struct ag_collector *collector,
		       struct ag_session *session, JNIEnv *jni, jthread thread)
{
	(void)collector;
	(void)session;
	(void)thread;
	ag_tracker_end_thread(jni);
}

static void clear(struct ag_collector *collector, struct ag_session *session)
{
	void *jni = NULL;

	(void)collector;
	if ((*session->vm)->GetEnv(session->vm, &jni, JNI_VERSION_1_6) ==
	    JNI_OK)
		ag_tracker_clear(jni);
}

static void stop(struct ag_collector *collector, struct ag_session *session,
		 JNIEnv *jni, bool vm_ends)
{
	struct times *t = (struct times *)collector;

	ag_tracker_disengage(jni);
	ag_tracking_stop(session->jvmti, jni, vm_ends);
	atomic_compare_exchange_strong(&active, &t, NULL);
}

/* ---- reports ------------------------------------------------------------- */

/* Makes room for the class with that index. */
static bool reserve_classes(struct times *t, size_t index)
{
	size_t count = t->class_count;
	uint32_t *grown;

	if (index < count)
		return true;
	count = 2 * index + 64;
	grown = hp_realloc(t->class_numbers, count, sizeof *grown);
	if (!grown)
		return false;
	memset(grown + t->class_count, 0,
	       (count - t->class_count) * sizeof *grown);
	t->class_numbers = grown;
	t->class_count = count;
	return true;
}

static uint32_t class_number(struct times *t, const struct ag_method_name *name)
{
	size_t size = strlen(name->class_name) + 3;
	char *signature;

	if (!reserve_classes(t, name->class_index))
		return 0;
	if (t->class_numbers[name->class_index])
		return t->class_numbers[name->class_index];
	signature = hp_alloc(size);
	if (!signature)
		return 0;
	snprintf(signature, size, "L%s;", name->class_name);
	t->class_numbers[name->class_index] =
		ag_class_list_add(t->session->classes, signature);
	hp_free(signature);
	return t->class_numbers[name->class_index];
}

/* The frame of a method with that number, which is described, if there is one. */
static bool make_frame(struct times *t, uint32_t number, jvmtiFrameInfo *ret)
{
	struct ag_method_name name;
	struct ag_method method;

	if (number == 0 || !ag_method_find(number, &name))
		return false;
	/* Texts are only read. */
	method = (struct ag_method){
		.name = (char *)(uintptr_t)name.method,
		.signature = (char *)(uintptr_t)name.descriptor,
		.source =
			name.source[0] ? (char *)(uintptr_t)name.source : NULL,
		.class_serial = class_number(t, &name)
	};
	*ret = (jvmtiFrameInfo){ .method = name.identity, .location = -1 };
	return ag_traces_describe(t->session->traces, ret->method, &method);
}

/* The serial of a row's trace; 0 without memory. */
static uint32_t make_trace(struct times *t, JNIEnv *jni,
			   const struct ag_time_row *row, unsigned depth)
{
	jvmtiFrameInfo frames[AG_MOST_FRAMES];
	uint32_t n = 0;

	while (n < depth && make_frame(t, row->methods[n], &frames[n]))
		n++;
	return ag_traces_add(t->session->traces, jni, frames, n, row->thread);
}

/* Negative costs do not occur; a clock that was set might make them. */
static uint64_t cost_of(const struct times *t, const struct ag_time_row *row)
{
	int64_t ns = t->by_caller ? row->total_ns : row->self_ns;

	return ns > 0 ? (uint64_t)ns : 0;
}

static bool make_rows(struct times *t, JNIEnv *jni,
		      const struct ag_times *times, struct ag_cost_table *ret)
{
	ret->rows = hp_calloc(times->count + 1, sizeof *ret->rows);
	if (!ret->rows)
		return false;
	for (size_t i = 0; i < times->count; i++)
		ret->rows[i] = (struct ag_cost_row){
			.trace = make_trace(t, jni, &times->rows[i],
					    times->depth),
			.count = times->rows[i].count,
			.cost = cost_of(t, &times->rows[i])
		};
	ret->count = times->count;
	return true;
}

static void say_left_out(void)
{
	struct ag_left_out left;

	ag_methods_left_out(&left);
	if (left.classes || left.too_long)
		ag_log("CPU times: not counted are %" PRIu64
		       " classes that cannot be read and %" PRIu64
		       " methods that are too long",
		       left.classes, left.too_long);
}

static void report(struct ag_collector *collector, struct ag_session *session,
		   JNIEnv *jni, const struct ag_report_options *options,
		   struct ag_profile *ret)
{
	struct times *t = (struct times *)collector;
	struct ag_cost_table *table = t->by_caller ? &ret->calls : &ret->times;
	struct ag_times times;

	(void)session;
	if (!ag_tracker_collect(jni, &times)) {
		ag_log("no CPU times: out of memory");
		return;
	}
	table->cutoff = t->by_caller ? 0 : options->cutoff;
	if (!make_rows(t, jni, &times, table))
		ag_log("no CPU times: out of memory");
	else if (t->by_caller)
		ret->has_calls = true;
	else
		ret->has_times = true;
	ag_times_done(&times);
	ag_cost_table_order(table, t->by_caller ? AG_BY_COUNT : AG_BY_COST);
	say_left_out();
}

struct ag_collector *ag_times_new(const struct ag_options *options)
{
	static const struct ag_collector_ops ops = { .load = load,
						     .begin = begin,
						     .thread_end = thread_end,
						     .report = report,
						     .clear = clear,
						     .stop = stop };
	struct times *t = hp_calloc(1, sizeof *t);

	if (!t) {
		ag_log("no CPU times: out of memory");
		return NULL;
	}
	t->head.ops = &ops;
	t->by_caller = options->cpu == AG_CPU_OLD;
	t->depth = t->by_caller ? 2 : options->depth;
	return &t->head;
}
