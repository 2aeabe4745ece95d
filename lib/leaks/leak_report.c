/* SPDX-License-Identifier: MIT */
/*
 * leak_report.c - hprof_leaks_read: suspects with all that a person needs to
 * judge them. leak_search.c finds the suspects, leak_crowds.c crowds, leak_describe.c
 * says what the dominator tree tells, leak_contents.c what they retain, leak_origins.c
 * the origins of groups, leak_subject.c collections and owners, leak_paths.c why they
 * are alive.
 */
#include "leaks/leak_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "leaks/backlog_join.h"
#include "leaks/leak_locals.h"
#include "leaks/leak_owners.h"
#include "leaks/out_of_memory.h"

enum { PATHS_MOST = 8, MILLION = 1000000 };

static enum hprof_status describe_all(struct hp_leaks *l,
				      struct hprof_error *error)
{
	for (size_t i = 0; i < l->search.count; i++)
		HP_TRY(hp_leaks_describe(l, i, &l->table.leaks[i], error));
	return HPROF_OK;
}

/* ---- contents, and why they are alive ------------------------------------ */

struct explaining {
	struct hp_leaks *l;
	enum hprof_status status;
	struct hprof_error error;
};

static void explain(void *user)
{
	struct explaining *e = user;

	e->status = hp_leaks_explain(e->l, &e->error);
}

/* What crowds of threads retain, whether the search has found them or not. */
static enum hprof_status describe_threads(struct hp_leaks *l,
					  struct hprof_error *error)
{
	for (size_t i = 0; i < l->crowds.count; i++) {
		struct hprof_leak *leak = &l->crowd_leaks[i];

		*leak = (struct hprof_leak){ .kind = l->crowds.items[i].kind };
		leak->owner.object = HPROF_NO_OBJECT;
		if (l->crowds.items[i].kind == HPROF_LEAK_THREADS)
			HP_TRY(hp_leak_contents_describe(
				&l->kept, l->search.count + i, &l->arena, leak,
				error));
	}
	return HPROF_OK;
}

/*
 * One thread searches for paths, while the others begin to sum up contents. Not
 * with a limit to memory: then either needs what the other would hold.
 */
static enum hprof_status describe_more(struct hp_leaks *l,
				       struct hprof_error *error)
{
	struct explaining why = { .l = l, .status = HPROF_OK };
	struct hp_beside beside = { explain, &why };

	if (l->look.graph->build.tables.limit)
		hp_beside_run(&beside);
	HP_TRY(hp_leak_contents_find(&l->kept, &l->look, &l->search, &l->crowds,
				     &beside, error));
	if (why.status < 0) {
		if (error)
			*error = why.error;
		return why.status;
	}
	for (size_t i = 0; i < l->search.count; i++)
		HP_TRY(hp_leak_contents_describe(&l->kept, i, &l->arena,
						 &l->table.leaks[i], error));
	HP_TRY(describe_threads(l, error));
	hp_leak_contents_leave(&l->kept);
	return HPROF_OK;
}

/* ---- the suspects that stay ---------------------------------------------- */

static struct hp_leak_crowd *crowd_of(const struct hp_leaks *l, size_t i)
{
	for (size_t k = 0; k < l->crowds.count; k++)
		if (l->crowds.items[k].suspect == i)
			return &l->crowds.items[k];
	return NULL;
}

/* Of a group of threads, by what ThreadLocal they keep most. */
static enum hprof_status find_locals(struct hp_leaks *l, size_t i,
				     struct hprof_leak *leak,
				     struct hprof_error *error)
{
	const struct hp_suspect *suspect = &l->search.suspects[i];
	enum hprof_status status;
	uint32_t *threads;
	size_t count = 0;
	const uint32_t *end;
	const uint32_t *child =
		hp_leak_search_children(&l->search, suspect->dominator, &end);

	if (suspect->kind != HPROF_LEAK_GROUP ||
	    !hp_leak_search_is_container(&l->search, suspect->largest))
		return HPROF_OK;
	threads = hp_calloc((size_t)suspect->members + 1, sizeof *threads);
	if (!threads)
		return hp_no_memory(error);
	for (; child < end && count < suspect->members; child++)
		if (l->search.key[hp_graph_kind(l->look.graph, *child)] ==
		    suspect->key)
			threads[count++] = *child;
	status = hp_leak_locals_find(&l->paths, threads, count, leak, error);
	hp_free(threads);
	return status;
}

static enum hprof_status describe_crowd(struct hp_leaks *l,
					const struct hp_leak_crowd *crowd,
					struct hprof_leak *leak,
					struct hprof_error *error)
{
	HP_TRY(hp_leak_crowd_describe(&l->paths, crowd, leak, error));
	return crowd->kind == HPROF_LEAK_THREADS
		       ? hp_leak_locals_find(&l->paths, crowd->among,
					     crowd->among_count, leak, error)
		       : HPROF_OK;
}

/* Drops suspects that need an origin and have none. */
static enum hprof_status keep_suspects(struct hp_leaks *l,
				       struct hprof_error *error)
{
	for (size_t i = 0; i < l->search.count; i++) {
		const struct hp_suspect *suspect = &l->search.suspects[i];
		struct hp_leak_crowd *crowd = crowd_of(l, i);
		struct hprof_leak *leak = &l->table.leaks[i];

		if (crowd && crowd->kind == HPROF_LEAK_THREADS)
			*leak = l->crowd_leaks[crowd - l->crowds.items];
		if (suspect->dropped ||
		    (!crowd && l->sets[i].object == HPROF_NO_OBJECT))
			continue;
		if (crowd)
			HP_TRY(describe_crowd(l, crowd, leak, error));
		else
			HP_TRY(hp_leaks_take_paths(l, leak, &l->sets[i],
						   error));
		if (!crowd)
			HP_TRY(find_locals(l, i, leak, error));
		l->table.explained +=
			crowd ? crowd->explains : suspect->explains;
		l->table.leaks[l->table.count++] = *leak;
	}
	return HPROF_OK;
}

/* Adds the crowds that the search has not found. */
static enum hprof_status add_crowds(struct hp_leaks *l,
				    struct hprof_error *error)
{
	for (size_t i = 0; i < l->crowds.count; i++) {
		const struct hp_leak_crowd *crowd = &l->crowds.items[i];
		struct hprof_leak *leak = &l->table.leaks[l->table.count];

		if (crowd->suspect != SIZE_MAX)
			continue;
		*leak = l->crowd_leaks[i];
		HP_TRY(describe_crowd(l, crowd, leak, error));
		l->table.explained += crowd->explains;
		l->table.count++;
	}
	return HPROF_OK;
}

/* ---- the table ----------------------------------------------------------- */

static enum hprof_status make_room(struct hp_leaks *l)
{
	size_t count = l->search.count + l->search.next_count + 1;
	size_t most = l->search.count + l->crowds.count + 1;

	l->members = hp_calloc(count, sizeof *l->members);
	l->sets = hp_calloc(count, sizeof *l->sets);
	l->crowd_leaks = hp_calloc(l->crowds.count + 1, sizeof *l->crowd_leaks);
	l->table.leaks =
		hp_arena_take(&l->arena, most * sizeof *l->table.leaks);
	l->table.next =
		hp_arena_take(&l->arena, HP_LEAK_NEXT * sizeof *l->table.next);
	return l->members && l->sets && l->crowd_leaks && l->table.leaks &&
			       l->table.next
		       ? HPROF_OK
		       : HPROF_E_NOMEM;
}

static int compare_leaks(const void *left, const void *right)
{
	const struct hprof_leak *a = left, *b = right;

	if (a->retained != b->retained)
		return a->retained > b->retained ? -1 : 1;
	return a->point.object < b->point.object
		       ? -1
		       : a->point.object > b->point.object;
}

static enum hprof_status search_all(struct hp_leaks *l,
				    const struct hprof_leak_options *options,
				    struct hprof_error *error)
{
	const struct hp_leak_limit limit = { options->bytes, options->share };
	const struct hprof_graph *graph = l->look.graph;

	HP_TRY(hprof_cursor_new(graph->heap, &l->look.cursor, error));
	HP_TRY(hp_leak_search_run(&l->search, &l->look, &limit, error));
	l->table.live = l->search.live;
	l->table.threshold = l->search.threshold;
	HP_TRY(hp_root_paths_init(&l->paths, graph, &l->arena, error));
	HP_TRY(hp_leak_crowds_find(&l->crowds, &l->paths, error));
	if (hp_backlogs_join(&l->backlogs.told, &l->search,
			     &l->table.explained) != HPROF_OK)
		return hp_no_memory(error);
	if (hp_leak_crowds_join(&l->crowds, &l->search) != HPROF_OK)
		return hp_no_memory(error);
	return hp_leak_search_next(&l->search, error);
}

static enum hprof_status make_table(struct hp_leaks *l,
				    const struct hprof_leak_options *options,
				    struct hprof_error *error)
{
	HP_TRY(search_all(l, options, error));
	if (make_room(l) != HPROF_OK)
		return hp_no_memory(error);
	hp_leaks_choose_next(l);
	HP_TRY(describe_all(l, error));
	HP_TRY(describe_more(l, error));
	HP_TRY(keep_suspects(l, error));
	HP_TRY(add_crowds(l, error));
	if (l->table.count)
		qsort(l->table.leaks, l->table.count, sizeof *l->table.leaks,
		      compare_leaks);
	HP_TRY(hp_leaks_describe_next(l, error));
	hp_leak_owners_tell_apart(&l->look, l->table.leaks, l->table.count);
	hp_leak_owners_tell_apart(&l->look, l->table.next, l->table.next_count);
	return HPROF_OK;
}

static void drop_work(struct hp_leaks *l)
{
	for (size_t i = 0; l->members && i < l->search.count; i++)
		hp_free(l->members[i].nodes);
	hp_free(l->members);
	hp_free(l->sets);
	hp_free(l->crowd_leaks);
	hp_root_paths_done(&l->paths);
	hprof_graph_free(l->with_edges);
	hp_leak_contents_done(&l->kept);
	hp_leak_crowds_done(&l->crowds);
	hp_leak_search_done(&l->search);
	hprof_cursor_free(l->look.cursor);
}

static enum hprof_status check(const struct hprof_leak_options *given,
			       struct hprof_leak_options *ret,
			       struct hprof_error *error)
{
	if (!HP_OPTIONS_TAKE(given, ret))
		return hp_bad_options(error);
	if (ret->share > MILLION)
		return hp_bad_argument(error, "options.share",
				       "is more than 1000000");
	if (ret->paths > PATHS_MOST)
		return hp_bad_argument(error, "options.paths",
				       "is more than 8");
	return HPROF_OK;
}

enum hprof_status hprof_leaks_read(const struct hprof_graph *graph,
				   const struct hprof_leak_options *given,
				   struct hprof_leak_table **ret_table,
				   struct hprof_error *ret_error)
{
	struct hprof_leak_options options;
	enum hprof_status status;
	struct hp_leaks *l;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	HP_NEED(ret_error, ret_table);
	HP_TRY(check(given, &options, ret_error));
	l = hp_calloc(1, sizeof *l);
	if (!l)
		return hp_no_memory(ret_error);
	l->table.impl = l;
	l->wanted = options.paths ? options.paths : 1;
	l->look = (struct hp_look){ graph->heap, graph, NULL };
	if (options.sums)
		hp_leak_contents_promise(&l->kept, graph);
	status = hp_backlogs_find(&l->backlogs, graph, &l->arena, ret_error);
	if (status == HPROF_OK)
		status = make_table(l, &options, ret_error);
	if (status == HPROF_OK)
		status = hp_out_of_memory_find(
			hprof_heap_summary(graph->heap), &l->arena, &l->threads,
			&l->table.out_of_memory, ret_error);
	l->table.backlogs = l->backlogs.items;
	l->table.backlog_count = l->backlogs.count;
	drop_work(l);
	if (status < 0) {
		hprof_leak_table_free(&l->table);
		return status;
	}
	*ret_table = &l->table;
	return HPROF_OK;
}

void hprof_leak_table_free(struct hprof_leak_table *table)
{
	struct hp_leaks *l = table ? table->impl : NULL;

	if (!l)
		return;
	hp_backlogs_done(&l->backlogs);
	hprof_thread_table_free(l->threads);
	hp_arena_done(&l->arena);
	hp_free(l);
}
