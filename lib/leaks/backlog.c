/* SPDX-License-Identifier: MIT */
/*
 * backlog.c - see backlog.h. The searches are in files of their own; here their
 * findings are put in order and get paths.
 */
#include "leaks/backlog.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "leaks/backlog_work.h"
#include "report/dominator_paths.h"

enum { QUEUES_MOST = 5 }; /* that are told, alone or some together */

static int compare_backlogs(const void *left, const void *right)
{
	const struct hprof_backlog *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->holder.object < b->holder.object
		       ? -1
		       : a->holder.object > b->holder.object;
}

static enum hprof_status find_paths(struct hp_backlog_work *w,
				    struct hp_path_set *sets, bool *found,
				    struct hprof_error *error)
{
	struct hp_root_paths paths;
	enum hprof_status status =
		hp_root_paths_init(&paths, w->look.graph, w->arena, error);

	for (size_t i = 0; i < w->count; i++)
		sets[i].object = w->items[i].holder.object;
	if (status == HPROF_OK)
		status = hp_dominator_paths_find(&paths, sets, w->count, 1,
						 found, error);
	for (size_t i = 0; i < w->count && status == HPROF_OK; i++) {
		w->items[i].paths = sets[i].paths;
		w->items[i].path_count = sets[i].count;
	}
	hp_root_paths_done(&paths);
	return status;
}

static enum hprof_status explain(struct hp_backlog_work *w,
				 struct hprof_error *error)
{
	struct hp_path_set *sets = hp_calloc(w->count + 1, sizeof *sets);
	bool *found = hp_calloc(w->count + 1, sizeof *found);
	enum hprof_status status = sets && found
					   ? find_paths(w, sets, found, error)
					   : hp_no_memory(error);

	hp_free(sets);
	hp_free(found);
	return status;
}

enum hprof_status hp_backlogs_find(struct hp_backlogs *backlogs,
				   const struct hprof_graph *graph,
				   struct hp_arena *arena,
				   struct hprof_error *error)
{
	struct hp_backlog_work w;
	enum hprof_status status;

	*backlogs = (struct hp_backlogs){ .count = 0 };
	if (!graph->options.strengths)
		return HPROF_OK;
	status = hp_backlog_work_init(&w, graph, arena, error);
	if (status == HPROF_OK)
		status = hp_backlog_weaker(&w, error);
	if (status == HPROF_OK)
		status = hp_backlog_queues(&w, error);
	if (status == HPROF_OK)
		status = hp_backlog_values(&w, error);
	if (w.count)
		qsort(w.items, w.count, sizeof *w.items, compare_backlogs);
	if (status == HPROF_OK &&
	    hp_backlog_join_queues(&w, QUEUES_MOST) != HPROF_OK)
		status = hp_no_memory(error);
	if (status == HPROF_OK && w.count)
		status = explain(&w, error);
	backlogs->items = w.items;
	backlogs->count = w.count;
	backlogs->threads = w.threads;
	backlogs->told = w.told;
	hp_backlog_work_done(&w);
	return status;
}

void hp_backlogs_done(struct hp_backlogs *backlogs)
{
	hprof_thread_table_free(backlogs->threads);
	hp_free(backlogs->items);
	hp_free(backlogs->told.queued.nodes);
	hp_free(backlogs->told.actions.nodes);
	hp_free(backlogs->told.others.nodes);
	*backlogs = (struct hp_backlogs){ .count = 0 };
}
