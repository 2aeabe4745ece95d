/* SPDX-License-Identifier: MIT */
/*
 * leak_crowds.c - see leak_crowds.h. Loaders are found from the table of
 * classes, threads from the roots: neither needs a pass over all objects.
 */
#include "leaks/leak_crowds.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/dominator_tree.h"

struct finder {
	struct hp_leak_crowds *crowds;
	struct hp_root_paths *paths;
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;
};

static struct hp_leak_crowd *add_crowd(struct hp_leak_crowds *crowds)
{
	struct hp_leak_crowd *crowd;

	if (hp_grow((void **)&crowds->items, &crowds->room, crowds->count,
		    sizeof *crowds->items) != HPROF_OK)
		return NULL;
	crowd = &crowds->items[crowds->count++];
	*crowd = (struct hp_leak_crowd){ .member = HP_NO_NODE };
	return crowd;
}

static enum hprof_status add_node(struct hp_leak_crowd *crowd, uint64_t node,
				  size_t member)
{
	HP_TRY(hp_grow((void **)&crowd->nodes, &crowd->room, crowd->count,
		       sizeof *crowd->nodes));
	crowd->nodes[crowd->count++] =
		(struct hp_crowd_node){ (uint32_t)node, (uint32_t)member };
	return HPROF_OK;
}

/* ---- threads ------------------------------------------------------------- */

struct crowd_thread {
	const char *name; /* folded */
	const struct hprof_heap_root *root;
};

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

static int compare_threads(const void *left, const void *right)
{
	const struct crowd_thread *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	return a->root->object < b->root->object
		       ? -1
		       : a->root->object > b->root->object;
}

/* Virtual threads come by the thousand. */
static bool is_counted(const struct finder *f,
		       const struct hprof_heap_root *root, size_t virtual_row)
{
	uint32_t kind;

	if (root->tag != HPROF_ROOT_THREAD_OBJ ||
	    root->object == HPROF_NO_OBJECT)
		return false;
	kind = hp_graph_kind(f->graph, (uint32_t)root->object);
	return virtual_row == SIZE_MAX || hp_kind_is_class(kind) ||
	       !hprof_heap_class_is(f->heap, hp_kind_row(kind), virtual_row);
}

static enum hprof_status take_threads(const struct finder *f,
				      struct crowd_thread *threads,
				      size_t *ret_count,
				      struct hprof_error *error)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(f->heap);
	size_t virtual_row = hprof_heap_class_named(
		f->heap, "java.lang.BaseVirtualThread", 0);
	size_t count = 0;

	for (size_t i = 0; i < hprof_heap_root_count(f->heap); i++) {
		struct hprof_path_root root;
		char *name;

		if (!is_counted(f, &roots[i], virtual_row))
			continue;
		HP_TRY(hp_root_index_get(&f->paths->roots, roots[i].object,
					 &root, error));
		if (!root.thread_name)
			continue;
		name = hp_arena_text(f->paths->arena, root.thread_name,
				     strlen(root.thread_name));
		if (!name)
			return hp_no_memory(error);
		fold_digits(name);
		threads[count++] = (struct crowd_thread){ name, &roots[i] };
	}
	if (count)
		qsort(threads, count, sizeof *threads, compare_threads);
	*ret_count = count;
	return HPROF_OK;
}

/* The innermost frame that is the program's, or else the innermost of all. */
static const struct hprof_stack_frame *
frame_of(const struct finder *f, const struct hprof_heap_root *root)
{
	struct hp_stack stack =
		hp_stack_traces_find(&f->paths->roots.stacks,
				     root->trace_serial, root->thread_serial);

	for (size_t i = 0; i < stack.count; i++)
		if (!hp_class_is_runtime(stack.frames[i].class_name))
			return &stack.frames[i];
	return stack.count ? &stack.frames[0] : NULL;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Finds the frame of the first thread, and counts those that are there, too. */
static void find_frame(const struct finder *f, struct hp_leak_crowd *crowd,
		       const struct crowd_thread *threads)
{
	const struct hprof_stack_frame *first = frame_of(f, threads[0].root);

	if (!first)
		return;
	crowd->frame = *first;
	for (size_t i = 0; i < crowd->members; i++) {
		const struct hprof_stack_frame *at =
			frame_of(f, threads[i].root);

		crowd->at_frame +=
			at && at->line == first->line &&
			is_same_text(at->class_name, first->class_name) &&
			is_same_text(at->method, first->method);
	}
}

/* Adds the objects that the frames of threads with SERIALS (bits) hold. */
static enum hprof_status add_locals(const struct finder *f,
				    struct hp_leak_crowd *crowd,
				    const struct hp_u64_map *serials)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(f->heap);

	for (size_t i = 0; i < hprof_heap_root_count(f->heap); i++)
		if (roots[i].thread_serial && roots[i].frame >= 0 &&
		    roots[i].tag != HPROF_ROOT_THREAD_OBJ &&
		    roots[i].object != HPROF_NO_OBJECT &&
		    hp_u64_map_get(serials, roots[i].thread_serial))
			HP_TRY(add_node(crowd, roots[i].object, 0));
	return HPROF_OK;
}

static uint32_t largest_of(const struct finder *f,
			   const struct hp_leak_crowd *crowd)
{
	uint32_t largest = crowd->nodes[0].node;

	for (size_t i = 1; i < crowd->members; i++)
		if (hprof_graph_retained(f->graph, crowd->nodes[i].node) >
		    hprof_graph_retained(f->graph, largest))
			largest = crowd->nodes[i].node;
	return largest;
}

static enum hprof_status make_threads(const struct finder *f,
				      const struct crowd_thread *threads,
				      size_t count)
{
	struct hp_leak_crowd *crowd = add_crowd(f->crowds);
	struct hp_u64_map serials = { 0 };
	enum hprof_status status;

	if (!crowd)
		return HPROF_E_NOMEM;
	crowd->kind = HPROF_LEAK_THREADS;
	crowd->name = threads[0].name;
	status = hp_u64_map_init(&serials, 2);
	for (size_t i = 0; status == HPROF_OK && i < count; i++) {
		status = add_node(crowd, threads[i].root->object, i);
		if (status == HPROF_OK && threads[i].root->thread_serial)
			status = hp_u64_map_put(&serials,
						threads[i].root->thread_serial,
						crowd);
	}
	if (status == HPROF_OK) {
		crowd->members = count;
		crowd->member = largest_of(f, crowd);
		find_frame(f, crowd, threads);
		status = add_locals(f, crowd, &serials);
	}
	hp_u64_map_done(&serials);
	return status;
}

static enum hprof_status find_threads(const struct finder *f,
				      struct hprof_error *error)
{
	size_t most = hprof_heap_root_count(f->heap), count = 0, end;
	struct crowd_thread *threads = hp_calloc(most + 1, sizeof *threads);
	enum hprof_status status =
		threads ? take_threads(f, threads, &count, error)
			: hp_no_memory(error);

	for (size_t i = 0; status == HPROF_OK && i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (strcmp(threads[i].name, threads[end].name) != 0)
				break;
		if (end - i >= HP_CROWD_THREADS &&
		    make_threads(f, threads + i, end - i) != HPROF_OK)
			status = hp_no_memory(error);
	}
	hp_free(threads);
	return status;
}

/* ---- loaders ------------------------------------------------------------- */

/* A class that a loader defined. */
struct definition {
	const char *name;
	uint32_t class_object, loader;
};

/* Definitions of one name. */
struct definitions {
	size_t first, count;
};

static int compare_definitions(const void *left, const void *right)
{
	const struct definition *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	return a->loader < b->loader ? -1 : a->loader > b->loader;
}

static int compare_counts(const void *left, const void *right)
{
	const struct definitions *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static size_t take_definitions(const struct finder *f,
			       struct definition *definitions)
{
	const struct hprof_summary *summary = hprof_heap_summary(f->heap);
	size_t count = 0;

	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];
		uint64_t object = hprof_heap_find(f->heap, row->class_id);
		uint64_t loader = hprof_heap_find(f->heap, row->loader_id);

		if (!row->loader_id || object == HPROF_NO_OBJECT ||
		    loader == HPROF_NO_OBJECT || !row->name ||
		    !hprof_graph_is_reachable(f->graph, object) ||
		    !hprof_graph_is_reachable(f->graph, loader))
			continue;
		definitions[count++] =
			(struct definition){ row->name, (uint32_t)object,
					     (uint32_t)loader };
	}
	if (count)
		qsort(definitions, count, sizeof *definitions,
		      compare_definitions);
	return count;
}

/* The name that most loaders defined comes first. */
static size_t group_definitions(const struct definition *definitions,
				size_t count, struct definitions *groups)
{
	size_t used = 0, end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (strcmp(definitions[i].name, definitions[end].name))
				break;
		if (end - i >= HP_CROWD_LOADERS)
			groups[used++] = (struct definitions){ i, end - i };
	}
	if (used)
		qsort(groups, used, sizeof *groups, compare_counts);
	return used;
}

/* Whether the loader LOADER has defined NODE or its class. */
static bool belongs_to(const struct finder *f, uint32_t node, uint32_t loader)
{
	const struct hprof_summary *summary = hprof_heap_summary(f->heap);
	size_t row = hp_kind_row(hp_graph_kind(f->graph, node));

	return row < summary->class_count &&
	       summary->class_rows[row].loader_id &&
	       hprof_heap_find(f->heap, summary->class_rows[row].loader_id) ==
		       loader;
}

static uint32_t head_of(const struct finder *f, uint32_t loader)
{
	uint32_t at = hp_graph_dominator_node(f->graph, loader), head = loader;

	while (at != HP_NO_NODE && belongs_to(f, at, loader)) {
		head = at;
		at = hp_graph_dominator_node(f->graph, at);
	}
	return head;
}

/* Moves the definitions whose loader is in no crowd yet to a list. */
static size_t take_fresh(const struct definition *of, size_t count,
			 uint64_t *used, const struct definition **fresh)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (!hp_bit(used, of[i].loader) &&
		    (!found || fresh[found - 1]->loader != of[i].loader))
			fresh[found++] = &of[i];
	for (size_t i = 0; i < found && found >= HP_CROWD_LOADERS; i++)
		hp_bit_set(used, fresh[i]->loader);
	return found;
}

static enum hprof_status fill_crowd(const struct finder *f,
				    struct hp_leak_crowd *crowd,
				    const struct definition *const *of,
				    size_t count)
{
	uint64_t most = 0;

	crowd->kind = HPROF_LEAK_LOADERS;
	crowd->name = of[0]->name;
	crowd->members = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t head = head_of(f, of[i]->loader);
		uint64_t size = hprof_graph_retained(f->graph, head);

		HP_TRY(add_node(crowd, head, i));
		if (size > most || !i)
			crowd->member = of[i]->loader;
		most = size > most ? size : most;
	}
	for (size_t i = 0; i < count; i++) {
		HP_TRY(add_node(crowd, of[i]->loader, i));
		HP_TRY(add_node(crowd, of[i]->class_object, i));
	}
	return HPROF_OK;
}

/* A crowd of the loaders of COUNT definitions of one name, if it is one. */
static enum hprof_status make_loaders(const struct finder *f,
				      const struct definition *of, size_t count,
				      uint64_t *used)
{
	const struct definition **fresh = hp_calloc(count, sizeof *fresh);
	enum hprof_status status = HPROF_OK;
	struct hp_leak_crowd *crowd;
	size_t found;

	if (!fresh)
		return HPROF_E_NOMEM;
	found = take_fresh(of, count, used, fresh);
	if (found >= HP_CROWD_LOADERS) {
		crowd = add_crowd(f->crowds);
		status = crowd ? fill_crowd(f, crowd, fresh, found)
			       : HPROF_E_NOMEM;
	}
	hp_free(fresh);
	return status;
}

static enum hprof_status find_loaders(const struct finder *f)
{
	size_t most = hprof_heap_summary(f->heap)->class_count + 1;
	struct definition *all = hp_calloc(most, sizeof *all);
	struct definitions *groups = hp_calloc(most, sizeof *groups);
	size_t words = hp_bit_words(f->graph->edges.count);
	uint64_t *used = NULL;
	enum hprof_status status = HPROF_E_NOMEM;
	size_t count = 0, group_count = 0;

	if (all && groups) {
		count = take_definitions(f, all);
		group_count = group_definitions(all, count, groups);
		status = HPROF_OK;
	}
	if (group_count) {
		used = hp_calloc(words, sizeof *used);
		status = used ? HPROF_OK : HPROF_E_NOMEM;
	}
	for (size_t i = 0; status == HPROF_OK && i < group_count; i++)
		status = make_loaders(f, all + groups[i].first, groups[i].count,
				      used);
	hp_free(used);
	hp_free(groups);
	hp_free(all);
	return status;
}

/* ---- both ---------------------------------------------------------------- */

enum hprof_status hp_leak_crowds_find(struct hp_leak_crowds *crowds,
				      struct hp_root_paths *paths,
				      struct hprof_error *error)
{
	struct finder f = { crowds, paths, paths->look.heap,
			    paths->look.graph };

	*crowds = (struct hp_leak_crowds){ NULL, 0, 0 };
	if (find_loaders(&f) != HPROF_OK)
		return hp_no_memory(error);
	return find_threads(&f, error);
}

void hp_leak_crowds_done(struct hp_leak_crowds *crowds)
{
	for (size_t i = 0; i < crowds->count; i++)
		hp_free(crowds->items[i].nodes);
	hp_free(crowds->items);
	*crowds = (struct hp_leak_crowds){ NULL, 0, 0 };
}
