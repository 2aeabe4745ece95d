/* SPDX-License-Identifier: MIT */
/*
 * dominator_stacks.h - the objects of a dump as weighted stacks: an object is
 * below what dominates it, so that the total of a node is what its objects retain.
 */
#ifndef TOOLS_DOMINATOR_STACKS_H
#define TOOLS_DOMINATOR_STACKS_H

#include <hprof/retained.h>

#include "tools/stacks/stack_tree.h"

/* Which objects are one frame, and the tree that is made of them. */
struct dominator_stacks {
	struct stack_tree *tree; /* as stack_tree_init leaves it */
	/*
	 * The name of the frame for instances of the class at ROW, or, if
	 * IS_CLASS, for its class object. ROW may be the summary's class_count:
	 * a class that is not known. The caller frees it. Asked once for each.
	 * NULL: the name of the class.
	 */
	char *(*name)(void *user, size_t row, bool is_class);
	void *user;
};

/*
 * Makes a tree of bytes and objects from the kinds of a dump with SUMMARY. An
 * object that is dominated by one of its frame is one node with it.
 */
void dominator_stacks_make(const struct dominator_stacks *wanted,
			   const struct hprof_summary *summary,
			   const struct hprof_dominator_kinds *kinds);

#endif
