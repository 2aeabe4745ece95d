/* SPDX-License-Identifier: MIT */
/*
 * thread_locals.c - hprof_thread_locals_read: what each thread holds by itself
 * and by the frames of its stack.
 */
#include "hprof/retained.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/object_info.h"
#include "base/mem.h"

struct locals {
	struct hprof_thread_locals_table table;
	struct hp_look look;
	struct hprof_heap_root *roots; /* of threads, sorted; 0: dropped */
	size_t count;
	struct hprof_thread_local_row *rows; /* of all threads */
	struct hprof_thread_locals *threads;
};

static bool is_thread_root(const struct hprof_heap_root *root)
{
	return root->object != HPROF_NO_OBJECT && root->thread_serial &&
	       root->tag != HPROF_ROOT_JNI_GLOBAL &&
	       root->tag != HPROF_ROOT_STICKY_CLASS;
}

/*
 * Orders by thread; then the thread itself, frames, the rest; then by object.
 */
static int compare_roots(const void *left, const void *right)
{
	const struct hprof_heap_root *a = left, *b = right;
	bool thread_a = a->tag == HPROF_ROOT_THREAD_OBJ;
	bool thread_b = b->tag == HPROF_ROOT_THREAD_OBJ;
	uint32_t frame_a = (uint32_t)a->frame, frame_b = (uint32_t)b->frame;

	if (a->thread_serial != b->thread_serial)
		return a->thread_serial < b->thread_serial ? -1 : 1;
	if (thread_a != thread_b)
		return thread_a ? -1 : 1;
	if (frame_a != frame_b) /* -1, no frame, comes last */
		return frame_a < frame_b ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->tag < b->tag ? -1 : a->tag > b->tag;
}

static enum hprof_status take_roots(struct locals *l)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(l->look.heap);
	size_t count = hprof_heap_root_count(l->look.heap);

	l->roots = hp_calloc(count + 1, sizeof *l->roots);
	if (!l->roots)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < count; i++)
		if (is_thread_root(&roots[i]))
			l->roots[l->count++] = roots[i];
	if (l->count)
		qsort(l->roots, l->count, sizeof *l->roots, compare_roots);
	l->rows = hp_calloc(l->count + 1, sizeof *l->rows);
	l->threads = hp_calloc(l->count + 1, sizeof *l->threads);
	return l->rows && l->threads ? HPROF_OK : HPROF_E_NOMEM;
}

static bool is_repeated(const struct hprof_heap_root *root,
			const struct hprof_heap_root *before)
{
	return root->thread_serial == before->thread_serial &&
	       root->object == before->object && root->tag == before->tag &&
	       root->frame == before->frame;
}

static enum hprof_status take_root(struct locals *l, size_t i, size_t *used,
				   struct hprof_error *error)
{
	const struct hprof_heap_root *root = &l->roots[i];
	struct hprof_thread_locals *thread;
	struct hprof_thread_local_row *row = &l->rows[*used];

	if (i && is_repeated(root, root - 1))
		return HPROF_OK;
	if (!i || root[-1].thread_serial != root->thread_serial) {
		thread = &l->threads[l->table.count++];
		thread->thread_serial = root->thread_serial;
		thread->thread.object = HPROF_NO_OBJECT;
		thread->rows = row;
	}
	thread = &l->threads[l->table.count - 1];
	if (root->tag == HPROF_ROOT_THREAD_OBJ)
		return hp_object_info_get(&l->look, root->object,
					  &thread->thread, error);
	HP_TRY(hp_object_info_get(&l->look, root->object, &row->held, error));
	row->tag = root->tag;
	row->frame = root->frame;
	thread->count++;
	++*used;
	return HPROF_OK;
}

/* ---- what they retain together ------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/*
 * Roots have no dominators, so the sets that they retain are disjoint. A class is there
 * without the thread, whose frames refer to it because they call its methods.
 */
static enum hprof_status add_retained(struct locals *l,
				      struct hprof_thread_locals *thread)
{
	size_t count = 0;
	uint64_t *objects = hp_calloc(thread->count + 1, sizeof *objects);

	if (!objects)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < thread->count; i++)
		if (thread->rows[i].held.kind != HPROF_OBJECT_CLASS)
			objects[count++] = thread->rows[i].held.object;
	if (thread->thread.object != HPROF_NO_OBJECT)
		objects[count++] = thread->thread.object;
	if (count)
		qsort(objects, count, sizeof *objects, compare_numbers);
	for (size_t i = 0; i < count; i++)
		if (!i || objects[i] != objects[i - 1])
			thread->retained +=
				hprof_graph_retained(l->look.graph, objects[i]);
	hp_free(objects);
	return HPROF_OK;
}

static enum hprof_status make_table(struct locals *l, struct hprof_error *error)
{
	size_t used = 0;

	HP_TRY(hprof_cursor_new(l->look.heap, &l->look.cursor, error));
	if (take_roots(l) != HPROF_OK)
		return hp_no_memory(error);
	l->table.threads = l->threads;
	for (size_t i = 0; i < l->count; i++)
		HP_TRY(take_root(l, i, &used, error));
	for (size_t i = 0; i < l->table.count; i++)
		if (add_retained(l, &l->threads[i]) != HPROF_OK)
			return hp_no_memory(error);
	return HPROF_OK;
}

enum hprof_status
hprof_thread_locals_read(const struct hprof_graph *graph,
			 struct hprof_thread_locals_table **ret_table,
			 struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct locals *l;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	HP_NEED(ret_error, ret_table);
	l = hp_calloc(1, sizeof *l);
	if (!l)
		return hp_no_memory(ret_error);
	l->table.impl = l;
	l->look = (struct hp_look){ graph->heap, graph, NULL };
	status = make_table(l, ret_error);
	hprof_cursor_free(l->look.cursor);
	hp_free(l->roots);
	l->look.cursor = NULL;
	l->roots = NULL;
	if (status < 0) {
		hprof_thread_locals_free(&l->table);
		return status;
	}
	*ret_table = &l->table;
	return HPROF_OK;
}

void hprof_thread_locals_free(struct hprof_thread_locals_table *table)
{
	struct locals *l = table ? table->impl : NULL;

	if (!l)
		return;
	hp_free(l->rows);
	hp_free(l->threads);
	hp_free(l);
}
