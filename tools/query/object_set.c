/* SPDX-License-Identifier: MIT */
/*
 * object_set.c - see object_set.h.
 */
#include "tools/query/object_set.h"

#include <stdlib.h>

#include "tools/query/memory_limit.h"

void object_set_done(struct object_set *set)
{
	free(set->list);
	*set = (struct object_set){ 0 };
}

void object_set_range(struct object_set *set, uint64_t first, uint64_t end)
{
	object_set_done(set);
	set->next = first;
	set->end = end;
}

void object_set_class(struct object_set *set,
		      const struct hprof_class_index *classes, size_t row,
		      bool subclasses)
{
	object_set_done(set);
	set->classes = classes;
	set->row = row;
	set->subclasses = subclasses;
	set->end = hprof_class_index_count(classes, row, subclasses);
}

bool object_set_add(void *user, uint64_t object)
{
	struct object_set *set = user;

	if (set->end == set->room) {
		size_t room = set->room ? set->room * 2 : 16;
		uint64_t *list = NULL;

		if (memory_allows(room * sizeof(*list)))
			list = realloc(set->list, room * sizeof(*list));
		if (!list)
			return false;
		set->list = list;
		set->room = room;
	}
	set->list[set->end++] = object;
	return true;
}

bool object_set_children(struct object_set *set,
			 const struct hprof_graph *graph, uint64_t of)
{
	size_t room = 64, found;
	uint64_t *list = NULL;

	do {
		free(list);
		room *= 8;
		list = calloc(room, sizeof(*list));
		if (!list)
			return false;
		found = hprof_graph_children(graph, of, room, list);
	} while (found == room);
	object_set_done(set);
	set->list = list;
	set->room = room;
	set->end = found;
	return true;
}

uint64_t object_set_next(struct object_set *set)
{
	uint64_t at = set->next;

	if (at >= set->end)
		return HPROF_NO_OBJECT;
	set->next++;
	if (set->list)
		return set->list[at];
	if (set->classes)
		return hprof_class_index_object(set->classes, set->row,
						set->subclasses, at);
	return at;
}
