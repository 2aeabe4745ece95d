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
 * Makes COUNT trees of bytes and objects in one pass over the dump. An object that
 * is dominated by one of its frame is one node with it. Needs a graph with
 * dominators; what is unreachable is left out.
 */
void dominator_stacks_add(const struct dominator_stacks *wanted, size_t count,
			  const struct hprof_graph *graph);

#endif
