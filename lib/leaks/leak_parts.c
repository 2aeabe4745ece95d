/* SPDX-License-Identifier: MIT */
/*
 * leak_parts.c - see leak_parts.h.
 *
 * Fields, statics and locals have names that say what a child is for, so each large one
 * is told, however many there are. Elements of an array are alike, and so is what several
 * fields share: they are told together, unless a few have most of it. How many have much
 * of it does not depend on what a suspect must retain; so if that is less, no fewer are
 * told.
 */
#include "leaks/leak_parts.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/sort_numbers.h"
#include "report/held_references.h"

enum {
	FEW = 3,
	FEW_PERCENT = 15 /* of a whole: smaller parts are not counted */
};

/* ---- a few --------------------------------------------------------------- */

static bool few_hold_most(const struct hp_leak_search *h, uint32_t node)
{
	const uint32_t *end, *child = hp_leak_search_children(h, node, &end);
	uint64_t whole = hp_leak_search_rest(h, node), sum = 0;
	unsigned count = 0;

	for (; child < end; child++) {
		uint64_t size = hp_leak_search_rest(h, *child);

		if (size / FEW_PERCENT < whole / 100)
			continue;
		if (size < h->least || ++count > FEW)
			return false;
		sum += size;
	}
	return count > 1 && hp_leak_is_most(sum, whole);
}

/* ---- as many as there are fields ----------------------------------------- */

/* The children of a node that retain search->least. */
struct large_children {
	uint32_t *nodes; /* hp_free; those that are no roots, ascending */
	size_t count, roots;
	uint64_t retained; /* by all */
};

static enum hprof_status find_large(const struct hp_leak_search *h,
				    uint32_t node, uint32_t key,
				    struct large_children *ret)
{
	const uint32_t *end, *child = hp_leak_search_children(h, node, &end);
	size_t room = 0;

	*ret = (struct large_children){ .count = 0 };
	for (; child < end; child++) {
		uint64_t size = hp_leak_search_rest(h, *child);

		if (size < h->least ||
		    (key != HP_NO_NODE && hp_leak_search_key(h, *child) != key))
			continue;
		ret->retained += size;
		if (hprof_graph_is_root(h->graph, *child)) {
			ret->roots++;
			continue;
		}
		HP_TRY(hp_grow((void **)&ret->nodes, &room, ret->count,
			       sizeof *ret->nodes));
		ret->nodes[ret->count++] = *child;
	}
	if (ret->count)
		qsort(ret->nodes, ret->count, sizeof *ret->nodes,
		      hp_compare_numbers);
	return HPROF_OK;
}

/* Locals of a thread are roots. */
static bool fields_hold(struct hp_leak_search *h, uint32_t node, uint32_t key,
			uint64_t most_of)
{
	struct large_children large;
	enum hprof_status status;
	size_t direct = 0, all;
	bool result;

	if (node == HP_NO_NODE || hp_leak_is_array(h, node))
		return false;
	status = find_large(h, node, key, &large);
	if (status != HPROF_OK)
		h->work->no_memory = true;
	all = large.count + large.roots;
	result = status == HPROF_OK && all > 1 &&
		 hp_leak_is_most(large.retained, most_of);
	if (result && h->work->failed == HPROF_OK)
		h->work->failed = hp_look_count_held(h->look, node, large.nodes,
						     large.count, &direct,
						     h->work->error);
	hp_free(large.nodes);
	return result &&
	       (direct + large.roots) * 100 >= all * HP_LEAK_DROP_PERCENT;
}

/* ---- for the search ------------------------------------------------------ */

bool hp_leak_is_parted(struct hp_leak_search *h, uint32_t node)
{
	return few_hold_most(h, node) ||
	       fields_hold(h, node, HP_NO_NODE, hp_leak_search_rest(h, node));
}

bool hp_leak_has_fields(struct hp_leak_search *h, uint32_t node, uint32_t key)
{
	return fields_hold(h, node, key, h->work->by_class.items[key].retained);
}
