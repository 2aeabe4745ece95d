/* SPDX-License-Identifier: MIT */
/*
 * leak_crowds.h - threads by the hundred of one name, and loaders that defined
 * the same class again and again. These are suspects however little they keep.
 */
#ifndef HP_LEAK_CROWDS_H
#define HP_LEAK_CROWDS_H

#include "hprof/leaks.h"
#include "report/object_info.h"
#include "report/root_paths.h"

/* What hprof-stat(1) names, too. */
enum { HP_CROWD_THREADS = 100, HP_CROWD_LOADERS = 10 };

struct hp_leak_crowd {
	enum hprof_leak_kind kind;
	const char *name; /* of the threads, digits folded; of the class */
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
	uint32_t member; /* the thread or loader whose head retains most */
	struct hprof_stack_frame frame; /* where most of the threads are */
	uint64_t at_frame;		/* so many; 0: not known */
	/* Set by hp_leak_crowds_join: */
	uint64_t retained;
	uint64_t explains; /* of that, what no other suspect retains */
	size_t suspect;	   /* the suspect that this one is; SIZE_MAX: none */
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

#endif
