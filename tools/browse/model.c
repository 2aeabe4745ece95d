/* SPDX-License-Identifier: MIT */
/*
 * model.c - see model.h.
 *
 * The worker writes the tables of a part before the part is done, and the
 * screen reads them only then, so the worker's lock orders the two. Progress
 * has a lock of its own. Another worker makes the rows of views, which may read
 * the heap and the graph at the same time.
 */
#include "tools/browse/model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG_ROWS = 1 }; /* the tree of dominators has the big objects */

struct part {
	struct worker_task task;
	struct model *model;
	bool failed, cancelled;
	struct hprof_error error;
};

struct model {
	struct model_tables tables;
	struct hprof_graph_options how;
	struct worker *worker, *view_worker;
	struct part parts[PARTS];
	atomic_bool ending, cancelling;
	pthread_mutex_t lock; /* for what follows */
	char phase[40];
	uint64_t done, total;
};

/* ---- progress ------------------------------------------------------------ */

static bool note_progress(void *user, const char *phase, uint64_t done,
			  uint64_t total)
{
	struct model *m = user;

	pthread_mutex_lock(&m->lock);
	snprintf(m->phase, sizeof(m->phase), "%s", phase ? phase : "");
	m->done = done;
	m->total = total;
	pthread_mutex_unlock(&m->lock);
	return !atomic_load(&m->ending) && !atomic_load(&m->cancelling);
}

bool model_progress(struct model *m, char phase[40], unsigned *ret_done)
{
	if (worker_is_idle(m->worker)) {
		snprintf(phase, sizeof(m->phase), "this view");
		*ret_done = 0;
		return !worker_is_idle(m->view_worker);
	}
	pthread_mutex_lock(&m->lock);
	memcpy(phase, m->phase, sizeof(m->phase));
	*ret_done =
		m->total ? (unsigned)((double)m->done * 1000 / (double)m->total)
			 : 0;
	pthread_mutex_unlock(&m->lock);
	if (*ret_done > 1000)
		*ret_done = 1000;
	return true;
}

/* ---- the parts ----------------------------------------------------------- */

static void make_graph(void *user)
{
	struct part *part = user;
	struct model *m = part->model;
	const struct hprof_retained_options how = { .size = sizeof(how),
						    .top = BIG_ROWS };
	enum hprof_status status = hprof_graph_build(
		m->tables.heap, &m->how, &m->tables.graph, &part->error);

	note_progress(m, "retained", 0, 0);
	if (status == HPROF_OK)
		status = hprof_retained_read(m->tables.graph, &how,
					     &m->tables.retained, &part->error);
	part->failed = status < 0;
}

static bool has_graph(const struct part *part)
{
	return !part->model->parts[PART_GRAPH].failed;
}

static void make_locals(void *user)
{
	struct part *part = user;
	struct model *m = part->model;

	note_progress(m, "locals of threads", 0, 0);
	part->failed =
		!has_graph(part) ||
		hprof_thread_locals_read(m->tables.graph, &m->tables.locals,
					 &part->error) != HPROF_OK;
}

static void make_leaks(void *user)
{
	struct part *part = user;
	struct model *m = part->model;

	note_progress(m, "suspects", 0, 0);
	part->failed = !has_graph(part) ||
		       hprof_leaks_read(m->tables.graph, NULL, &m->tables.leaks,
					&part->error) != HPROF_OK;
	if (!part->failed)
		hprof_resources_read(m->tables.graph, &m->tables.resources,
				     NULL);
}

static void make_waste(void *user)
{
	struct part *part = user;
	struct model *m = part->model;
	const struct hprof_waste_options how = {
		.size = sizeof(how),
		.memory = m->how.memory,
		.progress = note_progress,
		.progress_user = m,
		.top = 1000,
	};

	part->failed = !has_graph(part) ||
		       hprof_waste_read(m->tables.graph, &how, &m->tables.waste,
					&part->error) != HPROF_OK;
}

static void make_native(void *user)
{
	struct part *part = user;
	struct model *m = part->model;

	note_progress(m, "memory outside of the heap", 0, 0);
	part->failed = !has_graph(part) ||
		       hprof_native_read(m->tables.graph, &m->tables.native,
					 &part->error) != HPROF_OK;
}

static void make_sites(void *user)
{
	struct part *part = user;
	struct model *m = part->model;

	note_progress(m, "allocation sites", 0, 0);
	part->failed = !has_graph(part) ||
		       hprof_allocations_read(m->tables.graph, HPROF_NO_OBJECT,
					      &m->tables.sites,
					      &part->error) != HPROF_OK;
}

static void (*const makers[PARTS])(void *) = {
	[PART_GRAPH] = make_graph,   [PART_LOCALS] = make_locals,
	[PART_LEAKS] = make_leaks,   [PART_WASTE] = make_waste,
	[PART_NATIVE] = make_native, [PART_SITES] = make_sites,
};

/* Nothing more is begun that was asked for before the user gave up. */
static void make(void *user)
{
	struct part *part = user;

	if (!atomic_load(&part->model->cancelling))
		makers[part - part->model->parts](part);
	else
		part->failed = true;
	part->cancelled = part->failed && atomic_load(&part->model->cancelling);
}

/* The part was given up, and can be made again. */
static void forget_cancelled(struct model *m, struct part *part)
{
	if (part->task.queued && worker_is_done(m->worker, &part->task) &&
	    part->cancelled)
		*part = (struct part){ 0 };
}

void model_ask(struct model *m, enum model_part which)
{
	struct part *part = &m->parts[which];

	if (which == PART_NONE)
		return;
	if (which != PART_GRAPH)
		model_ask(m, PART_GRAPH);
	if (worker_is_idle(m->worker))
		atomic_store(&m->cancelling, false);
	forget_cancelled(m, part);
	if (part->task.queued)
		return;
	part->model = m;
	part->task.run = make;
	part->task.user = part;
	worker_add(m->worker, &part->task);
}

bool model_is_ready(struct model *m, enum model_part which)
{
	if (which == PART_NONE)
		return true;
	return worker_is_done(m->worker, &m->parts[which].task) &&
	       !m->parts[which].failed;
}

const char *model_failure(struct model *m, enum model_part which)
{
	const struct part *part = &m->parts[which];

	if (which == PART_NONE || !worker_is_done(m->worker, &part->task) ||
	    !part->failed)
		return NULL;
	if (part->cancelled)
		return "cancelled; to have it made, open it again";
	if (*part->error.text)
		return part->error.text;
	return which == PART_GRAPH ? "the graph could not be built"
				   : model_failure(m, PART_GRAPH);
}

/* ---- the model ----------------------------------------------------------- */

struct model *model_new(const char *path, struct hprof_heap *heap,
			const struct input_options *options,
			struct marks *marks)
{
	struct model *m = cli_calloc(1, sizeof(*m));
	struct model_tables *t = &m->tables;

	pthread_mutex_init(&m->lock, NULL);
	t->path = path;
	t->marks = marks;
	t->heap = heap;
	t->summary = hprof_heap_summary(heap);
	/* What is missing is not shown: a damaged dump may lack anything. */
	hprof_summary_loaders(t->summary, &t->loaders, NULL);
	hprof_summary_threads(t->summary, &t->threads, NULL);
	hprof_summary_properties(t->summary, &t->properties, NULL);
	hprof_summary_profile(t->summary, &t->profile, NULL);
	m->how = options->graph;
	m->how.size = sizeof(m->how);
	m->how.dominators = m->how.edges = m->how.strengths = true;
	m->how.paths = true;
	m->how.progress = note_progress;
	m->how.progress_user = m;
	m->worker = worker_new();
	m->view_worker = worker_new();
	return m;
}

bool model_end(struct model *m)
{
	bool views_end, parts_end;

	atomic_store(&m->ending, true);
	views_end = worker_free(m->view_worker);
	parts_end = worker_free(m->worker);
	m->worker = m->view_worker = NULL;
	return views_end && parts_end;
}

bool model_is_idle(struct model *m)
{
	return worker_is_idle(m->worker) && worker_is_idle(m->view_worker);
}

void model_wait(struct model *m)
{
	worker_wait(m->worker);
	worker_wait(m->view_worker);
}

bool model_cancel(struct model *m)
{
	if (worker_is_idle(m->worker))
		return false;
	atomic_store(&m->cancelling, true);
	return true;
}

void model_free(struct model *m)
{
	struct model_tables *t = &m->tables;

	hprof_allocation_table_free(t->sites);
	hprof_native_table_free(t->native);
	hprof_waste_table_free(t->waste);
	hprof_resource_table_free(t->resources);
	hprof_leak_table_free(t->leaks);
	hprof_thread_locals_free(t->locals);
	hprof_retained_table_free(t->retained);
	hprof_graph_free(t->graph);
	hprof_profile_table_free(t->profile);
	hprof_property_table_free(t->properties);
	hprof_thread_table_free(t->threads);
	hprof_loader_table_free(t->loaders);
	input_note_cache(t->heap);
	hprof_heap_close(t->heap);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

struct worker *model_worker(struct model *m)
{
	return m->view_worker;
}

const struct model_tables *model_tables(const struct model *m)
{
	return &m->tables;
}
