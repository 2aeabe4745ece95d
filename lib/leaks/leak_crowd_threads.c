/* SPDX-License-Identifier: MIT */
/*
 * leak_crowd_threads.c - crowds of threads, see leak_crowds.h. They are found from the
 * roots, without a pass over all objects: threads of one name, but for its digits; then,
 * of the others, those whose stacks are in the same method of the program.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/dominator_tree.h"
#include "leaks/leak_crowds.h"

struct crowd_thread {
	const char *name; /* folded; "": there is none */
	const struct hprof_heap_root *root;
	/* The innermost frame that is the program's; all NULL: there is none. */
	struct hprof_stack_frame frame;
	bool is_virtual, taken;
};

struct finder {
	struct hp_leak_crowds *crowds;
	struct hp_root_paths *paths;
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;
	struct crowd_thread *threads;
	size_t count;
	struct hp_u64_map by_serial;  /* -> its place, plus 1 */
	struct hp_u64_map own_frames; /* address of a stack -> frame_of */
	struct place {
		size_t crowd, member;
	} *places; /* of threads that are in a crowd */
	size_t placed;
};

/* ---- all threads --------------------------------------------------------- */

/* Replaces each run of digits in NAME, in place. */
static void fold_digits(char *name)
{
	char *to = name;

	for (const char *from = name; *from; to++) {
		size_t digits = strspn(from, "0123456789");

		*to = digits ? '*' : *from;
		from += digits ? digits : 1;
	}
	*to = 0;
}

enum hprof_status hp_leak_thread_name(struct hp_root_paths *paths,
				      uint64_t object, const char **ret,
				      struct hprof_error *error)
{
	struct hprof_path_root info;
	char *name;

	HP_TRY(hp_root_index_get(&paths->roots, object, &info, error));
	if (!info.thread_name)
		info.thread_name = "";
	name = hp_arena_text(paths->arena, info.thread_name,
			     strlen(info.thread_name));
	if (!name)
		return hp_no_memory(error);
	fold_digits(name);
	*ret = name;
	return HPROF_OK;
}

static bool is_virtual(const struct finder *f,
		       const struct hprof_heap_root *root, size_t virtual_row)
{
	uint32_t kind = hp_graph_kind(f->graph, (uint32_t)root->object);

	return virtual_row != SIZE_MAX && !hp_kind_is_class(kind) &&
	       hprof_heap_class_is(f->heap, hp_kind_row(kind), virtual_row);
}

/* The innermost frame that is the program's, or else the innermost of all. */
static struct hprof_stack_frame *own_frame(const struct hp_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		if (!hp_class_is_runtime(stack->frames[i].class_name))
			return &stack->frames[i];
	return &stack->frames[0];
}

/* *RET is NULL without a stack. Very many threads may name one that is long. */
static enum hprof_status frame_of(struct finder *f,
				  const struct hprof_heap_root *root,
				  const struct hprof_stack_frame **ret)
{
	struct hp_stack stack =
		hp_stack_traces_find(&f->paths->roots.stacks,
				     root->trace_serial, root->thread_serial);
	struct hprof_stack_frame *frame = NULL;

	*ret = NULL;
	if (!stack.count)
		return HPROF_OK;
	*ret = hp_u64_map_get(&f->own_frames, (uintptr_t)stack.frames);
	if (*ret)
		return HPROF_OK;
	*ret = frame = own_frame(&stack);
	return hp_u64_map_put(&f->own_frames, (uintptr_t)stack.frames, frame);
}

static enum hprof_status take_thread(struct finder *f,
				     const struct hprof_heap_root *root,
				     size_t virtual_row,
				     struct hprof_error *error)
{
	struct crowd_thread *thread = &f->threads[f->count];
	const struct hprof_stack_frame *frame;
	const char *name;

	if (frame_of(f, root, &frame) != HPROF_OK)
		return hp_no_memory(error);
	HP_TRY(hp_leak_thread_name(f->paths, root->object, &name, error));
	*thread = (struct crowd_thread){ .name = name, .root = root };
	if (frame)
		thread->frame = *frame;
	thread->is_virtual = is_virtual(f, root, virtual_row);
	f->count++;
	return HPROF_OK;
}

static enum hprof_status take_threads(struct finder *f,
				      struct hprof_error *error)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(f->heap);
	size_t virtual_row = hprof_heap_class_named(
		f->heap, "java.lang.BaseVirtualThread", 0);

	for (size_t i = 0; i < hprof_heap_root_count(f->heap); i++)
		if (roots[i].tag == HPROF_ROOT_THREAD_OBJ &&
		    roots[i].object != HPROF_NO_OBJECT)
			HP_TRY(take_thread(f, &roots[i], virtual_row, error));
	return HPROF_OK;
}

/* ---- their order --------------------------------------------------------- */

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_objects(const struct crowd_thread *a,
			   const struct crowd_thread *b)
{
	return a->root->object < b->root->object
		       ? -1
		       : a->root->object > b->root->object;
}

/* Virtual threads come by the thousand: a name of theirs is no other's. */
static int compare_names(const struct crowd_thread *a,
			 const struct crowd_thread *b)
{
	if (a->is_virtual != b->is_virtual)
		return a->is_virtual ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int compare_methods(const struct crowd_thread *a,
			   const struct crowd_thread *b)
{
	int order = compare_texts(a->frame.class_name, b->frame.class_name);

	return order ? order : compare_texts(a->frame.method, b->frame.method);
}

static int by_name(const void *left, const void *right)
{
	int order = compare_names(left, right);

	return order ? order : compare_objects(left, right);
}

static int by_method(const void *left, const void *right)
{
	int order = compare_methods(left, right);

	return order ? order : compare_objects(left, right);
}

/* ---- crowds -------------------------------------------------------------- */

/* Counts the threads that are where the first one is. */
static void find_frame(struct hp_leak_crowd *crowd,
		       const struct crowd_thread *threads)
{
	const struct hprof_stack_frame *first = &threads[0].frame;

	crowd->frame = *first;
	for (size_t i = 0; first->method && i < crowd->members; i++)
		crowd->at_frame +=
			threads[i].frame.line == first->line &&
			compare_methods(&threads[i], &threads[0]) == 0;
}

/* All of COUNT are in one crowd. NAME may be NULL. */
static enum hprof_status make_crowd(struct finder *f, const char *name,
				    struct crowd_thread *threads, size_t count,
				    bool alike)
{
	struct hp_leak_crowd *crowd = hp_leak_crowds_add(f->crowds);

	if (!crowd)
		return HPROF_E_NOMEM;
	crowd->kind = HPROF_LEAK_THREADS;
	crowd->name = name;
	crowd->alike = alike;
	for (size_t i = 0; i < count; i++) {
		const struct hprof_heap_root *root = threads[i].root;

		threads[i].taken = true;
		HP_TRY(hp_leak_crowd_add_node(crowd, root->object, i));
		f->places[f->placed] =
			(struct place){ f->crowds->count - 1, i };
		if (root->thread_serial)
			HP_TRY(hp_u64_map_put_number(
				&f->by_serial, root->thread_serial, f->placed));
		f->placed++;
	}
	crowd->members = count;
	find_frame(crowd, threads);
	return HPROF_OK;
}

static enum hprof_status find_named(struct finder *f)
{
	size_t end;

	for (size_t i = 0; i < f->count; i = end) {
		const struct crowd_thread *first = &f->threads[i];
		bool many;

		for (end = i + 1; end < f->count; end++)
			if (compare_names(first, &f->threads[end]) != 0)
				break;
		many = !first->is_virtual && end - i >= HP_CROWD_THREADS;
		if (*first->name && end - i >= HP_CROWD_ALIKE)
			HP_TRY(make_crowd(f, first->name, f->threads + i,
					  end - i, !many));
	}
	return HPROF_OK;
}

/* Leaves those that are in no crowd yet. */
static void drop_taken(struct finder *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++)
		if (!f->threads[i].taken)
			f->threads[count++] = f->threads[i];
	f->count = count;
}

static enum hprof_status find_in_method(struct finder *f)
{
	size_t end;

	for (size_t i = 0; i < f->count; i = end) {
		const struct crowd_thread *first = &f->threads[i];

		for (end = i + 1; end < f->count; end++)
			if (compare_methods(first, &f->threads[end]) != 0)
				break;
		if (first->frame.method && end - i >= HP_CROWD_ALIKE)
			HP_TRY(make_crowd(f, NULL, f->threads + i, end - i,
					  true));
	}
	return HPROF_OK;
}

/*
 * Adds what frames hold to the crowds of their threads: but for classes, which are
 * there without them.
 */
static enum hprof_status add_locals(const struct finder *f)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(f->heap);

	for (size_t i = 0; i < hprof_heap_root_count(f->heap); i++) {
		const struct hprof_heap_root *root = &roots[i];
		const struct place *place;
		size_t number;

		if (!root->thread_serial || root->frame < 0 ||
		    root->tag == HPROF_ROOT_THREAD_OBJ ||
		    root->object == HPROF_NO_OBJECT ||
		    hp_kind_is_class(
			    hp_graph_kind(f->graph, (uint32_t)root->object)))
			continue;
		number = hp_u64_map_number(&f->by_serial, root->thread_serial);
		if (number == HP_NO_NUMBER)
			continue;
		place = &f->places[number];
		HP_TRY(hp_leak_crowd_add_node(&f->crowds->items[place->crowd],
					      root->object, place->member));
	}
	return HPROF_OK;
}

static enum hprof_status find_crowds(struct finder *f)
{
	if (f->count)
		qsort(f->threads, f->count, sizeof *f->threads, by_name);
	HP_TRY(find_named(f));
	drop_taken(f);
	if (f->count)
		qsort(f->threads, f->count, sizeof *f->threads, by_method);
	HP_TRY(find_in_method(f));
	return add_locals(f);
}

enum hprof_status hp_leak_crowds_find_threads(struct hp_leak_crowds *crowds,
					      struct hp_root_paths *paths,
					      struct hprof_error *error)
{
	struct finder f = { .crowds = crowds,
			    .paths = paths,
			    .heap = paths->look.heap,
			    .graph = paths->look.graph };
	size_t most = hprof_heap_root_count(f.heap);
	enum hprof_status status = hp_u64_map_init(&f.by_serial, 2);

	if (status == HPROF_OK)
		status = hp_u64_map_init(&f.own_frames, 2);
	f.threads = hp_calloc(most + 1, sizeof *f.threads);
	f.places = hp_calloc(most + 1, sizeof *f.places);
	if (status != HPROF_OK || !f.threads || !f.places) {
		status = hp_no_memory(error);
	} else {
		status = take_threads(&f, error);
		if (status == HPROF_OK && find_crowds(&f) != HPROF_OK)
			status = hp_no_memory(error);
	}
	hp_u64_map_done(&f.by_serial);
	hp_u64_map_done(&f.own_frames);
	hp_free(f.threads);
	hp_free(f.places);
	return status;
}
