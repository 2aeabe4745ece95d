/* SPDX-License-Identifier: MIT */
/*
 * report_data.c - see report_data.h.
 *
 * One pass is enough for most reports. What asks for references needs the
 * heap and its graph, and takes the summary from there.
 */
#include "tools/report/report_data.h"

static bool needs_graph(const struct tables_wanted *wanted)
{
	return wanted->retained || wanted->leaks || wanted->garbage ||
	       wanted->threads;
}

static bool open_summary(struct tables *tables, const char *path,
			 const struct tables_wanted *wanted,
			 const struct input_options *options)
{
	const struct hprof_heap_options *from = &options->heap;
	struct hprof_input input = input_make(path, options);
	struct hprof_error error = { 0 };
	struct progress progress;
	enum hprof_status status;
	struct hprof_summary_options how = {
		.size = sizeof(how),
		.strict = from->strict,
		.sizes = from->sizes,
		.ref_width = from->ref_width,
		.header = from->header,
		.alignment = from->alignment,
		.objects = wanted->properties || wanted->loaders,
		.copying = options->quiet ? NULL : input_say_copying,
		.copying_user = (void *)(uintptr_t)path,
	};

	input.progress = progress_bytes;
	input.progress_user = &progress;
	progress_begin(&progress, options->program, options->progress);
	status = hprof_summary_read(&input, &how, &tables->own_summary, &error);
	progress_end(&progress);
	tables->summary = tables->own_summary;
	if (status < 0)
		input_print_failure(path, status, &error);
	return status >= 0;
}

bool tables_open(struct tables *tables, const char *path,
		 const struct tables_wanted *wanted,
		 const struct input_options *options)
{
	*tables = (struct tables){ 0 };
	if (!needs_graph(wanted))
		return open_summary(tables, path, wanted, options);
	tables->heap = input_heap(path, options);
	if (!tables->heap)
		return false;
	tables->summary = hprof_heap_summary(tables->heap);
	return true;
}

/* ---- tables ------------------------------------------------------------- */

static void note_failure(struct tables *tables, enum hprof_status status,
			 const char *path, const char *what,
			 const struct hprof_error *error)
{
	if (status >= 0)
		return;
	tables->failed = true;
	cli_message("%s: %s: %s", path, what, error->text);
}

static void read_from_summary(struct tables *t, const char *path,
			      const struct tables_wanted *wanted)
{
	struct hprof_error error = { 0 };

	if (wanted->loaders)
		note_failure(
			t,
			hprof_summary_loaders(t->summary, &t->loaders, &error),
			path, "class loaders", &error);
	if (wanted->threads)
		note_failure(
			t,
			hprof_summary_threads(t->summary, &t->threads, &error),
			path, "threads", &error);
	if (wanted->properties)
		note_failure(t,
			     hprof_summary_properties(t->summary,
						      &t->properties, &error),
			     path, "system properties", &error);
	if (wanted->profile)
		note_failure(
			t,
			hprof_summary_profile(t->summary, &t->profile, &error),
			path, "profile", &error);
}

static void read_from_graph(struct tables *t, const char *path,
			    const struct tables_wanted *wanted)
{
	struct hprof_error error = { 0 };
	struct hprof_retained_options how = { .size = sizeof(how),
					      .top = wanted->biggest };

	if (wanted->retained)
		note_failure(t,
			     hprof_retained_read(t->graph, &how, &t->retained,
						 &error),
			     path, "retained sizes", &error);
	if (wanted->leaks)
		note_failure(t, hprof_leaks_read(t->graph, &t->leaks, &error),
			     path, "leak suspects", &error);
	if (wanted->garbage)
		note_failure(t,
			     hprof_garbage_read(t->graph, &t->garbage, &error),
			     path, "unreachable objects", &error);
	if (wanted->threads)
		note_failure(
			t,
			hprof_thread_locals_read(t->graph, &t->locals, &error),
			path, "what threads hold", &error);
}

void tables_read(struct tables *tables, const char *path,
		 const struct tables_wanted *wanted,
		 const struct input_options *options)
{
	struct input_options how = *options;

	read_from_summary(tables, path, wanted);
	if (!tables->heap)
		return;
	how.graph.dominators = true;
	tables->graph = input_graph(path, tables->heap, &how);
	if (!tables->graph) {
		tables->failed = true;
		return;
	}
	tables->names = names_new(tables->summary);
	read_from_graph(tables, path, wanted);
}

void tables_done(struct tables *tables)
{
	hprof_loader_table_free(tables->loaders);
	hprof_thread_table_free(tables->threads);
	hprof_property_table_free(tables->properties);
	hprof_profile_table_free(tables->profile);
	hprof_retained_table_free(tables->retained);
	hprof_leak_table_free(tables->leaks);
	hprof_garbage_table_free(tables->garbage);
	hprof_thread_locals_free(tables->locals);
	names_free(tables->names);
	hprof_graph_free(tables->graph);
	hprof_heap_close(tables->heap);
	hprof_summary_free(tables->own_summary);
}
