/* SPDX-License-Identifier: MIT */
/*
 * children.h - the dominator tree downwards, for statements that ask for the
 * children of many objects.
 */
#ifndef TOOLS_QUERY_CHILDREN_H
#define TOOLS_QUERY_CHILDREN_H

#include "tools/query/object_set.h"

struct children;

/*
 * Of the COUNT objects of GRAPH, which must outlive it. It takes one look at all
 * of them, as object_set_children does each time, and eight bytes for each.
 * NULL: no memory. Free it with children_free, which takes NULL.
 */
struct children *children_new(const struct hprof_graph *graph, uint64_t count);
void children_free(struct children *children);

/*
 * The objects that OF dominates directly become SET, as by
 * object_set_children. False: no memory.
 */
bool children_put(const struct children *children, uint64_t of,
		  struct object_set *set);

#endif
