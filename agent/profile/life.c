/* SPDX-License-Identifier: MIT */
/*
 * life.c - see life.h. Objects are followed as libhprof-prof does it.
 */
#include "agent/profile/life.h"

#include <stdlib.h>

#include "agent/common/log.h"
#include "agent/profile/follower.h"
#include "agent/profile/site_counts.h"
#include "base/mem.h"

struct life {
	struct ag_collector head;
	struct ag_session *session;
	struct ag_allocations allocations; /* for the follower */
	struct ag_follower *follower;
};

static uint32_t thread_serial(void *user, jthread thread)
{
	const struct life *l = user;

	return ag_session_thread(l->session, thread);
}

static bool load(struct ag_collector *collector, struct ag_session *session)
{
	static const struct ag_follower_events events = {
		.thread = thread_serial
	};
	struct life *l = (struct life *)collector;

	l->session = session;
	l->allocations.classes = session->classes;
	l->allocations.traces = session->traces;
	l->follower = ag_follower_new(session->vm, &l->allocations, &events, l);
	if (!l->follower)
		ag_log("no lives of objects: this JVM does not report "
		       "allocations, or another agent has them reported");
	return l->follower != NULL;
}

static void loaded(struct ag_collector *collector, struct ag_session *session)
{
	(void)session;
	if (!ag_follower_enable(((struct life *)collector)->follower, true))
		ag_log("no lives of objects: the JVM does not report "
		       "allocations");
}

static void begin(struct ag_collector *collector, struct ag_session *session,
		  JNIEnv *jni)
{
	(void)session;
	ag_follower_begin(((struct life *)collector)->follower, jni);
}

static void thread_end(struct ag_collector *collector,
		       struct ag_session *session, JNIEnv *jni, jthread thread)
{
	(void)session;
	(void)thread;
	ag_follower_thread_end(((struct life *)collector)->follower, jni);
}

/* ---- the report ---------------------------------------------------------- */

static uint64_t whole(uint64_t parts)
{
	return (parts + AG_OBJECT_PARTS / 2) / AG_OBJECT_PARTS;
}

static struct ag_life_row make_row(const struct ag_site_sum *site,
				   const struct ag_life_sum *life)
{
	struct ag_life_row row = {
		.trace = site->trace,
		.class_number = site->class_number,
		.objects = whole(site->parts),
		.bytes = site->bytes,
		.late_garbage = whole(life->late),
		.live_objects = whole(life->live),
		.live_bytes = life->live_bytes,
	};
	uint64_t older = 0;

	for (int age = AG_LIFE_ROWS; age > 0; age--) {
		older += life->ages[age];
		row.survived[age - 1] = whole(older);
	}
	return row;
}

static int by_late_garbage(const void *a, const void *b)
{
	const struct ag_life_row *x = a, *y = b;

	if (x->late_garbage != y->late_garbage)
		return x->late_garbage < y->late_garbage ? 1 : -1;
	if (x->live_bytes != y->live_bytes)
		return x->live_bytes < y->live_bytes ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->trace != y->trace)
		return x->trace > y->trace ? 1 : -1;
	return (x->class_number > y->class_number) -
	       (x->class_number < y->class_number);
}

/* False without memory. */
static bool fill(const struct life *l, JNIEnv *jni, bool vm_ends,
		 struct ag_life_table *ret)
{
	size_t count;
	struct ag_site_sum *sites =
		ag_site_counts_sum(l->allocations.counts, &count, &ret->lost);
	struct ag_life_sum *lives =
		sites ? ag_follower_sum(l->follower, jni, count, false, vm_ends)
		      : NULL;

	ret->rows = lives ? hp_calloc(count + 1, sizeof *ret->rows) : NULL;
	for (size_t i = 0; ret->rows && i < count; i++)
		if (sites[i].parts > 0)
			ret->rows[ret->count++] =
				make_row(&sites[i], &lives[i]);
	hp_free(sites);
	hp_free(lives);
	return ret->rows != NULL;
}

static void report(struct ag_collector *collector, struct ag_session *session,
		   JNIEnv *jni, const struct ag_report_options *options,
		   struct ag_profile *ret)
{
	const struct life *l = (struct life *)collector;
	struct ag_life_table *t = &ret->life;

	(void)options;
	if (!fill(l, jni, atomic_load(&session->vm_ends), t)) {
		ag_log("no lives of objects: out of memory");
		return;
	}
	t->interval = atomic_load(&l->allocations.interval);
	t->collections = ag_lives_collections(ag_follower_lives(l->follower));
	t->uncertain = ag_follower_late(l->follower);
	if (t->count)
		qsort(t->rows, t->count, sizeof *t->rows, by_late_garbage);
	ret->has_life = true;
}

static void stop(struct ag_collector *collector, struct ag_session *session,
		 JNIEnv *jni, bool vm_ends)
{
	struct life *l = (struct life *)collector;

	(void)session;
	(void)jni;
	ag_follower_enable(l->follower, false);
	if (!vm_ends)
		ag_follower_drop(l->follower);
}

static const struct ag_collector_ops ops = {
	.load = load,
	.loaded = loaded,
	.begin = begin,
	.thread_end = thread_end,
	.report = report,
	.stop = stop,
};

struct ag_collector *ag_life_new(const struct ag_options *options)
{
	struct life *l = hp_calloc(1, sizeof *l);

	if (l)
		l->allocations.counts = ag_site_counts_new();
	if (!l || !l->allocations.counts) {
		ag_log("no lives of objects: out of memory");
		hp_free(l);
		return NULL;
	}
	l->head.ops = &ops;
	atomic_store(&l->allocations.interval, options->sites_interval);
	atomic_store(&l->allocations.depth, options->depth);
	return &l->head;
}
