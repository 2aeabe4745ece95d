/* SPDX-License-Identifier: MIT */
/*
 * garbage.c - hprof_garbage_read: garbage by class.
 */
#include "hprof/retained.h"

#include "base/error.h"
#include "report/object_info.h"
#include "base/mem.h"

struct garbage {
	struct hprof_garbage_table table;
	struct hp_arena arena;
};

static void add_up(struct garbage *g, const struct hprof_graph *graph,
		   uint64_t count, const struct hp_division *division)
{
	for (uint64_t i = 0; i < count; i++) {
		uint32_t kind = hp_graph_kind(graph, (uint32_t)i);
		struct hp_sum *sum = &division->sums[division->key[kind]];
		uint64_t shallow;

		hp_build_trim_memory(&graph->build, i);
		if (hprof_graph_strength(graph, i) != HPROF_STRENGTH_GARBAGE)
			continue;
		shallow = hprof_graph_shallow(graph, i);
		sum->objects++;
		sum->shallow += shallow;
		g->table.objects++;
		g->table.shallow += shallow;
	}
}

static enum hprof_status make_table(struct garbage *g,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	struct hp_class_keys classes;
	struct hp_division division = { NULL, NULL };

	if (hp_class_keys_init(&classes, graph->heap) == HPROF_OK)
		division.sums = hp_calloc(classes.count, sizeof(struct hp_sum));
	if (division.sums) {
		division.key = classes.key;
		add_up(g, graph, hprof_heap_count(graph->heap), &division);
		g->table.classes =
			hp_set_rows(&g->arena, division.sums, classes.names,
				    classes.count, &g->table.class_count);
	}
	hp_free(division.sums);
	hp_class_keys_done(&classes);
	return g->table.classes ? HPROF_OK : hp_no_memory(error);
}

enum hprof_status hprof_garbage_read(const struct hprof_graph *graph,
				     struct hprof_garbage_table **ret_table,
				     struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct garbage *g;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_STRENGTHS, ret_error));
	HP_NEED(ret_error, ret_table);
	g = hp_calloc(1, sizeof *g);
	if (!g)
		return hp_no_memory(ret_error);
	g->table.impl = g;
	status = make_table(g, graph, ret_error);
	if (status < 0) {
		hprof_garbage_table_free(&g->table);
		return status;
	}
	*ret_table = &g->table;
	return HPROF_OK;
}

void hprof_garbage_table_free(struct hprof_garbage_table *table)
{
	struct garbage *g = table ? table->impl : NULL;

	if (!g)
		return;
	hp_arena_done(&g->arena);
	hp_free(g);
}
