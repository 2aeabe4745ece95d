/* SPDX-License-Identifier: MIT */
/*
 * sql_table_graph.c - the rows of what the graph says of each object: its
 * dominator and retained size, or its strength.
 */
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/tables/sql_table_rows.h"

enum { LOOK = 16384 }; /* objects between two reports of progress */

/* ---- retained sizes ------------------------------------------------------ */

/*
 * The depth of each object in the dominator tree; 1 for objects that only the
 * virtual root dominates. For each object, parents are followed up to the first
 * one whose depth is known.
 */
uint32_t *retained_depths(const struct hprof_graph *graph)
{
	uint64_t count = hprof_heap_count(hprof_graph_heap(graph));
	uint32_t *depths = calloc((size_t)count + 1, sizeof(*depths));

	for (uint64_t i = 0; depths && i < count; i++) {
		uint64_t at = i;
		uint32_t steps = 0;

		if (!hprof_graph_is_reachable(graph, i))
			continue;
		while (at != HPROF_NO_OBJECT && depths[at] == 0) {
			at = hprof_graph_dominator(graph, at);
			steps++;
		}
		if (at != HPROF_NO_OBJECT)
			steps += depths[at];
		for (at = i; at != HPROF_NO_OBJECT && depths[at] == 0;
		     at = hprof_graph_dominator(graph, at))
			depths[at] = steps--;
	}
	return depths;
}

bool retained_row_put(const struct sql_tables_walk *walk, uint64_t i,
		      uint32_t depth)
{
	const struct sql_cell cells[] = {
		cell_number((int64_t)i),
		cell_object(hprof_graph_dominator(walk->graph, i)),
		cell_number(depth),
		cell_number((int64_t)hprof_graph_retained(walk->graph, i)),
	};

	return walk->row(walk->user, SQL_TABLE_RETAINED, cells);
}

enum hprof_status sql_table_retained(const struct sql_tables_walk *walk)
{
	uint64_t count = hprof_heap_count(walk->heap);
	enum hprof_status status = HPROF_OK;
	uint32_t *depths;

	if (!walk->graph || !walk->wanted[SQL_TABLE_RETAINED])
		return HPROF_OK;
	depths = retained_depths(walk->graph);
	if (!depths)
		return HPROF_E_NOMEM;
	for (uint64_t i = 0; i < count && status == HPROF_OK; i++) {
		if (i % LOOK == 0)
			walk->progress(walk->progress_user, "retained sizes", i,
				       count);
		if (depths[i] && !retained_row_put(walk, i, depths[i]))
			status = HPROF_END;
	}
	free(depths);
	return status;
}

/* ---- strengths ----------------------------------------------------------- */

bool strength_row_put(const struct sql_tables_walk *walk, uint64_t i)
{
	enum hprof_strength strength = hprof_graph_strength(walk->graph, i);
	const struct sql_cell cells[] = {
		cell_number((int64_t)i),
		cell_text(describe_strength_word(strength)),
	};

	return strength == HPROF_STRENGTH_STRONG ||
	       walk->row(walk->user, SQL_TABLE_STRENGTH, cells);
}

enum hprof_status sql_table_strength(const struct sql_tables_walk *walk)
{
	uint64_t count = hprof_heap_count(walk->heap);

	if (!walk->graph || !walk->wanted[SQL_TABLE_STRENGTH])
		return HPROF_OK;
	for (uint64_t i = 0; i < count; i++) {
		if (i % LOOK == 0)
			walk->progress(walk->progress_user, "strengths", i,
				       count);
		if (!strength_row_put(walk, i))
			return HPROF_END;
	}
	return HPROF_OK;
}
