/* SPDX-License-Identifier: MIT */
/*
 * report_data.c - see report_data.h.
 *
 * Most reports need only one pass over the dump. Those about references need
 * the heap and its graph, which have the summary as well.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tools/report/report_data.h"
#include "tools/report/rollup.h"

static bool needs_dominators(const struct report_data_wanted *wanted)
{
	return wanted->retained || wanted->kinds || wanted->leaks ||
	       wanted->garbage || wanted->native || wanted->threads ||
	       wanted->loader_use;
}

static bool needs_graph(const struct report_data_wanted *wanted)
{
	return needs_dominators(wanted) || wanted->waste || wanted->allocations;
}

static bool open_summary(struct report_data *data, const char *path,
			 const struct report_data_wanted *wanted,
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
	status = hprof_summary_read(&input, &how, &data->own_summary, &error);
	progress_end(&progress);
	data->summary = data->own_summary;
	if (status < 0)
		input_print_failure(path, status, &error);
	return status >= 0;
}

bool report_data_open(struct report_data *data, const char *path,
		      const struct report_data_wanted *wanted,
		      const struct input_options *options)
{
	*data = (struct report_data){ 0 };
	if (!needs_graph(wanted))
		return open_summary(data, path, wanted, options);
	data->heap = input_heap(path, options);
	if (!data->heap)
		return false;
	data->summary = hprof_heap_summary(data->heap);
	return true;
}

/* ---- tables ------------------------------------------------------------- */

static void note_failure(struct report_data *data, enum hprof_status status,
			 const char *path, const char *what,
			 const struct hprof_error *error)
{
	if (status >= 0)
		return;
	data->failed = true;
	cli_message("%s: %s: %s", path, what, error->text);
}

static void read_from_summary(struct report_data *t, const char *path,
			      const struct report_data_wanted *wanted)
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
	if (wanted->resources && !needs_dominators(wanted))
		note_failure(t,
			     hprof_summary_resources(t->summary, &t->resources,
						     &error),
			     path, "resources", &error);
	/* Of a stream or compressed dump it cannot be had: no failure. */
	if (wanted->outside)
		hprof_summary_outside(t->summary, &t->outside, NULL);
}

/* What retains most; of all classes, or of those that match. */
static void read_retained(struct report_data *t, const char *path,
			  const struct report_data_wanted *wanted)
{
	struct hprof_error error = { 0 };
	bool *matching = rollup_matching(t->summary, wanted->match);
	struct hprof_retained_options how = { .size = sizeof(how),
					      .top = wanted->biggest,
					      .wanted = matching };

	note_failure(t,
		     hprof_retained_read(t->graph, &how, &t->retained, &error),
		     path, "retained sizes", &error);
	free(matching);
}

/* Leaves the classes that match. The totals are those of all garbage. */
static void filter_garbage(const struct report_data *t,
			   const struct cli_list *match)
{
	bool *matching = rollup_matching(t->summary, match);
	size_t kept = 0;

	if (!matching)
		return;
	for (size_t i = 0; i < t->garbage->class_count; i++) {
		const struct hprof_set_row *row = &t->garbage->classes[i];
		size_t all = t->summary->class_count;

		if (matching[row->class_row < all ? row->class_row : all])
			t->garbage->classes[kept++] = *row;
	}
	t->garbage->class_count = kept;
	free(matching);
}

static void read_allocations(struct report_data *t, const char *path,
			     uint64_t holder,
			     struct hprof_allocation_table **ret_table)
{
	struct hprof_error error = { 0 };

	note_failure(
		t, hprof_allocations_read(t->graph, holder, ret_table, &error),
		path, "where objects were allocated", &error);
}

/* What a suspect is about, all of which it retains. */
static uint64_t holder_of(const struct hprof_leak *leak)
{
	return leak->kind == HPROF_LEAK_GROUP ||
			       leak->kind == HPROF_LEAK_THREADS ||
			       leak->kind == HPROF_LEAK_LOADERS
		       ? leak->member.object
		       : leak->point.object;
}

static void read_leak_sites(struct report_data *t, const char *path)
{
	if (!t->leaks)
		return;
	t->leak_sites = cli_calloc(t->leaks->count + 1, sizeof(*t->leak_sites));
	for (size_t i = 0; i < t->leaks->count; i++) {
		uint64_t holder = holder_of(&t->leaks->leaks[i]);

		if (holder != HPROF_NO_OBJECT)
			read_allocations(t, path, holder, &t->leak_sites[i]);
	}
}

static void read_from_graph(struct report_data *t, const char *path,
			    const struct report_data_wanted *wanted)
{
	struct hprof_leak_options leak_options = wanted->leak_options;
	struct hprof_error error = { 0 };

	/* Each finds what those that follow need as well. */
	leak_options.sums = wanted->kinds || wanted->retained ||
			    wanted->loader_use || wanted->resources;
	if (wanted->leaks)
		note_failure(t,
			     hprof_leaks_read(t->graph, &leak_options,
					      &t->leaks, &error),
			     path, "leak suspects", &error);
	read_leak_sites(t, path);
	if (wanted->kinds)
		note_failure(
			t,
			hprof_dominator_kinds_read(t->graph, &t->kinds, &error),
			path, "the dominator tree", &error);
	if (wanted->retained)
		read_retained(t, path, wanted);
	if (wanted->garbage)
		note_failure(t,
			     hprof_garbage_read(t->graph, &t->garbage, &error),
			     path, "unreachable objects", &error);
	if (t->garbage)
		filter_garbage(t, wanted->match);
	if (wanted->resources)
		note_failure(
			t,
			hprof_resources_read(t->graph, &t->resources, &error),
			path, "resources", &error);
	if (wanted->threads)
		note_failure(
			t,
			hprof_thread_locals_read(t->graph, &t->locals, &error),
			path, "what threads hold", &error);
}

/* ---- beside the other reports -------------------------------------------- */

/*
 * The search for waste, and what needs no other table: one thread can read all of
 * that while another one reads what retains most and suspects. What it has not begun
 * with when the other one is ready, that takes over.
 */
struct side {
	const struct hprof_graph *graph;
	bool waste, tree, loader_use, native; /* are wanted */
	struct hprof_waste_options options;
	struct progress progress;
	struct hprof_waste_table *waste_table;
	struct hprof_retained_tree *tree_table;
	struct hprof_loader_use_table *loader_table;
	struct hprof_native_table *native_table;
	enum hprof_status waste_status, tree_status, loader_status;
	enum hprof_status native_status;
	struct hprof_error waste_error, tree_error, loader_error, native_error;
	unsigned next; /* of the jobs: nobody has begun with it */
	bool beside;   /* a thread reads them */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool read; /* all objects, or it has failed */
};

static void note_read(void *user)
{
	struct side *side = user;

	pthread_mutex_lock(&side->lock);
	side->read = true;
	pthread_cond_signal(&side->changed);
	pthread_mutex_unlock(&side->lock);
}

static void read_waste(struct side *side)
{
	if (!side->waste)
		return;
	side->waste_status =
		hprof_waste_read(side->graph, &side->options,
				 &side->waste_table, &side->waste_error);
	note_read(side);
}

static void read_native(struct side *side)
{
	if (side->native)
		side->native_status = hprof_native_read(
			side->graph, &side->native_table, &side->native_error);
}

static void read_tree(struct side *side)
{
	const struct hprof_retained_options how = { .size = sizeof(how),
						    .top = side->options.top };

	if (side->tree)
		side->tree_status = hprof_retained_tree_read(side->graph, &how,
							     &side->tree_table,
							     &side->tree_error);
}

static void read_loader_use(struct side *side)
{
	if (side->loader_use)
		side->loader_status = hprof_loader_use_read(
			side->graph, &side->loader_table, &side->loader_error);
}

/* The last one needs sums that the other thread is about to find, and waits for them. */
static void *read_side(void *user)
{
	static void (*const jobs[])(struct side *) = { read_waste, read_native,
						       read_tree,
						       read_loader_use };
	enum { JOBS = sizeof jobs / sizeof *jobs };
	struct side *side = user;
	unsigned job;

	while ((job = __atomic_fetch_add(&side->next, 1, __ATOMIC_RELAXED)) <
	       JOBS)
		jobs[job](side);
	return NULL;
}

/*
 * All threads read the objects for waste first; then that needs one processor only,
 * and so do parts of the other reports. Two at once would not know how much of
 * limited memory is left to them.
 */
static void begin_side(struct side *side, const struct report_data *t,
		       const struct report_data_wanted *wanted,
		       const struct input_options *options)
{
	*side = (struct side){
		.graph = t->graph,
		.waste = wanted->waste,
		.tree = wanted->retained && wanted->tree &&
			!(wanted->match && wanted->match->count),
		.loader_use = wanted->loader_use,
		.native = needs_dominators(wanted),
		.options = {
			.size = sizeof(side->options),
			.memory = options->graph.memory,
			.top = wanted->biggest,
			.progress = progress_bytes,
			.progress_user = &side->progress,
			.read = note_read,
			.read_user = side,
		},
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	if (side->waste)
		progress_begin(&side->progress, options->program,
			       options->progress);
	side->beside =
		needs_dominators(wanted) && !options->graph.memory &&
		options->threads != 1 &&
		pthread_create(&side->thread, NULL, read_side, side) == 0;
	pthread_mutex_lock(&side->lock);
	while (side->beside && side->waste && !side->read)
		pthread_cond_wait(&side->changed, &side->lock);
	pthread_mutex_unlock(&side->lock);
}

static void end_side(struct side *side, struct report_data *t, const char *path)
{
	read_side(side);
	if (side->beside)
		pthread_join(side->thread, NULL);
	if (side->waste)
		progress_end(&side->progress);
	t->tree = side->tree_table;
	note_failure(t, side->tree_status, path, "the dominator tree",
		     &side->tree_error);
	t->loader_use = side->loader_table;
	note_failure(t, side->loader_status, path, "class loaders",
		     &side->loader_error);
	t->native = side->native_table;
	note_failure(t, side->native_status, path, "memory outside of the heap",
		     &side->native_error);
	t->waste = side->waste_table;
	note_failure(t, side->waste_status, path, "waste", &side->waste_error);
}

/* Notes for the search for waste, if it is WANTED and memory not limited. */
static struct hprof_notes *waste_notes(const struct hprof_heap *heap,
				       bool wanted, uint64_t memory)
{
	struct hprof_notes *notes = NULL;

	/* Without them the search reads the dump. */
	if (!wanted || memory || hprof_waste_notes_new(heap, &notes, NULL) < 0)
		return NULL;
	return notes;
}

void report_data_read(struct report_data *data, const char *path,
		      const struct report_data_wanted *wanted,
		      const struct input_options *options)
{
	struct input_options how = *options;
	struct side side;

	read_from_summary(data, path, wanted);
	if (!data->heap)
		return;
	how.graph.dominators = needs_dominators(wanted);
	how.graph.strengths = true;
	how.graph.paths = wanted->leaks;
	how.graph.notes =
		waste_notes(data->heap, wanted->waste, how.graph.memory);
	data->graph = input_graph(path, data->heap, &how);
	if (!data->graph) {
		data->failed = true;
		return;
	}
	data->names = shared_names_new(data->summary);
	begin_side(&side, data, wanted, options);
	if (needs_dominators(wanted))
		read_from_graph(data, path, wanted);
	end_side(&side, data, path);
	if (wanted->allocations)
		read_allocations(data, path, HPROF_NO_OBJECT,
				 &data->allocations);
}

void report_data_done(struct report_data *data)
{
	hprof_loader_table_free(data->loaders);
	hprof_thread_table_free(data->threads);
	hprof_property_table_free(data->properties);
	hprof_profile_table_free(data->profile);
	hprof_outside_table_free(data->outside);
	hprof_retained_table_free(data->retained);
	hprof_retained_tree_free(data->tree);
	hprof_dominator_kinds_free(data->kinds);
	for (size_t i = 0; data->leak_sites && i < data->leaks->count; i++)
		hprof_allocation_table_free(data->leak_sites[i]);
	free(data->leak_sites);
	hprof_leak_table_free(data->leaks);
	hprof_allocation_table_free(data->allocations);
	hprof_garbage_table_free(data->garbage);
	hprof_native_table_free(data->native);
	hprof_resource_table_free(data->resources);
	hprof_waste_table_free(data->waste);
	hprof_loader_use_free(data->loader_use);
	hprof_thread_locals_free(data->locals);
	shared_names_free(data->names);
	hprof_graph_free(data->graph);
	input_note_cache(data->heap);
	hprof_heap_close(data->heap);
	hprof_summary_free(data->own_summary);
}
