/* SPDX-License-Identifier: MIT */
/*
 * export_heap.c - opens the heap and the graph for the forms that need them.
 */
#include <string.h>

#include "tools/export/export_heap.h"
#include "tools/common/diagnostics.h"
#include "tools/common/input.h"

enum { DUPLICATES_MOST = 100000 }; /* hprof-tables(7) has this number */

bool export_heap_open_path(struct export_heap *heap,
			   const struct export_job *job, const char *path,
			   unsigned dump)
{
	struct hprof_input input = export_input(job, path);
	struct hprof_heap_options how = {
		.size = sizeof(how),
		.copying = job->quiet ? NULL : input_say_copying,
		.copying_user = (void *)(uintptr_t)job->in,
	};
	struct hprof_error error = { 0 };
	enum hprof_status status;

	*heap = (struct export_heap){ 0 };
	input.dump = dump;
	input.threads = job->threads;
	input.progress = progress_phase;
	status = hprof_heap_open(&input, &how, &heap->heap, &error);
	if (status < 0)
		input_print_failure(job->in, status, &error);
	return status >= 0;
}

static bool open_heap(struct export_heap *heap, const struct export_job *job)
{
	const struct hprof_summary *summary;

	if (!export_heap_open_path(heap, job, job->in, 0))
		return false;
	summary = hprof_heap_summary(heap->heap);
	diagnostics_print(job->in, summary->diagnostics,
			  summary->diagnostic_count, job->quiet);
	return true;
}

/* ---- the graph ----------------------------------------------------------- */

static bool build_graph(struct export_heap *heap, const struct export_job *job)
{
	struct hprof_graph_options how = {
		.size = sizeof(how),
		.threads = job->threads,
		.hold = job->hold,
		.dominators = heap->retained,
		.strengths = heap->retained,
		.paths = heap->retained,
		.memory = job->memory,
		.progress = progress_phase,
		.progress_user = job->progress,
	};
	struct hprof_error error = { 0 };
	enum hprof_status status = HPROF_OK;

	if (heap->retained && !job->memory)
		status = hprof_waste_notes_new(heap->heap, &how.notes, &error);
	if (status >= 0)
		status = hprof_graph_build(heap->heap, &how, &heap->graph,
					   &error);
	if (status < 0)
		input_print_failure(job->in, status, &error);
	return status >= 0;
}

static bool find_waste(struct export_heap *heap, const struct export_job *job)
{
	struct hprof_waste_options how = {
		.size = sizeof(how),
		.memory = job->memory,
		.top = DUPLICATES_MOST,
		.progress = progress_phase,
		.progress_user = job->progress,
	};
	struct hprof_error error = { 0 };
	enum hprof_status status =
		hprof_waste_read(heap->graph, &how, &heap->waste, &error);

	if (status < 0)
		input_print_failure(job->in, status, &error);
	return status >= 0;
}

static bool find_loaders(struct export_heap *heap, const struct export_job *job)
{
	struct hprof_error error = { 0 };
	enum hprof_status status =
		hprof_loader_use_read(heap->graph, &heap->loaders, &error);

	if (status < 0)
		input_print_failure(job->in, status, &error);
	return status >= 0;
}

static bool find_suspects(struct export_heap *heap,
			  const struct export_job *job)
{
	struct hprof_error error = { 0 };
	enum hprof_status status =
		hprof_leaks_read(heap->graph, NULL, &heap->leaks, &error);

	if (status == HPROF_OK)
		status = hprof_allocations_read(heap->graph, HPROF_NO_OBJECT,
						&heap->sites, &error);
	if (status < 0)
		input_print_failure(job->in, status, &error);
	return status >= 0;
}

static bool is_wanted(const struct export_job *job, enum hprof_table table)
{
	return job->table &&
	       strcmp(job->table, hprof_table_info(table)->name) == 0;
}

static bool wants_waste(const struct export_job *job)
{
	return job->waste || is_wanted(job, HPROF_TABLE_WASTE) ||
	       is_wanted(job, HPROF_TABLE_DUPLICATE) ||
	       is_wanted(job, HPROF_TABLE_WASTE_MAP);
}

static bool wants_retained(const struct export_job *job)
{
	return job->retained || is_wanted(job, HPROF_TABLE_RETAINED) ||
	       is_wanted(job, HPROF_TABLE_STRENGTH) ||
	       is_wanted(job, HPROF_TABLE_LOADER) ||
	       is_wanted(job, HPROF_TABLE_SUSPECT) ||
	       is_wanted(job, HPROF_TABLE_SUSPECT_PATH) ||
	       is_wanted(job, HPROF_TABLE_SITE);
}

bool export_heap_open(struct export_heap *heap, const struct export_job *job)
{
	bool waste = wants_waste(job);

	if (!open_heap(heap, job))
		return false;
	heap->retained = wants_retained(job);
	if ((!heap->retained && !waste) ||
	    (build_graph(heap, job) &&
	     (!heap->retained ||
	      (find_loaders(heap, job) && find_suspects(heap, job))) &&
	     (!waste || find_waste(heap, job))))
		return true;
	export_heap_close(heap);
	return false;
}

int export_heap_status(const struct export_heap *heap)
{
	return hprof_heap_summary(heap->heap)->errors ? CLI_NO : CLI_FINE;
}

void export_heap_close(struct export_heap *heap)
{
	hprof_waste_table_free(heap->waste);
	hprof_loader_use_free(heap->loaders);
	hprof_leak_table_free(heap->leaks);
	hprof_allocation_table_free(heap->sites);
	hprof_graph_free(heap->graph);
	hprof_heap_close(heap->heap);
}

struct hprof_tables_walk export_heap_walk(const struct export_heap *heap,
					  const struct export_job *job)
{
	struct hprof_tables_walk walk = {
		.size = sizeof(walk),
		.path = job->in,
		.heap = heap->heap,
		.graph = heap->graph,
		.waste = heap->waste,
		.loaders = heap->loaders,
		.leaks = heap->leaks,
		.allocations = heap->sites,
		.progress = progress_phase,
		.progress_user = job->progress,
	};

	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++)
		walk.wanted[i] = true;
	walk.wanted[HPROF_TABLE_VALUE] = !job->no_values;
	walk.wanted[HPROF_TABLE_RETAINED] = heap->retained;
	walk.wanted[HPROF_TABLE_STRENGTH] = heap->retained;
	walk.wanted[HPROF_TABLE_LOADER] = heap->loaders != NULL;
	walk.wanted[HPROF_TABLE_SUSPECT] = heap->leaks != NULL;
	walk.wanted[HPROF_TABLE_SUSPECT_PATH] = heap->leaks != NULL;
	walk.wanted[HPROF_TABLE_SITE] = heap->sites != NULL;
	walk.wanted[HPROF_TABLE_WASTE] = heap->waste != NULL;
	walk.wanted[HPROF_TABLE_DUPLICATE] = heap->waste != NULL;
	walk.wanted[HPROF_TABLE_WASTE_MAP] = heap->waste != NULL;
	return walk;
}
