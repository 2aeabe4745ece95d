/* SPDX-License-Identifier: MIT */
/*
 * edges.c - see edges.h.
 */
#include "graph/edges.h"

#include <assert.h>

#include "base/mem.h"
#include "base/search.h"

void hp_edges_done(struct hp_build *build, struct hp_edges *e)
{
	hp_build_free(build, &e->referrer);
	hp_build_free(build, &e->degree);
	hp_build_free(build, &e->target);
	hp_build_free(build, &e->shallow);
	hp_build_free(build, &e->kinds);
	hp_free(e->apart);
	hp_free(e->runs);
	hp_free(e->lists);
	hp_free(e->larges);
	hp_free(e->weaks);
	hp_free(e->roots);
	*e = (struct hp_edges){ 0 };
}

uint64_t hp_edges_large(const struct hp_edges *e, uint32_t object)
{
	size_t low;

	HP_LOWER_BOUND(&low, e->large_count, e->larges[hp_at].index < object);
	assert(low < e->large_count && e->larges[low].index == object);
	return e->larges[low].size;
}

struct hp_edge_walk hp_edge_walk_begin(const struct hp_edges *e)
{
	return (struct hp_edge_walk){
		.degree = e->degree.at,
		.target = e->target.at,
		.apart = e->apart,
		.run = e->runs,
		.run_end = e->runs + e->run_count,
		.list = e->lists,
		.list_end = e->lists + e->list_count,
	};
}

uint64_t hp_edge_walk_list(struct hp_edge_walk *w, uint32_t object,
			   const uint32_t **ret_targets)
{
	while (w->list != w->list_end && w->list->from < object)
		w->list++;
	if (w->list == w->list_end || w->list->from != object)
		return 0;
	const struct hp_edge_list *list = w->list++;
	if (list->apart) {
		*ret_targets = w->apart + list->at;
		return list->count;
	}
	*ret_targets = w->target + list->at;
	w->at = list->at + list->count;
	return list->count;
}
