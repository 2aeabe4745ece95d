/* SPDX-License-Identifier: MIT */
/*
 * root_index.c - see root_index.h.
 */
#include "report/root_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "layout/summary.h"
#include "base/search.h"

enum { NAME_MAX_CHARS = 1000 };

/* The most informative kinds of roots come first. */
static unsigned rank_of(unsigned tag)
{
	static const uint16_t tags[] = {
		HPROF_ROOT_THREAD_OBJ,	 HPROF_ROOT_JAVA_FRAME,
		HPROF_ROOT_JNI_LOCAL,	 HPROF_ROOT_NATIVE_STACK,
		HPROF_ROOT_THREAD_BLOCK, HPROF_ROOT_STICKY_CLASS,
		HPROF_ROOT_MONITOR_USED, HPROF_ROOT_JNI_GLOBAL,
	};
	unsigned i = 0;

	while (i < sizeof tags / sizeof tags[0] && tags[i] != tag)
		i++;
	return i;
}

static int compare_roots(const void *left, const void *right)
{
	const struct hp_ranked_root *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void take_roots(struct hp_root_index *info, size_t count)
{
	const struct hprof_heap_root *roots =
		hprof_heap_roots(info->look->heap);

	for (size_t i = 0; i < count; i++)
		if (roots[i].object != HPROF_NO_OBJECT)
			info->roots[info->count++] =
				(struct hp_ranked_root){ roots[i].object,
							 rank_of(roots[i].tag),
							 (uint32_t)i };
	if (info->count)
		qsort(info->roots, info->count, sizeof *info->roots,
		      compare_roots);
}

/* Takes the first root of each thread serial. */
static enum hprof_status take_threads(struct hp_root_index *info, size_t count)
{
	const struct hprof_heap_root *roots =
		hprof_heap_roots(info->look->heap);

	HP_TRY(hp_u64_map_init(&info->threads, 2));
	for (size_t i = 0; i < count; i++)
		if (roots[i].tag == HPROF_ROOT_THREAD_OBJ &&
		    !hp_u64_map_get(&info->threads, roots[i].thread_serial) &&
		    hp_u64_map_put(&info->threads, roots[i].thread_serial,
				   (void *)&roots[i]) != HPROF_OK)
			return HPROF_E_NOMEM;
	return HPROF_OK;
}

enum hprof_status hp_root_index_init(struct hp_root_index *info,
				     const struct hp_look *look,
				     struct hp_arena *arena,
				     struct hprof_error *error)
{
	size_t count = hprof_heap_root_count(look->heap);

	*info = (struct hp_root_index){ .look = look, .arena = arena };
	info->roots = hp_calloc(count + 1, sizeof *info->roots);
	if (!info->roots ||
	    hp_stack_traces_init(
		    &info->stacks,
		    &hprof_heap_summary(look->heap)->impl->census.symbols,
		    arena) != HPROF_OK ||
	    take_threads(info, count) != HPROF_OK)
		return hp_no_memory(error);
	take_roots(info, count);
	return HPROF_OK;
}

void hp_root_index_done(struct hp_root_index *info)
{
	hp_stack_traces_done(&info->stacks);
	hp_u64_map_done(&info->threads);
	hp_free(info->roots);
	info->roots = NULL;
}

/* The first root of OBJECT in order of rank. */
static const struct hprof_heap_root *find_root(const struct hp_root_index *info,
					       uint64_t object)
{
	size_t low;

	HP_LOWER_BOUND(&low, info->count, info->roots[hp_at].object < object);
	if (low == info->count || info->roots[low].object != object)
		return NULL;
	return &hprof_heap_roots(info->look->heap)[info->roots[low].index];
}

unsigned hp_root_index_tag(const struct hp_root_index *info, uint64_t object)
{
	const struct hprof_heap_root *root = find_root(info, object);

	return root ? root->tag : 0;
}

bool hp_root_index_on_stack(const struct hp_root_index *info, uint64_t object)
{
	unsigned tag = hp_root_index_tag(info, object);

	return tag == HPROF_ROOT_JAVA_FRAME || tag == HPROF_ROOT_JNI_LOCAL ||
	       tag == HPROF_ROOT_NATIVE_STACK;
}

enum hprof_status hp_root_index_in_runtime(struct hp_root_index *info,
					   uint64_t object, bool *ret,
					   struct hprof_error *error)
{
	struct hprof_path_root root;

	*ret = false;
	if (!hp_root_index_on_stack(info, object))
		return HPROF_OK;
	HP_TRY(hp_root_index_get(info, object, &root, error));
	*ret = root.has_frame && hp_class_is_runtime(root.frame.class_name);
	return HPROF_OK;
}

/* ---- names --------------------------------------------------------------- */

const char *hp_look_text(const struct hp_look *look, struct hp_arena *arena,
			 uint64_t id)
{
	uint64_t number = hprof_heap_find(look->heap, id);
	struct hprof_object object;
	const char *text;

	if (!id || number == HPROF_NO_OBJECT ||
	    hprof_cursor_seek(look->cursor, number, &object) != HPROF_OK ||
	    hprof_cursor_text(look->cursor, NAME_MAX_CHARS, &text, NULL) !=
		    HPROF_OK)
		return NULL;
	return hp_arena_text(arena, text, strlen(text));
}

static const char *thread_name(const struct hp_root_index *info,
			       uint64_t thread)
{
	struct hprof_cursor *cursor = info->look->cursor;
	struct hprof_object object;
	struct hprof_field name;

	if (thread == HPROF_NO_OBJECT ||
	    hprof_cursor_seek(cursor, thread, &object) != HPROF_OK ||
	    hprof_cursor_field_named(cursor, "java.lang.Thread", "name",
				     &name) != HPROF_OK)
		return NULL;
	return hp_look_text(info->look, info->arena, name.value);
}

static const struct hprof_heap_root *
thread_of(const struct hp_root_index *info, const struct hprof_heap_root *root)
{
	return root->thread_serial
		       ? hp_u64_map_get(&info->threads, root->thread_serial)
		       : NULL;
}

bool hp_root_index_frame(struct hp_root_index *info,
			 const struct hprof_heap_root *root,
			 struct hprof_stack_frame *ret)
{
	const struct hprof_heap_root *thread = thread_of(info, root);
	struct hp_stack stack;

	if (!thread || root->tag == HPROF_ROOT_THREAD_OBJ || root->frame < 0)
		return false;
	stack = hp_stack_traces_find(&info->stacks, thread->trace_serial,
				     thread->thread_serial);
	if ((size_t)root->frame >= stack.count)
		return false;
	*ret = stack.frames[root->frame];
	return true;
}

enum hprof_status hp_root_index_get(struct hp_root_index *info, uint64_t object,
				    struct hprof_path_root *ret,
				    struct hprof_error *error)
{
	const struct hprof_heap_root *root = find_root(info, object), *thread;

	*ret = (struct hprof_path_root){ 0 };
	if (!root)
		return HPROF_OK;
	ret->tag = root->tag;
	ret->thread_serial = root->thread_serial;
	thread = thread_of(info, root);
	if (!thread)
		return HPROF_OK;
	ret->thread_id = thread->object_id;
	ret->thread_name = thread_name(info, thread->object);
	if (hp_root_index_frame(info, root, &ret->frame)) {
		ret->has_frame = true;
		ret->depth = (uint32_t)root->frame;
	}
	return info->stacks.no_memory ? hp_no_memory(error) : HPROF_OK;
}
