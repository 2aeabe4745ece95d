/* SPDX-License-Identifier: MIT */
/*
 * thread_local_names.h - which ThreadLocal an entry of a thread's map belongs
 * to, by the field that holds it: the program's name for it.
 */
#ifndef HP_THREAD_LOCAL_NAMES_H
#define HP_THREAD_LOCAL_NAMES_H

#include "report/object_info.h"
#include "base/u64_map.h"

/* All zero: empty. Free with hp_thread_local_names_done. */
struct hp_thread_local_names {
	struct hp_u64_map statics; /* object + 1 -> struct hp_static_name */
	struct hp_arena arena;
	bool is_read;
};

void hp_thread_local_names_done(struct hp_thread_local_names *names);

/*
 * If EDGE is the value of an entry, finds the class and the field that hold
 * its ThreadLocal, or only the class of the ThreadLocal. Else both are NULL.
 * Moves the cursor of LOOK.
 */
enum hprof_status hp_thread_local_names_find(
	struct hp_thread_local_names *names, const struct hp_look *look,
	const struct hprof_edge *edge, const char **ret_class,
	const char **ret_field, struct hprof_error *error);

#endif
