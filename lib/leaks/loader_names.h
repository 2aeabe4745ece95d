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
};

struct hp_loader_self {
	const char *name;   /* NULL: not known */
	uint64_t parent_id; /* 0: boot, or not known */
	bool is_system, is_stopped;
};

/* Moves the cursor. *RET is set only on success. */
enum hprof_status hp_loader_names_get(const struct hp_loader_names *names,
				      uint64_t object,
				      struct hp_loader_self *ret,
				      struct hprof_error *error);

#endif
