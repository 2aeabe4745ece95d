/* SPDX-License-Identifier: MIT */
/*
 * backlog_queues.c - reference queues that nobody drains, and Cleaners whose
 * actions hold the objects that they are to clean up after.
 *
 * Such an object is strongly reachable, but only through its own registration,
 * which therefore dominates it; so the dominators tell, and no references have
 * to be searched. A climb ends after a few steps, since an action holds its
 * object directly or nearly so.
 */
#include "leaks/backlog_work.h"

#include "base/error.h"
#include "base/mem.h"
#include "graph/kind_search.h"
#include "graph/strength.h"

enum { CLIMB_MOST = 64 };

struct queues {
	struct hp_backlog_work *work;
	uint8_t *queue, *cleaner;    /* marks by kind */
	uint64_t finalizer_queue;    /* finalizers are a kind of their own */
	uint64_t looks, chain_looks; /* objects that may still be read */
	struct hprof_backlog cleaners;
	uint64_t largest_size, largest; /* of the registrations */
};

/* ---- which objects ------------------------------------------------------- */

static void mark(const struct queues *q, uint8_t *marks, const char *name)
{
	const struct hprof_heap *heap = q->work->look.heap;
	size_t count = hprof_heap_summary(heap)->class_count;
	size_t super = hprof_heap_class_named(heap, name, 0);

	for (size_t row = 0; super != SIZE_MAX && row < count; row++)
		if (hprof_heap_class_is(heap, row, super))
			marks[hp_kind_of_instances(row)] = 1;
}

static enum hprof_status find_classes(struct queues *q)
{
	size_t classes = hprof_heap_summary(q->work->look.heap)->class_count;

	q->queue = hp_calloc(hp_kind_count(classes), sizeof *q->queue);
	q->cleaner = hp_calloc(hp_kind_count(classes), sizeof *q->cleaner);
	if (!q->queue || !q->cleaner)
		return HPROF_E_NOMEM;
	mark(q, q->queue, "java.lang.ref.ReferenceQueue");
	mark(q, q->cleaner, "jdk.internal.ref.PhantomCleanable");
	mark(q, q->cleaner, "jdk.internal.ref.Cleaner");
	mark(q, q->cleaner, "sun.misc.Cleaner");
	return HPROF_OK;
}

/* ---- queues -------------------------------------------------------------- */

/*
 * What REFERENCE keeps; those that hang on another one are counted there: an
 * enqueued reference refers to the next.
 */
static uint64_t kept_by(const struct hprof_graph *graph, uint64_t reference)
{
	uint64_t above = hprof_graph_dominator(graph, reference);

	return above != HPROF_NO_OBJECT &&
			       hp_graph_weakness(graph, (uint32_t)above) !=
				       HPROF_STRENGTH_UNKNOWN
		       ? 0
		       : hprof_graph_retained(graph, reference);
}

static enum hprof_status take_enqueued(struct queues *q, uint64_t reference,
				       struct hprof_backlog *backlog)
{
	const struct hprof_graph *graph = q->work->look.graph;
	struct hp_sum *sum = &q->work->sums[hp_backlog_key(q->work, reference)];
	uint64_t kept = kept_by(graph, reference);

	sum->objects++;
	sum->shallow += hprof_graph_shallow(graph, reference);
	sum->retained += kept;
	backlog->retained += kept;
	backlog->count++;
	return kept ? hp_backlog_tell(q->work, &q->work->told.queued, reference)
		    : HPROF_OK;
}

/*
 * The last reference refers to itself. A chain that comes back to another one
 * (Brent: MET moves on at powers of two) is no queue of any JVM.
 */
static enum hprof_status walk_queue(struct queues *q, uint64_t head,
				    struct hprof_backlog *backlog,
				    struct hprof_error *error)
{
	const struct hprof_heap *heap = q->work->look.heap;
	uint64_t at = hprof_heap_find(heap, head), before = HPROF_NO_OBJECT;
	uint64_t met = HPROF_NO_OBJECT, moves_at = 1;

	for (; at != HPROF_NO_OBJECT && at != before && q->chain_looks;
	     q->chain_looks--) {
		uint64_t next;

		if (at == met) {
			backlog->count = 0;
			break;
		}
		if (take_enqueued(q, at, backlog) != HPROF_OK)
			return hp_no_memory(error);
		if (backlog->count == moves_at) {
			met = at;
			moves_at *= 2;
		}
		HP_TRY(hp_backlog_field(q->work, at, "next", &next, error));
		before = at;
		at = hprof_heap_find(heap, next);
	}
	return HPROF_OK;
}

static enum hprof_status look_at_queue(struct queues *q, uint64_t queue,
				       struct hprof_error *error)
{
	struct hprof_backlog backlog = { .kind = HPROF_BACKLOG_QUEUE,
					 .queues = 1 };
	size_t told = q->work->told.queued.count;
	uint64_t head, length;

	HP_TRY(hp_backlog_field(q->work, queue, "head", &head, error));
	if (!head || queue == q->finalizer_queue)
		return HPROF_OK;
	/* Some later JDK may not count them, so 0 says nothing. */
	HP_TRY(hp_backlog_field(q->work, queue, "queueLength", &length, error));
	if (length && length < HP_BACKLOG_ENQUEUED)
		return HPROF_OK;
	HP_TRY(walk_queue(q, head, &backlog, error));
	if (backlog.count >= HP_BACKLOG_ENQUEUED)
		return hp_backlog_add(q->work, &backlog, queue, error);
	q->work->told.queued.count = told;
	hp_backlog_drop(q->work);
	return HPROF_OK;
}

/* ---- Cleaners ------------------------------------------------------------ */

/*
 * The object below CLEANER in the dominator tree through which it holds its own
 * referent; HPROF_NO_OBJECT: it does not.
 */
static uint64_t holds_referent(const struct hprof_graph *graph,
			       uint64_t cleaner, uint64_t referent)
{
	for (unsigned i = 0; i < CLIMB_MOST && referent != HPROF_NO_OBJECT;
	     i++) {
		uint64_t above = hprof_graph_dominator(graph, referent);

		if (above == cleaner)
			return referent;
		referent = above;
	}
	return HPROF_NO_OBJECT;
}

static enum hprof_status look_at_cleaner(struct queues *q, uint64_t cleaner,
					 struct hprof_error *error)
{
	const struct hprof_graph *graph = q->work->look.graph;
	uint64_t referent, action, size;
	struct hp_sum *sum;

	HP_TRY(hp_backlog_field(q->work, cleaner, "referent", &referent,
				error));
	referent = hprof_heap_find(q->work->look.heap, referent);
	action = holds_referent(graph, cleaner, referent);
	if (action == HPROF_NO_OBJECT)
		return HPROF_OK;
	if (hp_backlog_tell(q->work, &q->work->told.actions, action) !=
		    HPROF_OK ||
	    hp_backlog_tell(q->work, &q->work->told.others, cleaner) !=
		    HPROF_OK)
		return hp_no_memory(error);
	size = hprof_graph_retained(graph, action);
	sum = &q->work->sums[hp_backlog_key(q->work, action)];
	sum->objects++;
	sum->shallow += hprof_graph_shallow(graph, action);
	sum->retained += size;
	q->cleaners.count++;
	q->cleaners.retained += size;
	if (size > q->largest_size) {
		q->largest_size = size;
		q->largest = cleaner;
	}
	return HPROF_OK;
}

/* ---- all of them --------------------------------------------------------- */

typedef enum hprof_status look_fn(struct queues *q, uint64_t object,
				  struct hprof_error *error);

static enum hprof_status look_at_all(struct queues *q, const uint8_t *marks,
				     look_fn *fn, struct hprof_error *error)
{
	const struct hprof_graph *graph = q->work->look.graph;
	uint64_t count = hprof_heap_count(q->work->look.heap);
	uint64_t i = hp_kind_search_next(graph, marks, 0);

	q->looks = HP_BACKLOG_LOOKS;
	for (; i < count && q->looks;
	     i = hp_kind_search_next(graph, marks, i + 1)) {
		if (!hprof_graph_is_reachable(graph, i))
			continue;
		q->looks--;
		HP_TRY(fn(q, i, error));
	}
	return HPROF_OK;
}

static enum hprof_status find_all(struct queues *q, struct hprof_error *error)
{
	uint64_t id;

	HP_TRY(hp_backlog_static(q->work, "java.lang.ref.Finalizer", "queue",
				 &id, error));
	q->finalizer_queue = hprof_heap_find(q->work->look.heap, id);
	HP_TRY(look_at_all(q, q->queue, look_at_queue, error));
	HP_TRY(look_at_all(q, q->cleaner, look_at_cleaner, error));
	if (q->cleaners.count >= HP_BACKLOG_CLEANERS)
		return hp_backlog_add(q->work, &q->cleaners, q->largest, error);
	q->work->told.actions.count = 0;
	hp_backlog_drop(q->work);
	return HPROF_OK;
}

enum hprof_status hp_backlog_queues(struct hp_backlog_work *w,
				    struct hprof_error *error)
{
	struct queues q = { .work = w,
			    .chain_looks = HP_BACKLOG_LOOKS,
			    .cleaners.kind = HPROF_BACKLOG_CLEANERS,
			    .largest = HPROF_NO_OBJECT };
	enum hprof_status status = find_classes(&q) == HPROF_OK
					   ? find_all(&q, error)
					   : hp_no_memory(error);

	hp_free(q.queue);
	hp_free(q.cleaner);
	return status;
}
