/* SPDX-License-Identifier: MIT */
/*
 * out_of_memory.c - see out_of_memory.h.
 *
 * With -XX:+HeapDumpOnOutOfMemoryError, HotSpot writes the dump before it throws, and
 * puts the constructor of the error on top of the thread's stack, though it was not called.
 */
#include "leaks/out_of_memory.h"

#include <string.h>

#include "base/error.h"
#include "report/object_info.h"

static bool is_of(const struct hprof_thread_row *thread)
{
	const struct hprof_stack_frame *top = thread->frames;

	return thread->frame_count && top->class_name && top->method &&
	       !strcmp(top->class_name, "java.lang.OutOfMemoryError") &&
	       !strcmp(top->method, "<init>");
}

static void find_frame(const struct hprof_thread_row *thread,
		       struct hprof_path_root *root)
{
	for (size_t i = 0; i < thread->frame_count; i++) {
		if (hp_class_is_runtime(thread->frames[i].class_name))
			continue;
		root->has_frame = true;
		root->depth = (uint32_t)i;
		root->frame = thread->frames[i];
		return;
	}
}

enum hprof_status hp_out_of_memory_find(const struct hprof_summary *summary,
					struct hp_arena *arena,
					struct hprof_thread_table **ret_threads,
					struct hprof_path_root **ret,
					struct hprof_error *error)
{
	struct hprof_path_root *root;

	*ret = NULL;
	HP_TRY(hprof_summary_threads(summary, ret_threads, error));
	for (size_t i = 0; i < (*ret_threads)->count; i++) {
		const struct hprof_thread_row *thread =
			&(*ret_threads)->rows[i];

		if (!is_of(thread))
			continue;
		root = hp_arena_take(arena, sizeof *root);
		if (!root)
			return hp_no_memory(error);
		*root = (struct hprof_path_root){
			.tag = HPROF_ROOT_THREAD_OBJ,
			.thread_serial = thread->thread_serial,
			.thread_id = thread->object_id,
			.thread_name = thread->name,
		};
		find_frame(thread, root);
		*ret = root;
		return HPROF_OK;
	}
	return HPROF_OK;
}
