/* SPDX-License-Identifier: MIT */
/*
 * root_index.h - the GC root of an object, in words: which thread, which frame.
 */
#ifndef HP_ROOT_INDEX_H
#define HP_ROOT_INDEX_H

#include "hprof/paths.h"
#include "report/object_info.h"
#include "base/u64_map.h"
#include "java/stack_traces.h"

/* A root with its place among the kinds of roots. */
struct hp_ranked_root {
	uint64_t object;
	unsigned rank;
	uint32_t index; /* among hprof_heap_roots */
};

struct hp_root_index {
	const struct hp_look *look;
	struct hp_arena *arena; /* for names; belongs to the caller */
	struct hp_stack_traces stacks;
	struct hp_ranked_root *roots; /* by object, then rank */
	size_t count;
	struct hp_u64_map threads; /* serial -> its THREAD_OBJ root */
};

/* Free with hp_root_index_done, also after a failure. */
enum hprof_status hp_root_index_init(struct hp_root_index *info,
				     const struct hp_look *look,
				     struct hp_arena *arena,
				     struct hprof_error *error);
void hp_root_index_done(struct hp_root_index *info);

/* The most informative root of OBJECT; its tag is 0 if there is none. */
enum hprof_status hp_root_index_get(struct hp_root_index *info, uint64_t object,
				    struct hprof_path_root *ret,
				    struct hprof_error *error);

/* Only the tag of that root. */
unsigned hp_root_index_tag(const struct hp_root_index *info, uint64_t object);

/* Whether that root is a stack. */
bool hp_root_index_on_stack(const struct hp_root_index *info, uint64_t object);
/*
 * Whether it is a frame in the Java runtime, as that of a thread that waits for work: who
 * has the queue says more than who waits for it.
 */
enum hprof_status hp_root_index_in_runtime(struct hp_root_index *info,
					   uint64_t object, bool *ret,
					   struct hprof_error *error);

/* The frame of ROOT, if it is on a stack; false if unknown. */
bool hp_root_index_frame(struct hp_root_index *info,
			 const struct hprof_heap_root *root,
			 struct hprof_stack_frame *ret);

/* The text of a String or char[], shortened, from ARENA; NULL if none. */
const char *hp_look_text(const struct hp_look *look, struct hp_arena *arena,
			 uint64_t id);

#endif
