/* SPDX-License-Identifier: MIT */
/*
 * heap_pass.c - passes over all objects of a heap, and the number of each
 * object.
 */
#include "heap/heap.h"
#include "base/search.h"

enum hprof_status hp_heap_pass(const struct hprof_heap *heap,
			       const struct hp_object_scan_ops *ops,
			       void *const *states, unsigned threads,
			       const struct hp_say *say,
			       struct hprof_error *error)
{
	const struct hp_object_rescan pass = {
		.parent = heap->parent,
		.extents = &heap->extents,
		.ops = ops,
		.states = states,
		.threads = threads,
		.say = say ? *say : (struct hp_say){ .phase = "" },
	};

	return hp_object_rescan_run(&pass, error);
}

void hp_number_extent(struct hp_numbering *n, const struct hprof_heap *heap,
		      const struct hp_extent *extent)
{
	n->heap = heap;
	n->position = extent->first;
	n->limit = extent->first + extent->count;
	n->classes = heap->class_object_count;
	n->next_class_id = heap->perm ? UINT64_MAX : 0;
}

/* The number of class objects with an id below ID. */
static size_t classes_below(const struct hprof_heap *heap, uint64_t id)
{
	size_t low;

	HP_LOWER_BOUND(&low, heap->class_object_count,
		       heap->class_objects[hp_at].id < id);
	return low;
}

void hp_number_turn(struct hp_numbering *n, uint64_t id)
{
	const struct hprof_heap *heap = n->heap;

	n->classes = classes_below(heap, id);
	n->next_class_id = n->classes < heap->class_object_count
				   ? heap->class_objects[n->classes].id
				   : UINT64_MAX;
}
