/* SPDX-License-Identifier: MIT */
/*
 * object_set.h - which objects a scan visits: a range of numbers, those of some
 * classes, or a list.
 */
#ifndef TOOLS_QUERY_OBJECT_SET_H
#define TOOLS_QUERY_OBJECT_SET_H

#include <hprof.h>

/* Zero is the empty set. */
struct object_set {
	uint64_t next, end; /* positions: in the heap, a class or the list */
	const struct hprof_class_index *classes; /* NULL: no class */
	size_t row;				 /* of the class */
	bool subclasses;
	uint64_t *list; /* NULL: no list */
	size_t room;
};

/* Those from FIRST on, below END. */
void object_set_range(struct object_set *set, uint64_t first, uint64_t end);
void object_set_class(struct object_set *set,
		      const struct hprof_class_index *classes, size_t row,
		      bool subclasses);

/* An hprof_object_fn: adds to the list of the set at SET. False: no memory. */
bool object_set_add(void *set, uint64_t object);

/*
 * Those that OF dominates directly, by what they retain. False: no memory.
 */
bool object_set_children(struct object_set *set,
			 const struct hprof_graph *graph, uint64_t of);

/* The next object, or HPROF_NO_OBJECT. */
uint64_t object_set_next(struct object_set *set);

/* Makes it empty again. */
void object_set_done(struct object_set *set);

#endif
