/* SPDX-License-Identifier: MIT */
/*
 * backlog_weaker.c - backlogs of what is only reachable through a finalizer or
 * softly.
 *
 * A collection discovers dead objects with finalizers and hands them to a
 * thread, which puts them into the finalizer queue. The collection that goes
 * before a dump of live objects always leaves some that are discovered and not
 * enqueued, so these alone are no backlog, unless the finalizer thread is busy
 * in a finalizer.
 */
#include "leaks/backlog_work.h"

#include <string.h>

#include "base/error.h"
#include "graph/strength.h"
#include "leaks/backlog_caches.h"

struct weaker {
	struct hp_backlog_work *work;
	struct hprof_backlog backlog;
	uint32_t reference, referent; /* of the last call */
	uint32_t key, holder_key;
	struct hp_backlog_caches caches; /* of soft references */
	size_t cache;
	uint64_t marker; /* the queue of references that are enqueued */
	uint64_t looks;
	enum hprof_status status;
	struct hprof_error *error;
};

/* The owner of REFERENCE or, if that is part of the runtime, its uppermost
   dominator. */
static uint32_t holder_key(const struct hp_backlog_work *w, uint32_t reference)
{
	uint64_t owner = hp_backlog_owner(w, reference), at = reference;
	uint32_t kind;

	for (; owner == HPROF_NO_OBJECT && at != HPROF_NO_OBJECT;
	     at = hprof_graph_dominator(w->look.graph, at))
		reference = (uint32_t)at;
	kind = hp_graph_kind(w->look.graph, owner == HPROF_NO_OBJECT
						    ? reference
						    : (uint32_t)owner);
	return w->keys.key[hp_kind_of_instances(hp_kind_row(kind))];
}

static void count_enqueued(struct weaker *d)
{
	uint64_t queue;

	if (!d->marker || !d->looks || d->status != HPROF_OK)
		return;
	d->looks--;
	d->status = hp_backlog_field(d->work, d->reference, "queue", &queue,
				     d->error);
	if (d->status == HPROF_OK)
		d->backlog.enqueued += queue == d->marker;
}

static void begin_reference(struct weaker *d, uint32_t reference)
{
	struct hp_backlog_work *w = d->work;

	if (d->reference == reference)
		return;
	d->reference = reference;
	d->referent = hp_graph_weak_referent(w->look.graph, reference);
	d->key = hp_backlog_key(w, d->referent == HP_NONE ? reference
							  : d->referent);
	if (d->backlog.kind == HPROF_BACKLOG_SOFT) {
		d->holder_key = holder_key(w, reference);
		if (hp_backlog_caches_find(&d->caches, reference, d->holder_key,
					   &d->cache) != HPROF_OK)
			d->status = hp_no_memory(d->error);
	} else if (hp_backlog_tell(w, &w->told.others, reference) != HPROF_OK) {
		d->status = hp_no_memory(d->error);
	}
}

static void take(void *user, uint32_t reference, uint32_t object)
{
	struct weaker *d = user;
	struct hp_sum *sum, *holder;
	uint64_t bytes = hprof_graph_shallow(d->work->look.graph, object);

	begin_reference(d, reference);
	if (d->status != HPROF_OK)
		return;
	sum = &d->work->sums[d->key];
	holder = &d->work->holder_sums[d->holder_key];
	d->backlog.objects++;
	d->backlog.retained += bytes;
	sum->retained += bytes;
	if (object == d->referent) {
		sum->objects++;
		sum->shallow += bytes;
		d->backlog.count++;
		count_enqueued(d);
	}
	if (d->backlog.kind != HPROF_BACKLOG_SOFT)
		return;
	if (d->cache != HP_NO_NUMBER)
		d->caches.items[d->cache].bytes += bytes;
	holder->retained += bytes;
	holder->objects += object == d->referent;
	holder->shallow += object == d->referent ? bytes : 0;
}

static enum hprof_status take_all(struct weaker *d,
				  enum hprof_strength strength)
{
	d->reference = d->referent = HP_NONE;
	d->looks = HP_BACKLOG_LOOKS;
	HP_TRY(hp_graph_strength_each(d->work->look.graph, strength, take, d,
				      d->error));
	return d->status;
}

/* ---- finalizers ---------------------------------------------------------- */

static bool is(const char *name, const char *wanted)
{
	return name && !strcmp(name, wanted);
}

/* The outermost finalizer that THREAD is in, or NULL. */
static const struct hprof_stack_frame *
find_running(const struct hprof_thread_row *thread)
{
	size_t i = thread->frame_count;

	while (i > 0 && !(is(thread->frames[i - 1].class_name,
			     "java.lang.ref.Finalizer") &&
			  is(thread->frames[i - 1].method, "runFinalizer")))
		i--;
	for (; i > 0; i--)
		if (is(thread->frames[i - 1].method, "finalize"))
			return &thread->frames[i - 1];
	return NULL;
}

static enum hprof_status find_thread(struct hp_backlog_work *w,
				     struct hprof_backlog *backlog,
				     struct hprof_error *error)
{
	HP_TRY(hprof_summary_threads(hprof_heap_summary(w->look.heap),
				     &w->threads, error));
	for (size_t i = 0; i < w->threads->count && !backlog->thread; i++)
		if (is(w->threads->rows[i].class_name,
		       "java.lang.ref.Finalizer$FinalizerThread"))
			backlog->thread = &w->threads->rows[i];
	if (backlog->thread)
		backlog->running = find_running(backlog->thread);
	return HPROF_OK;
}

static enum hprof_status find_finalizers(struct hp_backlog_work *w,
					 struct hprof_error *error)
{
	struct weaker d = { .work = w,
			    .backlog.kind = HPROF_BACKLOG_FINALIZERS,
			    .error = error };

	if (hprof_graph_totals(w->look.graph)
		    ->by_strength[HPROF_STRENGTH_FINALIZER]
		    .objects < HP_BACKLOG_FINALIZERS)
		return HPROF_OK;
	HP_TRY(hp_backlog_static(w, "java.lang.ref.ReferenceQueue", "ENQUEUED",
				 &d.marker, error));
	HP_TRY(take_all(&d, HPROF_STRENGTH_FINALIZER));
	if (d.backlog.count >= HP_BACKLOG_FINALIZERS)
		HP_TRY(find_thread(w, &d.backlog, error));
	if (d.backlog.enqueued < HP_BACKLOG_FINALIZERS && !d.backlog.running) {
		hp_backlog_drop(w);
		return HPROF_OK;
	}
	return hp_backlog_add(w, &d.backlog, HPROF_NO_OBJECT, error);
}

/* ---- soft references ----------------------------------------------------- */

/* The key of the class whose references keep most. */
static uint32_t largest_holder(const struct hp_backlog_work *w)
{
	uint32_t largest = 0;

	for (uint32_t i = 1; i < w->keys.count; i++)
		if (w->holder_sums[i].retained >
		    w->holder_sums[largest].retained)
			largest = i;
	return largest;
}

static enum hprof_status add_soft(struct weaker *d, struct hprof_error *error)
{
	struct hp_backlog_work *w = d->work;
	uint64_t cache;

	HP_TRY(take_all(d, HPROF_STRENGTH_SOFT));
	cache = hp_backlog_caches_largest(&d->caches, largest_holder(w));
	HP_TRY(hp_backlog_add(w, &d->backlog, cache, error));
	return hp_backlog_own_from_above(w, error);
}

static enum hprof_status find_soft(struct hp_backlog_work *w,
				   struct hprof_error *error)
{
	const struct hprof_graph_totals *totals =
		hprof_graph_totals(w->look.graph);
	uint64_t soft = totals->by_strength[HPROF_STRENGTH_SOFT].shallow;
	struct weaker d = { .work = w,
			    .backlog.kind = HPROF_BACKLOG_SOFT,
			    .error = error };
	enum hprof_status status;

	if (soft < HP_BACKLOG_SOFT_BYTES ||
	    soft / HP_BACKLOG_SOFT_PERCENT < totals->reachable_shallow / 100)
		return HPROF_OK;
	status = hp_backlog_caches_init(&d.caches, &w->look) == HPROF_OK
			 ? add_soft(&d, error)
			 : hp_no_memory(error);
	hp_backlog_caches_done(&d.caches);
	return status;
}

enum hprof_status hp_backlog_weaker(struct hp_backlog_work *w,
				    struct hprof_error *error)
{
	HP_TRY(find_finalizers(w, error));
	return find_soft(w, error);
}
