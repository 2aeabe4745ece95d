/* SPDX-License-Identifier: MIT */
/*
 * backlog_join.c - see backlog_join.h. What backlogs tell is explained before the
 * suspects are, which then explain only the rest of what they retain; so no byte
 * counts twice. What a suspect has of it follows from what it would add.
 */
#include "leaks/backlog_join.h"

#include "base/error.h"
#include "leaks/leak_tree.h"

static uint64_t part_of_node(const struct hp_leak_search *h, uint32_t node)
{
	return hprof_graph_retained(h->graph, node) -
	       hp_leak_explained_rest(&h->explained, node);
}

/* What of the suspect S is explained. */
static uint64_t part_of(const struct hp_leak_search *h,
			const struct hp_suspect *s)
{
	uint64_t sum = 0;
	const uint32_t *end, *child;

	if (s->kind != HPROF_LEAK_GROUP)
		return part_of_node(h, s->point);
	child = hp_leak_search_children(h, s->dominator, &end);
	for (; child < end; child++)
		if (hp_leak_search_key(h, *child) == s->key)
			sum += part_of_node(h, *child);
	return sum;
}

static enum hprof_status add(struct hp_leak_search *h,
			     const struct hp_backlog_nodes *list,
			     uint64_t *ret_bytes)
{
	*ret_bytes = 0;
	return list->count
		       ? hp_leak_explained_add_all(&h->explained, list->nodes,
						   list->count, ret_bytes)
		       : HPROF_OK;
}

enum hprof_status hp_backlogs_join(const struct hp_backlogs_told *told,
				   struct hp_leak_search *h,
				   uint64_t *explained)
{
	uint64_t queued, actions, others;

	HP_TRY(add(h, &told->queued, &queued));
	HP_TRY(add(h, &told->actions, &actions));
	HP_TRY(add(h, &told->others, &others));
	*explained += queued + actions;
	if (!queued && !actions && !others)
		return HPROF_OK;
	for (size_t i = 0; i < h->count; i++)
		if (hp_leak_is_most(part_of(h, &h->suspects[i]),
				    h->suspects[i].retained))
			h->suspects[i].dropped = true;
	return HPROF_OK;
}
