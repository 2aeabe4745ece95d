/* SPDX-License-Identifier: MIT */
/* arrow_source.c - see arrow_source.h. */
#include <criterion/criterion.h>

#include "arrow_source.h"

struct hprof_tables_walk walk_of(const struct source *source)
{
	return (struct hprof_tables_walk){ .size = sizeof(
						   struct hprof_tables_walk),
					   .path = "a.hprof",
					   .heap = source->o.heap,
					   .graph = source->o.graph,
					   .waste = source->waste,
					   .loaders = source->loaders,
					   .leaks = source->leaks,
					   .allocations = source->sites };
}

void open_fixture(struct source *source, const char *name)
{
	struct hprof_graph_options how = { .size = sizeof how,
					   .dominators = true,
					   .strengths = true };
	struct hprof_leak_options small = { .size = sizeof small, .bytes = 1 };
	struct hprof_graph *graph;

	*source = (struct source){ .o.heap = heap_of(name) };
	cr_assert_eq(hprof_graph_build(source->o.heap, &how, &graph, NULL),
		     HPROF_OK);
	source->o.graph = graph;
	cr_assert_eq(hprof_waste_read(graph, NULL, &source->waste, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_loader_use_read(graph, &source->loaders, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_leaks_read(graph, &small, &source->leaks, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_allocations_read(graph, HPROF_NO_OBJECT,
					    &source->sites, NULL),
		     HPROF_OK);
}

void close_source(struct source *source)
{
	hprof_allocation_table_free(source->sites);
	hprof_leak_table_free(source->leaks);
	hprof_loader_use_free(source->loaders);
	hprof_waste_table_free(source->waste);
	close_opened(&source->o);
}

struct hprof_class_index *index_of(const struct source *source)
{
	struct hprof_class_index *index;

	cr_assert_eq(hprof_class_index_build(source->o.heap, &index, NULL),
		     HPROF_OK);
	return index;
}
