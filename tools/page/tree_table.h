/* SPDX-License-Identifier: MIT */
/*
 * tree_table.h - a tree as a table: the heaviest nodes, each below the one that it
 * belongs to. These are what a picture of the tree shows first.
 */
#ifndef TOOLS_PAGE_TREE_TABLE_H
#define TOOLS_PAGE_TREE_TABLE_H

#include "tools/page/page.h"
#include "tools/stacks/stack_tree.h"

struct tree_table {
	const char *caption;
	const char *head; /* of the first column */
	size_t most;	  /* rows */
	/* Siblings as the tree has them; otherwise the heaviest comes first. */
	bool in_order;
	/*
	 * Of all objects, some have nodes: the second value of a node is how many it
	 * stands for, that of the root how many there are, and those in no row are
	 * counted. Otherwise nodes without a row are.
	 */
	bool of_objects;
};

/*
 * Of TREE, whose nodes weigh no more than those above them. Its first measure is
 * bytes; its second, if it has one, objects. Where there is no room for all, the
 * lightest nodes have no rows, wherever in the tree they are.
 */
void tree_table_put(struct page *page, const struct tree_table *how,
		    const struct stack_tree *tree);

#endif
