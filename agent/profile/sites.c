/* SPDX-License-Identifier: MIT */
/*
 * sites.c - see sites.h.
 */
#include "agent/profile/sites.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/common/environment.h"
#include "agent/common/log.h"
#include "agent/profile/allocations.h"
#include "agent/profile/clones.h"
#include "agent/profile/drop_marks.h"
#include "agent/profile/early_sites.h"
#include "agent/profile/live_sites.h"
#include "agent/profile/marks.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"
#include "base/mem.h"

struct sites {
	struct ag_collector head;
	struct ag_session *session;
	jvmtiEnv *marks;	    /* its tags are the marks */
	pthread_mutex_t marks_lock; /* no report while they are lent */
	struct ag_marks lent;
	struct ag_allocations allocations;
	uint64_t interval;
	atomic_bool counting;
};

/* ---- one allocation ------------------------------------------------------ */

static void count(const struct sites *s, JNIEnv *jni, jthread thread,
		  jobject object, jclass class, uint64_t size)
{
	struct ag_allocation_stack stack;
	const uint32_t site = ag_allocations_count(
		&s->allocations, jni, ag_session_thread(s->session, thread),
		class, size, &stack);

	ag_clones_settle(s->marks, jni);
	if (site == 0)
		return;
	if (!stack.clone ||
	    !ag_clones_add(s->marks, jni, object, (jlong)(AG_MARK | site)))
		(*s->marks)->SetTag(s->marks, object, (jlong)(AG_MARK | site));
}

static void told(void *user, JNIEnv *jni, jthread thread, jobject object,
		 jclass class, uint64_t size)
{
	const struct sites *s = user;

	if (atomic_load(&s->counting))
		count(s, jni, thread, object, class, size);
}

/* ---- the beginning ------------------------------------------------------- */

static bool load(struct ag_collector *collector, struct ag_session *session)
{
	struct sites *s = (struct sites *)collector;

	s->session = session;
	s->allocations.jvmti = session->jvmti;
	s->allocations.told = told;
	s->allocations.user = s;
	if (!ag_allocations_prepare(&s->allocations, &session->callbacks)) {
		ag_log("no allocation sites: this JVM does not report "
		       "allocations, or another agent has them reported");
		return false;
	}
	s->allocations.classes = session->classes;
	s->allocations.traces = session->traces;
	s->marks = ag_environment(session->vm);
	if (!s->marks || !ag_environment_can_tag(s->marks))
		return false;
	return true;
}

static void loaded(struct ag_collector *collector, struct ag_session *session)
{
	struct sites *s = (struct sites *)collector;

	(void)session;
	if (!ag_allocations_enable(&s->allocations, true))
		ag_log("no allocation sites: the JVM does not report "
		       "allocations");
}

static void begin(struct ag_collector *collector, struct ag_session *session,
		  JNIEnv *jni)
{
	struct sites *s = (struct sites *)collector;

	ag_clones_begin(jni);
	if (s->interval == 0)
		ag_allocations_prime(jni, s->marks, (jlong)AG_MARK);
	atomic_store(&s->counting, true);
	/* In production nobody pays for a tag on each object that there is. */
	if (!session->late || s->interval == 0)
		ag_sites_mark_early(s->marks, session, s->allocations.counts,
				    jni);
	if (session->late && s->interval == 0)
		ag_log("the threads that run already may allocate up to 2 MB "
		       "each before they are counted");
}

static void thread_end(struct ag_collector *collector,
		       struct ag_session *session, JNIEnv *jni, jthread thread)
{
	(void)session;
	(void)thread;
	ag_clones_thread_end(((struct sites *)collector)->marks, jni);
}

/* ---- the report ---------------------------------------------------------- */

static uint64_t whole(uint64_t parts)
{
	return (parts + AG_OBJECT_PARTS / 2) / AG_OBJECT_PARTS;
}

static struct ag_site_row *make_rows(const struct sites *s, size_t *ret_count,
				     uint64_t *ret_lost)
{
	struct ag_site_sum *sums =
		ag_site_counts_sum(s->allocations.counts, ret_count, ret_lost);
	struct ag_site_row *rows =
		sums ? hp_calloc(*ret_count + 1, sizeof *rows) : NULL;

	for (size_t i = 0; rows && i < *ret_count; i++)
		rows[i] = (struct ag_site_row){
			.trace = sums[i].trace,
			.class_number = sums[i].class_number,
			.bytes = sums[i].bytes,
			.objects = sums[i].parts,
		};
	hp_free(sums);
	return rows;
}

static int by_live(const void *a, const void *b)
{
	const struct ag_site_row *x = a, *y = b;

	if (x->live_bytes != y->live_bytes)
		return x->live_bytes < y->live_bytes ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->trace != y->trace)
		return x->trace > y->trace ? 1 : -1;
	return (x->class_number > y->class_number) -
	       (x->class_number < y->class_number);
}

static int by_allocation(const void *a, const void *b)
{
	const struct ag_site_row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return by_live(a, b);
}

/* Drops empty rows, adds up the others, and makes whole objects of parts. */
static void sum_up(struct ag_site_table *t, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ag_site_row *row = &t->rows[i];

		row->objects = whole(row->objects);
		row->live_objects = whole(row->live_objects);
		if (row->objects == 0 && row->live_objects == 0)
			continue;
		t->live_bytes += row->live_bytes;
		t->live_objects += row->live_objects;
		t->bytes += row->bytes;
		t->objects += row->objects;
		t->rows[t->count++] = *row;
	}
}

/* The rows end at the first one with a share below the cutoff. */
static void cut(struct ag_site_table *t)
{
	const double total =
		(double)(t->by_allocation ? t->bytes : t->live_bytes);
	size_t kept = 0;

	t->all = t->count;
	while (kept < t->count &&
	       (double)(t->by_allocation ? t->rows[kept].bytes
					 : t->rows[kept].live_bytes) >=
		       t->cutoff * total)
		kept++;
	t->count = kept;
}

/* NULL, with a message logged, without memory. The lock is held. */
static struct ag_marks *lend(struct sites *s, const struct ag_site_row *rows,
			     size_t count)
{
	uint32_t *trace_of = hp_calloc(count + 1, sizeof *trace_of);

	if (!trace_of) {
		ag_log("out of memory: objects are without the traces of their "
		       "allocation");
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		trace_of[i] = rows[i].trace;
	s->lent = (struct ag_marks){ .jvmti = s->marks,
				     .trace_of = trace_of,
				     .site_count = count };
	ag_allocations_enter();
	return &s->lent;
}

void ag_sites_give_back(struct ag_marks *marks)
{
	struct sites *s =
		(struct sites *)((char *)marks - offsetof(struct sites, lent));

	ag_marks_restore(marks);
	hp_free(marks->trace_of);
	ag_allocations_leave();
	pthread_mutex_unlock(&s->marks_lock);
}

static void report(struct ag_collector *collector, struct ag_session *session,
		   JNIEnv *jni, const struct ag_report_options *options,
		   struct ag_profile *ret)
{
	struct sites *s = (struct sites *)collector;
	struct ag_site_table *t = &ret->sites;
	size_t count;

	pthread_mutex_lock(&s->marks_lock);
	ag_clones_settle_all(s->marks, jni);
	if (options->collect && !atomic_load(&s->session->vm_ends))
		(*s->marks)->ForceGarbageCollection(s->marks);
	t->rows = make_rows(s, &count, &t->lost);
	if (t->rows)
		ag_sites_count_live(s->marks, s->interval,
				    options->collect &&
					    atomic_load(&session->vm_ends),
				    t->rows, count);
	if (t->rows && options->lend)
		ret->marks = lend(s, t->rows, count);
	if (!ret->marks)
		pthread_mutex_unlock(&s->marks_lock);
	if (!t->rows) {
		ag_log("no allocation sites: out of memory");
		return;
	}
	t->cutoff = options->cutoff;
	t->by_allocation = options->by_allocation;
	t->collected = options->collect;
	t->interval = s->interval;
	sum_up(t, count);
	if (t->count)
		qsort(t->rows, t->count, sizeof *t->rows,
		      t->by_allocation ? by_allocation : by_live);
	cut(t);
	ret->has_sites = true;
}

static bool control(struct ag_collector *collector, struct ag_session *session,
		    enum ag_control control, unsigned value)
{
	struct sites *s = (struct sites *)collector;

	(void)session;
	if (control != AG_CONTROL_DEPTH)
		atomic_store(&s->counting, control == AG_CONTROL_ON);
	else if (value <= AG_MOST_FRAMES)
		atomic_store(&s->allocations.depth, value);
	return control != AG_CONTROL_DEPTH || value <= AG_MOST_FRAMES;
}

static void clear(struct ag_collector *collector, struct ag_session *session)
{
	(void)session;
	ag_site_counts_clear(((struct sites *)collector)->allocations.counts);
}

static void drop_marks(struct sites *s)
{
	pthread_mutex_lock(&s->marks_lock);
	ag_drop_marks(s->marks);
	pthread_mutex_unlock(&s->marks_lock);
}

static void stop(struct ag_collector *collector, struct ag_session *session,
		 JNIEnv *jni, bool vm_ends)
{
	struct sites *s = (struct sites *)collector;
	jvmtiCapabilities had;

	(void)jni;
	atomic_store(&s->counting, false);
	ag_session_enable(session, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, false);
	if (vm_ends)
		return;
	memset(&had, 0, sizeof had);
	had.can_generate_sampled_object_alloc_events = 1;
	(*session->jvmti)->RelinquishCapabilities(session->jvmti, &had);
	drop_marks(s);
}

static const struct ag_collector_ops ops = {
	.section = AG_SECTION_SITES,
	.load = load,
	.loaded = loaded,
	.begin = begin,
	.thread_end = thread_end,
	.report = report,
	.control = control,
	.clear = clear,
	.stop = stop,
};

struct ag_collector *ag_sites_new(const struct ag_options *options)
{
	struct sites *s = hp_calloc(1, sizeof *s);

	if (s)
		s->allocations.counts = ag_site_counts_new();
	if (!s || !s->allocations.counts) {
		ag_log("no allocation sites: out of memory");
		hp_free(s);
		return NULL;
	}
	assert(options->depth <= AG_MOST_FRAMES);
	s->head.ops = &ops;
	pthread_mutex_init(&s->marks_lock, NULL);
	s->interval = options->sites_interval;
	atomic_store(&s->allocations.depth, options->depth);
	atomic_store(&s->allocations.interval, s->interval);
	return &s->head;
}
