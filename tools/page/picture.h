/* SPDX-License-Identifier: MIT */
/*
 * picture.h - trees for the pictures of the page, as JSON for its script.
 */
#ifndef TOOLS_PAGE_PICTURE_H
#define TOOLS_PAGE_PICTURE_H

#include <stddef.h>

#include "tools/common/json.h"
#include "tools/stacks/stack_tree.h"

enum { PICTURE_MOST = 128 * 1024 };

/* What is counted, for people: "bytes", "samples". */
const char *picture_unit(const struct stack_measure *measure);

/*
 * The heaviest nodes of TREE as member KEY: "label", "unit", "names", and "nodes",
 * five numbers for each: index of the node before, index of the name, total,
 * self, objects. A parent precedes its children. Whatever the tree has, this
 * takes less than PICTURE_MOST bytes in a page.
 */
void picture_put(struct json *json, const char *key, const char *label,
		 const struct stack_tree *tree, size_t measure);

#endif
