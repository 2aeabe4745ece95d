/* SPDX-License-Identifier: MIT */
/* leak_tree.c - see leak_tree.h and leak_search.h. */
#include "leaks/leak_tree.h"

/* Whether an object holds things that have nothing to do with each other. */
bool hp_leak_search_is_container(const struct hp_leak_search *h, uint32_t node)
{
	uint32_t kind = hp_graph_kind(h->graph, node);

	return hp_kind_is_class(kind) ||
	       h->work->container[hp_kind_row(kind)] != 0;
}

const uint32_t *hp_leak_search_children(const struct hp_leak_search *h,
					uint32_t node, const uint32_t **ret_end)
{
	const struct hp_dominator_children *below = &h->work->below;

	return hp_dominator_children_get(
		below->graph && hp_dominator_children_has(below, node)
			? below
			: &h->work->large,
		node, ret_end);
}

void hp_leak_search_count_children(struct hp_leak_search *h, uint32_t node)
{
	const uint32_t *end, *child = hp_leak_search_children(h, node, &end);

	hp_children_by_class_count(&h->work->by_class, &h->explained, h->key,
				   child, end, h->least);
}

struct hp_largest_group hp_leak_search_largest_group(struct hp_leak_search *h,
						     uint32_t node)
{
	struct hp_largest_group result = { HP_NO_NODE, 0, 0, 0 };
	const struct hp_children_by_class_table *all = &h->work->by_class;

	hp_leak_search_count_children(h, node);
	result.key = hp_children_by_class_largest(all);
	for (size_t i = 0; i < all->count; i++)
		result.all += all->items[all->keys[i]].count;
	if (result.key != HP_NO_NODE) {
		result.count = all->items[result.key].count;
		result.retained = all->items[result.key].retained;
	}
	return result;
}

uint32_t hp_leak_search_largest_child(const struct hp_leak_search *h,
				      uint32_t node)
{
	const uint32_t *end, *child = hp_leak_search_children(h, node, &end);
	uint32_t best = HP_NO_NODE;

	for (; child < end; child++)
		if (best == HP_NO_NODE || hp_leak_search_rest(h, *child) >
						  hp_leak_search_rest(h, best))
			best = *child;
	return best;
}
