/* SPDX-License-Identifier: MIT */
/*
 * class_instances.c - hprof_instances_read: the objects of some classes.
 */
#include "hprof/retained.h"

#include "graph/top_objects.h"
#include "base/error.h"
#include "report/object_info.h"
#include "base/mem.h"

struct instances {
	struct hprof_instance_table table;
	struct hp_top_objects biggest;
};

static void find(struct instances *t, const uint32_t *marks)
{
	const struct hprof_graph *graph = t->biggest.graph;
	uint64_t count = hprof_heap_count(graph->heap);

	for (uint64_t i = 0; i < count; i++) {
		hp_build_trim_memory(&graph->build, i);
		if (!marks[hp_graph_kind(graph, (uint32_t)i)])
			continue;
		t->table.total++;
		t->table.shallow += hprof_graph_shallow(graph, i);
		t->table.reachable += hprof_graph_is_reachable(graph, i);
		hp_top_objects_offer(&t->biggest, i);
	}
	hp_top_objects_sort(&t->biggest);
	t->table.objects = t->biggest.objects;
	t->table.count = t->biggest.count;
}

static enum hprof_status make_table(struct instances *t,
				    const struct hprof_graph *graph,
				    const size_t *rows, size_t row_count,
				    size_t top, struct hprof_error *error)
{
	uint32_t *marks;

	if (hp_top_objects_init(&t->biggest, graph, top) != 0)
		return hp_no_memory(error);
	marks = hp_class_marks(graph->heap, rows, row_count);
	if (!marks)
		return hp_no_memory(error);
	find(t, marks);
	hp_free(marks);
	return HPROF_OK;
}

enum hprof_status hprof_instances_read(const struct hprof_graph *graph,
				       const size_t *rows, size_t row_count,
				       size_t top,
				       struct hprof_instance_table **ret_table,
				       struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct instances *t;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	if (!rows && row_count)
		return hp_bad_argument(ret_error, "rows", "is NULL");
	HP_NEED(ret_error, ret_table);
	t = hp_calloc(1, sizeof *t);
	if (!t)
		return hp_no_memory(ret_error);
	t->table.impl = t;
	status = make_table(t, graph, rows, row_count, top, ret_error);
	if (status < 0) {
		hprof_instance_table_free(&t->table);
		return status;
	}
	*ret_table = &t->table;
	return HPROF_OK;
}

void hprof_instance_table_free(struct hprof_instance_table *table)
{
	struct instances *t = table ? table->impl : NULL;

	if (!t)
		return;
	hp_top_objects_done(&t->biggest);
	hp_free(t);
}
