/* SPDX-License-Identifier: MIT */
/*
 * shunned_edges.c - see shunned_edges.h. They are recognized by the class of
 * the object that has them, and a thread's by the name of the field.
 */
#include "report/shunned_edges.h"

#include <string.h>

#include "base/mem.h"
#include "graph/object_kind.h"

enum {
	ALL_EDGES = 1,
	LOADER_EDGES = 2,
	THREAD_EDGES = 3,
	WORKER_EDGES = 4,
	WORKING_THREAD_EDGES = 5, /* of a thread that is a worker itself */
	POOL = 6		  /* none, but workers work for it */
};

/* All references of these classes and their instances. */
static const char *const shunned_classes[] = {
	"java.lang.ApplicationShutdownHooks",
	"java.lang.ClassValue$ClassValueMap",
	"java.lang.Module",
	"java.lang.ModuleLayer",
	"java.lang.NamedPackage",
	"java.lang.Package",
	"java.lang.Shutdown",
	"java.lang.ThreadGroup",
	"java.security.AccessControlContext",
	"java.security.ProtectionDomain",
	"jdk.internal.loader.BootLoader",
	"sun.launcher.LauncherHelper",
};

/*
 * Workers, each with a reference to the pool that it is of, or to its queue, and what
 * ends the thread of a Timer. Whoever has the pool says more: that its threads keep it
 * alive is so for all pools.
 */
static const char *const worker_classes[] = {
	"java.util.concurrent.ThreadPoolExecutor$Worker",
	"java.util.concurrent.ForkJoinWorkerThread",
	"java.util.TimerThread",
	"java.util.Timer$ThreadReaper",
};

static void mark(struct hp_shunned_edges *s, const struct hprof_heap *heap,
		 const char *name, bool subclasses, uint8_t value)
{
	size_t row = hprof_heap_class_named(heap, name, 0);

	if (row >= s->count)
		return;
	s->by_class[row] = value;
	for (size_t i = 0; subclasses && i < s->count; i++)
		if (hprof_heap_class_is(heap, i, row))
			s->by_class[i] = value;
}

/* Workers are threads, or what a thread runs. */
static void mark_workers(struct hp_shunned_edges *s,
			 const struct hprof_heap *heap, const char *name)
{
	size_t row = hprof_heap_class_named(heap, name, 0);

	if (row < s->count)
		mark(s, heap, name, true,
		     s->by_class[row] == THREAD_EDGES ? WORKING_THREAD_EDGES
						      : WORKER_EDGES);
}

enum hprof_status hp_shunned_edges_init(struct hp_shunned_edges *s,
					const struct hprof_heap *heap)
{
	s->count = hprof_heap_summary(heap)->class_count;
	s->by_class = hp_calloc(s->count + 1, sizeof *s->by_class);
	s->late = hp_calloc(hp_kind_count(s->count), sizeof *s->late);
	if (!s->by_class || !s->late)
		return HPROF_E_NOMEM;
	mark(s, heap, "java.lang.ClassLoader", true, LOADER_EDGES);
	mark(s, heap, "java.lang.Thread", true, THREAD_EDGES);
	for (size_t i = 0;
	     i < sizeof shunned_classes / sizeof shunned_classes[0]; i++)
		mark(s, heap, shunned_classes[i], false, ALL_EDGES);
	for (size_t i = 0; i < sizeof worker_classes / sizeof worker_classes[0];
	     i++)
		mark_workers(s, heap, worker_classes[i]);
	mark(s, heap, "java.util.concurrent.ThreadPoolExecutor", true, POOL);
	mark(s, heap, "java.util.concurrent.ForkJoinPool", true, POOL);
	for (size_t i = 0; i < s->count; i++) {
		s->late[hp_kind_of_class(i)] = s->by_class[i] == ALL_EDGES;
		s->late[hp_kind_of_instances(i)] =
			s->by_class[i] == ALL_EDGES ||
			s->by_class[i] == LOADER_EDGES ||
			s->by_class[i] == WORKER_EDGES;
	}
	return HPROF_OK;
}

void hp_shunned_edges_done(struct hp_shunned_edges *s)
{
	hp_free(s->by_class);
	hp_free(s->late);
	*s = (struct hp_shunned_edges){ NULL, 0, NULL };
}

bool hp_shunned_edges_is_loader(const struct hp_shunned_edges *s,
				const struct hprof_object_info *object)
{
	return object->kind == HPROF_OBJECT_INSTANCE &&
	       object->class_row < s->count &&
	       s->by_class[object->class_row] == LOADER_EDGES;
}

bool hp_shunned_edges_is_worker(const struct hp_shunned_edges *s, uint32_t kind)
{
	size_t row = hp_kind_row(kind);

	return !hp_kind_is_class(kind) && row < s->count &&
	       (s->by_class[row] == WORKER_EDGES ||
		s->by_class[row] == WORKING_THREAD_EDGES);
}

bool hp_shunned_edges_is_pool(const struct hp_shunned_edges *s, uint32_t kind)
{
	size_t row = hp_kind_row(kind);

	return !hp_kind_is_class(kind) && row < s->count &&
	       s->by_class[row] == POOL;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool is_thread_field(const char *name)
{
	static const char *const names[] = { "contextClassLoader", "group",
					     "inheritedAccessControlContext" };

	return is_one_of(name, names, sizeof names / sizeof names[0]);
}

/* JDK 8 calls the queue of a thread of a ForkJoinPool workQueue. */
static bool is_worker_field(const char *name)
{
	static const char *const names[] = { "this$0", "pool", "queue",
					     "workQueue" };

	return is_one_of(name, names, sizeof names / sizeof names[0]);
}

/* Whether the field NAME of an instance with VALUE is to be shunned. */
static bool is_shunned_field(uint8_t value, const char *name)
{
	switch (value) {
	case ALL_EDGES:
	case LOADER_EDGES:
		return true;
	case THREAD_EDGES:
		return is_thread_field(name);
	case WORKER_EDGES:
		return is_worker_field(name);
	case WORKING_THREAD_EDGES:
		return is_thread_field(name) || is_worker_field(name);
	default:
		return false;
	}
}

bool hp_shunned_edges_has(const struct hp_shunned_edges *s,
			  const struct hprof_object *from,
			  const struct hprof_edge *edge)
{
	uint8_t value = from->class_row < s->count &&
					(from->kind == HPROF_OBJECT_INSTANCE ||
					 from->kind == HPROF_OBJECT_CLASS)
				? s->by_class[from->class_row]
				: 0;

	switch (edge->kind) {
	case HPROF_EDGE_FIELD:
		return is_shunned_field(value, edge->name);
	case HPROF_EDGE_STATIC:
		/* The statics of loaders and threads are like any others. */
		return value == ALL_EDGES;
	case HPROF_EDGE_ELEMENT:
	case HPROF_EDGE_REFERENT:
		return false;
	default:
		return true;
	}
}
