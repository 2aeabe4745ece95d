/* SPDX-License-Identifier: MIT */
/*
 * shunned_edges.c - see shunned_edges.h. They are recognized by the class of
 * the object that has them, and a thread's by the name of the field.
 */
#include "report/shunned_edges.h"

#include <string.h>

#include "base/mem.h"
#include "graph/object_kind.h"

enum { ALL_EDGES = 1, LOADER_EDGES = 2, THREAD_EDGES = 3 };

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
	for (size_t i = 0; i < s->count; i++) {
		s->late[hp_kind_of_class(i)] = s->by_class[i] == ALL_EDGES;
		s->late[hp_kind_of_instances(i)] =
			s->by_class[i] == ALL_EDGES ||
			s->by_class[i] == LOADER_EDGES;
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

static bool is_thread_field(const char *name)
{
	static const char *const names[] = { "contextClassLoader", "group",
					     "inheritedAccessControlContext" };

	for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
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
		return value == ALL_EDGES || value == LOADER_EDGES ||
		       (value == THREAD_EDGES && is_thread_field(edge->name));
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
