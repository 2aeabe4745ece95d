/* SPDX-License-Identifier: MIT */
/*
 * table_graph.c - the rows of what the graph says of each object: its
 * dominator and retained size, or its strength.
 */
#include "tables/table_rows.h"
#include "base/mem.h"

enum { LOOK = 16384 }; /* objects between two reports of progress */

/* ---- retained sizes ------------------------------------------------------ */

/*
 * The depth of each object in the dominator tree; 1 for objects that only the
 * virtual root dominates. For each object, parents are followed up to the first
 * one whose depth is known.
 */
uint32_t *hprof_graph_depths(const struct hprof_graph *graph)
{
	uint64_t count = hprof_heap_count(hprof_graph_heap(graph));
	uint32_t *depths =
		graph ? hp_calloc((size_t)count + 1, sizeof(*depths)) : NULL;

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

void hprof_graph_depths_free(uint32_t *depths)
{
	hp_free(depths);
}

bool hprof_retained_row_put(const struct hprof_tables_walk *walk,
			    uint64_t index, uint32_t depth)
{
	if (!walk || !walk->graph)
		return false;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)index),
		hprof_cell_object(hprof_graph_dominator(walk->graph, index)),
		hprof_cell_number(depth),
		hprof_cell_number(
			(int64_t)hprof_graph_retained(walk->graph, index)),
	};

	return walk->row(walk->user, HPROF_TABLE_RETAINED, cells);
}

enum hprof_status hp_table_retained(const struct hprof_tables_walk *walk)
{
	uint64_t count = hprof_heap_count(walk->heap);
	enum hprof_status status = HPROF_OK;
	uint32_t *depths;

	if (!walk->graph || !walk->wanted[HPROF_TABLE_RETAINED])
		return HPROF_OK;
	depths = hprof_graph_depths(walk->graph);
	if (!depths)
		return HPROF_E_NOMEM;
	for (uint64_t i = 0; i < count && status == HPROF_OK; i++) {
		if (i % LOOK == 0 &&
		    !hp_tables_say(walk, "retained sizes", i, count))
			status = HPROF_E_CANCELLED;
		else if (depths[i] &&
			 !hprof_retained_row_put(walk, i, depths[i]))
			status = HPROF_END;
	}
	hp_free(depths);
	return status;
}

/* ---- strengths ----------------------------------------------------------- */

bool hprof_strength_row_put(const struct hprof_tables_walk *walk,
			    uint64_t index)
{
	enum hprof_strength strength;

	if (!walk || !walk->graph)
		return false;
	strength = hprof_graph_strength(walk->graph, index);
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)index),
		hprof_cell_text(hprof_strength_name(strength)),
	};

	return strength == HPROF_STRENGTH_STRONG ||
	       walk->row(walk->user, HPROF_TABLE_STRENGTH, cells);
}

enum hprof_status hp_table_strength(const struct hprof_tables_walk *walk)
{
	uint64_t count = hprof_heap_count(walk->heap);

	if (!walk->graph || !walk->wanted[HPROF_TABLE_STRENGTH])
		return HPROF_OK;
	for (uint64_t i = 0; i < count; i++) {
		if (i % LOOK == 0 &&
		    !hp_tables_say(walk, "strengths", i, count))
			return HPROF_E_CANCELLED;
		if (!hprof_strength_row_put(walk, i))
			return HPROF_END;
	}
	return HPROF_OK;
}
