/* SPDX-License-Identifier: MIT */
/*
 * dump_inputs.c - see dump_inputs.h.
 *
 * To compare by class, one pass over each dump is enough. The dumps are read at
 * the same time, so that two pipes cannot block each other; threads are given
 * to dumps first and divided within a dump only after that. What needs the
 * object graph reads the dumps one after the other, since a graph is large: it
 * is freed before the next one is built.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/diagnostics.h"
#include "tools/diff/dump_inputs.h"

/* ---- reading at the same time -------------------------------------------- */

struct task {
	struct hprof_input input;
	struct hprof_summary_options how;
	struct reading *reading;
	struct dump_input *dump;
	uint64_t done, total; /* protected by the lock */
	enum hprof_status status;
	struct hprof_error error;
};

struct reading {
	struct task *tasks;
	size_t count, next; /* next is protected by the lock */
	pthread_mutex_t lock;
	struct progress progress;
	bool quiet;
};

static bool say_progress(void *user, const char *phase, uint64_t done,
			 uint64_t total)
{
	struct task *task = user;
	struct reading *reading = task->reading;
	uint64_t all = 0, whole = 0;
	bool known = true;

	(void)phase;
	pthread_mutex_lock(&reading->lock);
	task->done = done;
	task->total = total;
	for (size_t i = 0; i < reading->count; i++) {
		all += reading->tasks[i].done;
		whole += reading->tasks[i].total;
		known = known && reading->tasks[i].total;
	}
	progress_update(&reading->progress, all, known ? whole : 0);
	pthread_mutex_unlock(&reading->lock);
	return true;
}

static void say_copying(void *user, const char *folder)
{
	struct task *task = user;

	pthread_mutex_lock(&task->reading->lock);
	input_say_copying((void *)(uintptr_t)task->dump->path, folder);
	pthread_mutex_unlock(&task->reading->lock);
}

static void read_one(struct task *task)
{
	struct dump_input *dump = task->dump;

	task->how.size = sizeof(task->how);
	task->input.progress = say_progress;
	task->input.progress_user = task;
	if (!task->reading->quiet) {
		task->how.copying = say_copying;
		task->how.copying_user = task;
	}
	task->status = hprof_summary_read(&task->input, &task->how,
					  &dump->own_summary, &task->error);
	dump->summary = dump->own_summary;
}

static void *work(void *argument)
{
	struct reading *reading = argument;

	for (;;) {
		size_t mine;

		pthread_mutex_lock(&reading->lock);
		mine = reading->next++;
		pthread_mutex_unlock(&reading->lock);
		if (mine >= reading->count)
			return NULL;
		read_one(&reading->tasks[mine]);
	}
}

/* Runs all tasks with WORKERS threads, of which this one is one. */
static void run_tasks(struct reading *reading, size_t workers)
{
	pthread_t *threads = cli_calloc(workers, sizeof(*threads));
	size_t started = 0;

	while (started + 1 < workers &&
	       !pthread_create(&threads[started], NULL, work, reading))
		started++;
	work(reading);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static struct hprof_summary_options
summary_options(const struct input_options *options)
{
	const struct hprof_heap_options *from = &options->heap;

	return (struct hprof_summary_options){
		.strict = from->strict,
		.sizes = from->sizes,
		.ref_width = from->ref_width,
		.header = from->header,
		.alignment = from->alignment,
	};
}

/*
 * How many dumps are read at the same time: as many as there are threads, but
 * all if one of them is a pipe. Its writer may write another one, too, and
 * block until that is read.
 */
static size_t worker_count(const struct dump_inputs *dumps, unsigned threads)
{
	struct stat about;

	for (size_t i = 0; i < dumps->count; i++)
		if (!input_is_file(dumps->items[i].path, &about))
			return dumps->count;
	return threads < dumps->count ? threads : dumps->count;
}

static bool read_summaries(struct dump_inputs *dumps, bool objects,
			   const struct input_options *options)
{
	unsigned threads = options->threads;
	struct reading reading = { .count = dumps->count,
				   .lock = PTHREAD_MUTEX_INITIALIZER,
				   .quiet = options->quiet };
	size_t workers = worker_count(dumps, threads);
	bool good = true;

	reading.tasks = cli_calloc(dumps->count, sizeof(reading.tasks[0]));
	for (size_t i = 0; i < dumps->count; i++) {
		struct task *task = &reading.tasks[i];

		task->how = summary_options(options);
		task->input = input_make(dumps->items[i].path, options);
		task->input.threads =
			threads > workers ? threads / (unsigned)workers : 1;
		task->how.objects = objects;
		task->reading = &reading;
		task->dump = &dumps->items[i];
	}
	progress_begin(&reading.progress, options->program, options->progress);
	run_tasks(&reading, workers);
	progress_end(&reading.progress);
	for (size_t i = 0; i < dumps->count; i++) {
		struct task *task = &reading.tasks[i];

		if (task->status >= 0)
			continue;
		input_print_failure(task->dump->path, task->status,
				    &task->error);
		good = false;
	}
	free(reading.tasks);
	return good;
}

/* ---- class loaders ------------------------------------------------------- */

struct named {
	char *name;
	uint64_t loader_id;
	const char *given;
	bool shared; /* the name is that of the entry before it */
};

/* Classes of one name have the same text, and usually follow each other. */
static void take_named(struct named *all, size_t i,
		       const struct hprof_class_row *row)
{
	all[i] = (struct named){ .loader_id = row->loader_id,
				 .given = row->name };
	if (i && all[i - 1].given == row->name) {
		all[i].name = all[i - 1].name;
		all[i].shared = true;
		return;
	}
	size_t size = hprof_diff_name(row->name, NULL, 0) + 1;
	all[i].name = cli_calloc(size, 1);
	hprof_diff_name(row->name, all[i].name, size);
}

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	return a->name == b->name ? 0 : strcmp(a->name, b->name);
}

/* True if classes that have the same name in a diff have several loaders. */
static bool shares_names(const struct hprof_summary *summary)
{
	struct named *all = cli_calloc(summary->class_count, sizeof(*all));
	size_t count = 0;
	bool shares = false;

	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];

		if (row->instances && row->name)
			take_named(all, count++, row);
	}
	if (count)
		qsort(all, count, sizeof(*all), compare_named);
	for (size_t i = 1; i < count; i++)
		shares |= all[i - 1].loader_id != all[i].loader_id &&
			  !compare_named(&all[i - 1], &all[i]);
	for (size_t i = 0; i < count; i++)
		if (!all[i].shared)
			free(all[i].name);
	free(all);
	return shares;
}

/* True if DUMP is a compressed file, which can be read again and copied. */
static bool can_read_again(const struct dump_input *dump)
{
	struct stat about;

	return dump->own_summary && input_is_file(dump->path, &about);
}

static bool read_again(struct dump_input *dump,
		       const struct input_options *options)
{
	struct dump_inputs again = { .count = 1, .items = dump };

	hprof_summary_free(dump->own_summary);
	dump->summary = dump->own_summary = NULL;
	return read_summaries(&again, true, options);
}

static bool read_loaders(struct dump_input *dump,
			 const struct input_options *options)
{
	struct hprof_error error = { 0 };
	enum hprof_status status =
		hprof_summary_loaders(dump->summary, &dump->loaders, &error);

	if (status == HPROF_E_UNSUPPORTED && can_read_again(dump)) {
		if (!read_again(dump, options))
			return false;
		status = hprof_summary_loaders(dump->summary, &dump->loaders,
					       &error);
	}
	if (status == HPROF_E_UNSUPPORTED) {
		if (!options->quiet)
			cli_message("%s: warning: classes of one name are one "
				    "row whatever their loaders, as the dump "
				    "cannot be read twice",
				    dump->path);
		return true;
	}
	if (status < 0)
		cli_message("%s: class loaders: %s", dump->path, error.text);
	return status >= 0;
}

/* If one dump needs its loaders, all do. Summaries may be replaced. */
static bool find_loaders(struct dump_inputs *dumps, bool wanted,
			 const struct input_options *options)
{
	for (size_t i = 0; i < dumps->count && !wanted; i++)
		wanted = shares_names(dumps->items[i].summary);
	for (size_t i = 0; i < dumps->count && wanted; i++)
		if (!read_loaders(&dumps->items[i], options))
			return false;
	return true;
}

/* ---- retained sizes ------------------------------------------------------ */

static bool open_heaps(struct dump_inputs *dumps,
		       const struct input_options *options)
{
	for (size_t i = 0; i < dumps->count; i++) {
		struct dump_input *dump = &dumps->items[i];

		dump->heap = input_heap(dump->path, options);
		if (!dump->heap)
			return false;
		dump->summary = hprof_heap_summary(dump->heap);
	}
	return true;
}

static bool read_graph(struct dump_input *dump,
		       const struct dump_inputs_wanted *wanted,
		       const struct input_options *options)
{
	struct input_options how = *options;
	struct hprof_error error = { 0 };
	struct hprof_graph *graph;
	enum hprof_status status;
	bool read;

	how.graph.dominators = true;
	graph = input_graph(dump->path, dump->heap, &how);
	if (!graph)
		return false;
	read = dump_sets_read(dump, graph, wanted);
	status = hprof_path_tree_read(graph, &dump->tree, &error);
	if (status < 0)
		cli_message("%s: who holds what: %s", dump->path, error.text);
	hprof_graph_free(graph);
	return read && status >= 0;
}

/* ---- where objects were allocated ---------------------------------------- */

/* The last record of them: what agents count they count from their start on. */
const struct hprof_profile_section *
dump_input_sites(const struct hprof_profile_table *profile)
{
	const struct hprof_profile_section *last = NULL;

	for (size_t i = 0; i < profile->count; i++)
		if (profile->sections[i].tag == HPROF_ALLOC_SITES)
			last = &profile->sections[i];
	return last && last->row_count ? last : NULL;
}

static bool has_site_record(const struct dump_input *dump)
{
	struct hprof_profile_table *profile;
	bool has;

	if (hprof_summary_profile(dump->summary, &profile, NULL) < 0)
		return false;
	has = dump_input_sites(profile) != NULL;
	hprof_profile_table_free(profile);
	return has;
}

/* What cannot be read a second time is left out. */
static bool read_allocations(struct dump_input *dump,
			     const struct input_options *options)
{
	struct hprof_heap *heap = dump->heap;
	struct hprof_error error = { 0 };
	enum hprof_status status;

	if (!heap)
		heap = input_heap(dump->path, options);
	if (!heap)
		return false;
	status = hprof_heap_allocations(heap, &dump->allocations, &error);
	if (status < 0)
		input_print_failure(dump->path, status, &error);
	dump->heap = heap; /* it has the names */
	return status >= 0;
}

/*
 * By the records of all objects, which takes another pass over a dump: only if there
 * is no record of sites in one of the two, and both have stacks that could be those
 * of objects.
 */
static bool find_allocations(struct dump_inputs *dumps,
			     const struct input_options *options)
{
	struct dump_input *sides[2] = { &dumps->items[0],
					&dumps->items[dumps->count - 1] };
	bool needed = false;
	struct stat about;

	for (unsigned i = 0; i < 2; i++) {
		if (!hprof_summary_has_allocations(sides[i]->summary) ||
		    !input_is_file(sides[i]->path, &about))
			return true;
		needed |= !has_site_record(sides[i]);
	}
	return !needed || (read_allocations(sides[0], options) &&
			   read_allocations(sides[1], options));
}

/* -------------------------------------------------------------------------- */

bool dump_inputs_read(struct dump_inputs *dumps, char *const *paths,
		      size_t count, const struct dump_inputs_wanted *wanted,
		      const struct input_options *options)
{
	bool read;

	*dumps = (struct dump_inputs){ .count = count, .like = SIZE_MAX };
	dumps->items = cli_calloc(count, sizeof(dumps->items[0]));
	for (size_t i = 0; i < count; i++)
		dumps->items[i].path = paths[i];
	read = wanted->retained
		       ? open_heaps(dumps, options)
		       : read_summaries(dumps, wanted->loaders, options);
	if (!read || !find_loaders(dumps, wanted->loaders, options) ||
	    !dump_inputs_agree_on_sizes(dumps))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct hprof_summary *summary = dumps->items[i].summary;

		diagnostics_print(paths[i], summary->diagnostics,
				  summary->diagnostic_count, options->quiet);
	}
	for (size_t i = 0; i < count && wanted->retained; i++)
		if (!read_graph(&dumps->items[i], wanted, options))
			return false;
	return !wanted->allocations || find_allocations(dumps, options);
}

const char *dump_input_fault(const struct dump_input *dump)
{
	const struct hprof_reader_info *input = &dump->summary->input;

	if (input->truncated)
		return "is cut short";
	if (dump->summary->errors)
		return "is damaged";
	if (!input->dump_count)
		return "holds no heap dump";
	return input->complete ? NULL : "has no end and may have been cut";
}

size_t dump_inputs_out_of_order(const struct dump_inputs *dumps)
{
	for (size_t i = 1; i < dumps->count; i++) {
		uint64_t time = dumps->items[i].summary->header.time_ms;

		if (time && time < dumps->items[i - 1].summary->header.time_ms)
			return i;
	}
	return 0;
}

void dump_inputs_warn_of_order(const struct dump_inputs *dumps)
{
	size_t late = dump_inputs_out_of_order(dumps);

	if (late)
		cli_message(
			"warning: %s was taken before %s: of several dumps, "
			"the oldest comes first",
			dumps->items[late].path, dumps->items[late - 1].path);
}

void dump_inputs_done(struct dump_inputs *dumps)
{
	for (size_t i = 0; i < dumps->count; i++) {
		struct dump_input *dump = &dumps->items[i];

		hprof_path_tree_free(dump->tree);
		hprof_allocation_table_free(dump->allocations);
		for (unsigned by = 0; by <= ROLLUP_LOADER; by++)
			dump_items_done(&dump->sets[by]);
		free(dump->pattern_retained);
		hprof_loader_table_free(dump->loaders);
		hprof_heap_close(dump->heap);
		hprof_summary_free(dump->own_summary);
	}
	free(dumps->items);
}
