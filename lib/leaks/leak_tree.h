/* SPDX-License-Identifier: MIT */
/*
 * leak_tree.h - the dominator tree as the search for leaks sees it: classes of
 * its objects, what they retain beside what is explained already, children.
 */
#ifndef HP_LEAK_TREE_H
#define HP_LEAK_TREE_H

#include "leaks/children_by_class.h"
#include "leaks/dominator_children.h"
#include "leaks/leak_search.h"

/* In hp_leak_search_work.container. */
enum { HP_LEAK_LOADER = 1, HP_LEAK_THREAD = 2 };

struct hp_leak_search_work {
	struct hp_children_by_class_table by_class; /* of one node at a time */
	uint32_t *seen; /* by key: how often on the way down */
	uint32_t *path; /* nodes on the way down */
	size_t path_count, path_room;
	uint32_t *todo; /* nodes to go down from */
	size_t todo_count, todo_room;
	uint8_t *container; /* by class row: 0, HP_LEAK_LOADER or _THREAD */
	struct hp_dominator_children large,
		below; /* below: for groups' largest members */
	bool no_memory;
	/* Of reading fields, for which there is an error. */
	enum hprof_status failed;
	struct hprof_error *error;
};

static inline uint32_t hp_leak_search_key(const struct hp_leak_search *h,
					  uint32_t node)
{
	return h->key[hp_graph_kind(h->graph, node)];
}

/* What NODE retains, without what other suspects explain. */
static inline uint64_t hp_leak_search_rest(const struct hp_leak_search *h,
					   uint32_t node)
{
	return hp_leak_explained_rest(&h->explained, node);
}

/* Whether NODE is an array of references. */
static inline bool hp_leak_is_array(const struct hp_leak_search *h,
				    uint32_t node)
{
	const struct hprof_summary *summary = hprof_heap_summary(h->heap);
	uint32_t kind = hp_graph_kind(h->graph, node);
	size_t row = hp_kind_row(kind);

	return !hp_kind_is_class(kind) && row < summary->class_count &&
	       summary->class_rows[row].kind == HPROF_CLASS_OBJ_ARRAY;
}

/* Whether PART is so much of a whole that the rest does not matter. */
static inline bool hp_leak_is_most(uint64_t part, uint64_t of)
{
	return part / HP_LEAK_DROP_PERCENT >= of / 100;
}

/* Counts the children of NODE in search->work->by_class. */
void hp_leak_search_count_children(struct hp_leak_search *search,
				   uint32_t node);

/* The child that retains most, or HP_NO_NODE. */
uint32_t hp_leak_search_largest_child(const struct hp_leak_search *search,
				      uint32_t node);

#endif
