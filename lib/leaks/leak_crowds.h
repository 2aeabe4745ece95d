/* SPDX-License-Identifier: MIT */
/*
 * leak_crowds.h - threads by the hundred of one name, and loaders that defined
 * the same class again and again, which are suspects however little they keep; and
 * threads that are alike and keep much together, none of them much of it.
 */
#ifndef HP_LEAK_CROWDS_H
#define HP_LEAK_CROWDS_H

#include "hprof/leaks.h"
#include "report/object_info.h"
#include "report/root_paths.h"

/* What hprof-stat(1) names, too. */
enum { HP_CROWD_THREADS = 100, HP_CROWD_LOADERS = 10, HP_CROWD_ALIKE = 10 };

struct hp_leak_crowd {
	enum hprof_leak_kind kind;
	/* Of the threads, digits folded; NULL: of several. Of the class. */
	const char *name;
	bool alike; /* it has to keep as much as other suspects */
	/*
	 * The heads of its members: threads; of each loader the object that
	 * dominates it and is of a class of its own, or else the loader. Then
	 * what else belongs to them: objects that frames hold, classes.
	 */
	struct hp_crowd_node {
		uint32_t node, member;
	} *nodes; /* hp_free; MEMBER is an index */
	size_t count, room;
	size_t members;
	/* The thread that retains most, or the loader whose head does. */
	uint32_t member;
	uint64_t member_retained; /* by the thread and what its stack holds */
	struct hprof_stack_frame frame; /* where most of the threads are */
	uint64_t at_frame;		/* so many; 0: not known */
	/* Set by hp_leak_crowds_join: */
	uint64_t retained;
	uint64_t explains; /* of that, what no other suspect retains */
	size_t suspect;	   /* the suspect that this one is; SIZE_MAX: none */
	/* Of threads, which are roots: the nodes, sorted; hp_free. */
	uint32_t *among;
	size_t among_count;
};

struct hp_leak_crowds {
	struct hp_leak_crowd *items;
	size_t count, room;
};

/*
 * Names are from the arena of PATHS. Free with hp_leak_crowds_done, also after
 * a failure.
 */
enum hprof_status hp_leak_crowds_find(struct hp_leak_crowds *crowds,
				      struct hp_root_paths *paths,
				      struct hprof_error *error);
void hp_leak_crowds_done(struct hp_leak_crowds *crowds);

/* ---- leak_crowd_threads.c ------------------------------------------------ */

/* Adds those of threads. */
enum hprof_status hp_leak_crowds_find_threads(struct hp_leak_crowds *crowds,
					      struct hp_root_paths *paths,
					      struct hprof_error *error);

/* The name of the thread OBJECT, with '*' in place of digits; "": it has none. */
enum hprof_status hp_leak_thread_name(struct hp_root_paths *paths,
				      uint64_t object, const char **ret,
				      struct hprof_error *error);

/* ---- leak_crowd_list.c --------------------------------------------------- */

/* NULL, HPROF_E_NOMEM: there is no memory. */
struct hp_leak_crowd *hp_leak_crowds_add(struct hp_leak_crowds *crowds);
enum hprof_status hp_leak_crowd_add_node(struct hp_leak_crowd *crowd,
					 uint64_t node, size_t member);

#endif
