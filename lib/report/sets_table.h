/* SPDX-License-Identifier: MIT */
/*
 * sets_table.h - what retained_sets.c begins, retained_pass.c counts and
 * retained_sums.c adds up.
 */
#ifndef HP_SETS_TABLE_H
#define HP_SETS_TABLE_H

#include "base/mapped_table.h"
#include "base/search.h"
#include "graph/graph.h"
#include "report/retained_sets.h"

/* The number of the set outside of all subtrees. */
enum { HP_SET_OUTSIDE = 1 };

/* A dominator of objects at which sums begin. */
struct hp_special {
	uint32_t node;	/* HP_NO_NODE: the roots as a whole */
	uint16_t plain; /* the set of all others below it */
};

struct hp_retained_sets {
	const struct hprof_graph *graph;
	const struct hp_begin *begins;
	const uint32_t *key;
	size_t begin_count;
	struct hp_beside *beside; /* or NULL */
	uint16_t *starts;	  /* the empty set of each begin */
	struct hp_special *specials;
	size_t special_count;
	uint64_t special_bits; /* a bit for the last 6 bits of each node */
	struct hp_ancestor_sets sets;
	/* By object: the set for the objects that it dominates; 0: unknown. */
	uint16_t *below;
	struct hp_mapped_tables tables;
	struct hp_mapped_table below_table;
	bool no_memory, too_many;
	struct hp_set_count *rows; /* of all threads, by set */
	size_t row_count;
	uint32_t *marks; /* by key of a sum: the last set that has it */
	uint32_t mark;
	struct hp_dominator_tree tree; /* if there are too many sets */
};

static inline uint32_t hp_retained_sets_kind(const struct hp_retained_sets *a,
					     uint32_t node)
{
	return hp_graph_kind(a->graph, node);
}

static inline bool hp_begin_has(const struct hp_begin *begin, uint32_t node)
{
	size_t i;

	HP_LOWER_BOUND(&i, begin->count, begin->among[hp_at] < node);
	return i < begin->count && begin->among[i] == node;
}

/*
 * The number of the first begin that NODE is at, whose dominator is DOMINATOR; or
 * begin_count.
 */
static inline size_t hp_retained_sets_begin(const struct hp_retained_sets *a,
					    uint32_t dominator, uint32_t node)
{
	size_t i;

	for (i = 0; i < a->begin_count; i++) {
		const struct hp_begin *b = &a->begins[i];

		if (b->node != HP_NO_NODE	? b->node == node
		    : b->dominator != dominator ? false
		    : b->among
			    ? hp_begin_has(b, node)
			    : b->key == a->key[hp_retained_sets_kind(a, node)])
			break;
	}
	return i;
}

/* retained_pass.c: sets a->rows, or too_many. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_retained_sets_take(struct hp_retained_sets *a);

#endif
