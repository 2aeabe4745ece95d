/* SPDX-License-Identifier: MIT */
/*
 * loader_names.h - what a class loader says of itself: its name, its parent and
 * whether it was stopped.
 */
#ifndef HP_LOADER_NAMES_H
#define HP_LOADER_NAMES_H

#include "report/object_info.h"

struct hp_loader_names {
	const struct hp_look *look;
	struct hp_arena *arena; /* of the names */
	size_t loader_row;	/* of java.lang.ClassLoader, or SIZE_MAX */
	/*
	 * Of each row of classes, what is known of loaders of that class. Made once,
	 * from the superclasses down: of many loaders, each of a class below very
	 * many others, none climbs up to them.
	 */
	uint8_t *known;
	size_t class_count;
};

struct hp_loader_self {
	const char *name;   /* NULL: not known */
	uint64_t parent_id; /* 0: boot, or not known */
	bool is_system, is_stopped;
};

/* Fails only with HPROF_E_NOMEM; LOOK and ARENA must outlive the names. */
enum hprof_status hp_loader_names_init(struct hp_loader_names *names,
				       const struct hp_look *look,
				       struct hp_arena *arena);
void hp_loader_names_done(struct hp_loader_names *names);

/* Moves the cursor. *RET is set only on success. */
enum hprof_status hp_loader_names_get(const struct hp_loader_names *names,
				      uint64_t object,
				      struct hp_loader_self *ret,
				      struct hprof_error *error);

#endif
