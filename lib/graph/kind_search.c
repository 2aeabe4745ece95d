/* SPDX-License-Identifier: MIT */
/*
 * kind_search.c - see kind_search.h. Most objects are of no such kind, and many of
 * them are told apart from the others without a branch for each.
 */
#include "graph/kind_search.h"

enum { BLOCK = 64 };

static bool has_some(const struct hp_edges *e, const uint8_t *marks, uint64_t i)
{
	const uint16_t *narrow = e->kinds.at;
	const uint32_t *wide = e->kinds.at;
	unsigned some = 0;

	for (unsigned k = 0; k < BLOCK && !e->wide_kinds; k++)
		some |= marks[narrow[i + k]];
	for (unsigned k = 0; k < BLOCK && e->wide_kinds; k++)
		some |= marks[wide[i + k]];
	return some;
}

uint64_t hp_kind_search_next(const struct hprof_graph *graph,
			     const uint8_t *marks, uint64_t i)
{
	const struct hp_edges *e = &graph->edges;

	while (i < e->count) {
		hp_build_trim_memory(&graph->build, i);
		if (i % BLOCK == 0 && e->count - i >= BLOCK &&
		    !has_some(e, marks, i))
			i += BLOCK;
		else if (marks[hp_edges_kind(e, (uint32_t)i)])
			return i;
		else
			i++;
	}
	return e->count;
}
