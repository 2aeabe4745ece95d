/* SPDX-License-Identifier: MIT */
/*
 * query_dump.c - see query_dump.h.
 */
#include "tools/query/query_dump.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/query/children.h"
#include <hprof.h>

enum {
	GRAPHS = QUERY_GRAPH_REFERRERS + 1,
	DUPLICATES_MOST = 100000 /* as in a database: hprof-tables(7) */
};

struct query_dump {
	struct hprof_heap *heap;
	char *path;
	struct hprof_graph_options how;
	void (*rest)(void *user);
	struct hprof_graph *graphs[GRAPHS];
	pthread_mutex_t classes_lock;
	struct hprof_class_index *classes;
	bool reads_ahead;
	pthread_t reader;	   /* if it reads ahead */
	struct children *children; /* NULL: not made */
	bool wanted_children;
	struct hprof_waste_table *waste;
	struct hprof_loader_use_table *loaders;
	struct hprof_leak_table *leaks;
	struct hprof_allocation_table *sites;
	struct hprof_places *places; /* NULL: not made */
	uint32_t *depths;
};

struct query_dump *query_dump_new(struct hprof_heap *heap, const char *path,
				  const struct hprof_graph_options *graph,
				  void (*rest)(void *user))
{
	struct query_dump *d = calloc(1, sizeof(*d));
	char *name = malloc(strlen(path) + 1);

	if (!d || !name) {
		free(d);
		free(name);
		hprof_heap_close(heap);
		return NULL;
	}
	pthread_mutex_init(&d->classes_lock, NULL);
	d->heap = heap;
	d->path = strcpy(name, path);
	d->how = *graph;
	d->how.size = sizeof(d->how);
	d->rest = rest;
	return d;
}

void query_dump_free(struct query_dump *d)
{
	if (!d)
		return;
	if (d->reads_ahead)
		pthread_join(d->reader, NULL);
	pthread_mutex_destroy(&d->classes_lock);
	hprof_graph_depths_free(d->depths);
	hprof_places_free(d->places);
	children_free(d->children);
	hprof_waste_table_free(d->waste);
	hprof_loader_use_free(d->loaders);
	hprof_leak_table_free(d->leaks);
	hprof_allocation_table_free(d->sites);
	hprof_class_index_free(d->classes);
	for (unsigned i = 0; i < GRAPHS; i++)
		hprof_graph_free(d->graphs[i]);
	hprof_heap_close(d->heap);
	free(d->path);
	free(d);
}

const struct hprof_heap *query_dump_heap(const struct query_dump *d)
{
	return d->heap;
}

bool query_dump_is_counted(const struct query_dump *d)
{
	const struct hprof_summary *s = hprof_heap_summary(d->heap);
	uint64_t count = hprof_heap_count(d->heap), sum = 0;

	for (size_t i = 0; i < s->class_count; i++)
		sum += s->class_rows[i].instances;
	return s->errors == 0 && s->objects == count && sum == count;
}

static void rest(const struct query_dump *d)
{
	if (d->rest)
		d->rest(d->how.progress_user);
}

static void no_memory(struct hprof_error *error)
{
	error->status = HPROF_E_NOMEM;
	snprintf(error->text, sizeof(error->text), "%s",
		 hprof_status_text(HPROF_E_NOMEM));
}

const struct hprof_graph *query_dump_graph(struct query_dump *d,
					   enum query_graph kind,
					   struct hprof_error *error)
{
	struct hprof_graph_options how = d->how;
	struct hprof_graph *made = NULL;

	/* The larger graph answers what the smaller one would. */
	if (kind == QUERY_GRAPH_SIZES && d->graphs[QUERY_GRAPH_PATHS])
		kind = QUERY_GRAPH_PATHS;
	if (d->graphs[kind])
		return d->graphs[kind];
	how.dominators = how.strengths = kind != QUERY_GRAPH_REFERRERS;
	how.edges = kind == QUERY_GRAPH_PATHS;
	how.referrers = kind == QUERY_GRAPH_REFERRERS;
	if (how.referrers)
		how.hold = HPROF_HOLD_SOFT | HPROF_HOLD_WEAK |
			   HPROF_HOLD_PHANTOM | HPROF_HOLD_FINAL;
	hprof_graph_build(d->heap, &how, &made, error);
	rest(d);
	return d->graphs[kind] = made;
}

const struct hprof_class_index *query_dump_classes(struct query_dump *d,
						   struct hprof_error *error)
{
	const struct hprof_class_index *classes;

	pthread_mutex_lock(&d->classes_lock);
	if (!d->classes)
		hprof_class_index_build(d->heap, &d->classes, error);
	classes = d->classes;
	pthread_mutex_unlock(&d->classes_lock);
	return classes;
}

/* What fails here is tried again by who needs it, and who says why. */
static void *read_ahead(void *dump)
{
	struct hprof_error error;

	query_dump_classes(dump, &error);
	return NULL;
}

void query_dump_read_ahead(struct query_dump *d)
{
	sigset_t all, before;

	/* Ctrl-C is for the thread that waits for a line. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	d->reads_ahead = pthread_create(&d->reader, NULL, read_ahead, d) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool ignore_row(void *user, enum hprof_table table,
		       const struct hprof_cell *cells)
{
	(void)user;
	(void)table;
	(void)cells;
	return true;
}

const struct hprof_places *query_dump_places(struct query_dump *d,
					     struct hprof_error *error)
{
	const struct hprof_tables_walk walk = { .size = sizeof(walk),
						.heap = d->heap,
						.row = ignore_row };
	struct hprof_cursor *cursor;
	enum hprof_status status;

	if (d->places)
		return d->places;
	if (hprof_cursor_new(d->heap, &cursor, error) < 0)
		return NULL;
	status = hprof_places_new(&walk, cursor, &d->places);
	if (status != HPROF_OK) {
		*error = *hprof_cursor_error(cursor);
		if (status == HPROF_E_NOMEM)
			no_memory(error);
	}
	hprof_cursor_free(cursor);
	return d->places;
}

enum hprof_status query_dump_children(struct query_dump *d, uint64_t object,
				      struct object_set *set,
				      struct hprof_error *error)
{
	const struct hprof_graph *graph =
		query_dump_graph(d, QUERY_GRAPH_SIZES, error);
	bool again = d->wanted_children, good;

	if (!graph)
		return error->status;
	d->wanted_children = true;
	if (again && !d->children && !d->how.memory)
		d->children = children_new(graph, hprof_heap_count(d->heap));
	good = d->children ? children_put(d->children, object, set)
			   : object_set_children(set, graph, object);
	if (!good)
		no_memory(error);
	return good ? HPROF_OK : HPROF_E_NOMEM;
}

const uint32_t *query_dump_depths(struct query_dump *d,
				  struct hprof_error *error)
{
	const struct hprof_graph *graph =
		query_dump_graph(d, QUERY_GRAPH_SIZES, error);

	if (graph && !d->depths) {
		d->depths = hprof_graph_depths(graph);
		if (!d->depths)
			no_memory(error);
	}
	return d->depths;
}

/* ---- what a table needs -------------------------------------------------- */

static enum hprof_status find_waste(struct query_dump *d,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	const struct hprof_waste_options how = {
		.size = sizeof(how),
		.memory = d->how.memory,
		.top = DUPLICATES_MOST,
		.progress = d->how.progress,
		.progress_user = d->how.progress_user,
	};

	enum hprof_status status = HPROF_OK;

	if (!d->waste) {
		status = hprof_waste_read(graph, &how, &d->waste, error);
		rest(d);
	}
	return status;
}

static bool quiet_progress(void *user, const char *phase, uint64_t done,
			   uint64_t total)
{
	(void)user;
	(void)phase;
	(void)done;
	(void)total;
	return true;
}

static bool needs_graph(enum hprof_table table, bool costly)
{
	switch (table) {
	case HPROF_TABLE_DUMP:
		return costly;
	case HPROF_TABLE_RETAINED:
	case HPROF_TABLE_STRENGTH:
	case HPROF_TABLE_LOADER:
	case HPROF_TABLE_WASTE:
	case HPROF_TABLE_DUPLICATE:
	case HPROF_TABLE_WASTE_MAP:
	case HPROF_TABLE_SUSPECT:
	case HPROF_TABLE_SUSPECT_PATH:
	case HPROF_TABLE_SITE:
		return true;
	default:
		return false;
	}
}

static bool needs_waste(enum hprof_table table)
{
	return table == HPROF_TABLE_WASTE || table == HPROF_TABLE_DUPLICATE ||
	       table == HPROF_TABLE_WASTE_MAP;
}

/* What TABLE is made of besides the graph. */
static enum hprof_status find_parts(struct query_dump *d,
				    const struct hprof_graph *graph,
				    enum hprof_table table,
				    struct hprof_error *error)
{
	bool suspects = table == HPROF_TABLE_SUSPECT ||
			table == HPROF_TABLE_SUSPECT_PATH;

	if (needs_waste(table))
		return find_waste(d, graph, error);
	if (table == HPROF_TABLE_LOADER && !d->loaders)
		return hprof_loader_use_read(graph, &d->loaders, error);
	if (suspects && !d->leaks)
		return hprof_leaks_read(graph, NULL, &d->leaks, error);
	if (table == HPROF_TABLE_SITE && !d->sites)
		return hprof_allocations_read(graph, HPROF_NO_OBJECT, &d->sites,
					      error);
	return HPROF_OK;
}

enum hprof_status query_dump_walk(struct query_dump *d, enum hprof_table table,
				  bool costly, struct hprof_tables_walk *ret,
				  struct hprof_error *error)
{
	enum hprof_status status;
	const struct hprof_graph *graph = NULL;

	if (needs_graph(table, costly)) {
		graph = query_dump_graph(d, QUERY_GRAPH_SIZES, error);
		if (!graph)
			return error->status;
	}
	status = find_parts(d, graph, table, error);
	if (status != HPROF_OK)
		return status;
	*ret = (struct hprof_tables_walk){
		.size = sizeof(*ret),
		.path = d->path,
		.heap = d->heap,
		.graph = graph,
		.waste = d->waste,
		.loaders = d->loaders,
		.leaks = d->leaks,
		.allocations = d->sites,
		.progress = quiet_progress,
	};
	ret->wanted[table] = true;
	return HPROF_OK;
}
