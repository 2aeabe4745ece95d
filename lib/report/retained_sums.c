/* SPDX-License-Identifier: MIT */
/*
 * retained_sums.c - sums of sets by class, package and whatever else divides
 * objects; see retained_sets.h.
 */
#include "report/sets_table.h"

#include "base/error.h"
#include "base/mem.h"

static void walk(const struct hp_retained_sets *a, uint32_t label,
		 const struct hp_division *divisions, size_t count)
{
	const struct hp_begin *begin = label ? &a->begins[label - 1] : NULL;
	uint32_t child;

	if (!begin || begin->node != HP_NO_NODE) {
		hp_dominator_tree_sum(&a->tree,
				      begin ? begin->node : HP_NO_NODE,
				      divisions, count);
		return;
	}
	child = hp_dominator_tree_first(&a->tree, begin->dominator);
	for (; child != HP_NO_NODE; child = a->tree.next[child])
		if (hp_retained_sets_begin(a, begin->dominator, child) ==
		    label - 1)
			hp_dominator_tree_sum(&a->tree, child, divisions,
					      count);
}

/* Adds the rows FROM up to TO, which are of one SET. */
static void add_set(struct hp_retained_sets *a,
		    const struct hp_ancestor_set *set, size_t from, size_t to,
		    const struct hp_division *division)
{
	uint32_t mark = ++a->mark;

	for (uint32_t i = 0; i < set->count; i++)
		a->marks[division->key[set->kinds[i]]] = mark;
	for (size_t i = from; i < to; i++) {
		const struct hp_set_count *row = &a->rows[i];
		uint32_t key = division->key[hp_set_count_kind(row)];
		struct hp_sum *sum = &division->sums[key];

		sum->objects += row->objects;
		sum->shallow += row->shallow;
		if (a->marks[key] != mark)
			sum->retained += row->retained * a->graph->sizes.unit;
	}
}

void hp_retained_sets_sum(struct hp_retained_sets *a, uint32_t label,
			  const struct hp_division *divisions, size_t count)
{
	size_t from = 0, to;

	if (a->tree.first) {
		walk(a, label, divisions, count);
		return;
	}
	for (; from < a->row_count; from = to) {
		uint32_t number = hp_set_count_set(&a->rows[from]);
		const struct hp_ancestor_set *set = &a->sets.items[number];

		for (to = from; to < a->row_count &&
				hp_set_count_set(&a->rows[to]) == number;
		     to++)
			;
		for (size_t d = 0; set->label == label && d < count; d++)
			add_set(a, set, from, to, &divisions[d]);
	}
}

/* ---- without beginnings -------------------------------------------------- */

/* The path of what dominates the subtrees with LABEL. */
static uint16_t path_above(const struct hp_retained_sets *a, uint32_t label)
{
	const uint32_t node = a->begins[label - 1].dominator;
	size_t i = 0;

	while (a->specials[i].node != node)
		i++;
	return a->specials[i].plain;
}

/*
 * Adds path NUMBER to ALL; of a subtree, behind the path that leads there. MOVED has
 * the numbers there of all paths without a label, and of those before NUMBER.
 */
static void merge_path(const struct hp_retained_sets *a, size_t number,
		       struct hp_ancestor_sets *all, uint16_t *moved)
{
	const struct hp_ancestor_set *path = &a->sets.items[number];

	if (path->count)
		moved[number] = hp_ancestor_sets_add(
			all, moved[path->from], path->kinds[path->count - 1]);
	else if (path->label)
		moved[number] = moved[path_above(a, path->label)];
	else
		moved[number] = hp_ancestor_sets_empty(all, 0);
}

static enum hprof_status merge_paths(const struct hp_retained_sets *a,
				     struct hp_ancestor_sets *all,
				     uint16_t *moved)
{
	for (size_t i = 1; i < a->sets.count; i++)
		if (!a->sets.items[i].label)
			merge_path(a, i, all, moved);
	for (size_t i = 1; i < a->sets.count; i++)
		if (a->sets.items[i].label)
			merge_path(a, i, all, moved);
	if (all->no_memory)
		return HPROF_E_NOMEM;
	return all->too_many ? HPROF_END : HPROF_OK;
}

static void take_rows(struct hp_retained_sets *to,
		      struct hp_retained_sets *from, const uint16_t *moved)
{
	to->rows = from->rows;
	to->row_count = from->row_count;
	to->marks = from->marks;
	to->mark = from->mark;
	from->rows = NULL;
	from->row_count = 0;
	from->marks = NULL;
	for (size_t i = 0; i < to->row_count; i++) {
		struct hp_set_count *row = &to->rows[i];

		hp_set_count_move(row, moved[hp_set_count_set(row)]);
		row->inner = 0;
	}
	hp_set_counts_sort(to->rows, to->row_count);
}

static enum hprof_status merge(struct hp_retained_sets *paths,
			       struct hp_retained_sets **ret)
{
	struct hp_retained_sets *all = hp_calloc(1, sizeof *all);
	uint16_t *moved = hp_calloc(paths->sets.count, sizeof *moved);
	enum hprof_status status = HPROF_E_NOMEM;

	if (all)
		status = hp_ancestor_sets_begin(&all->sets, true);
	if (status == HPROF_OK)
		status = moved ? merge_paths(paths, &all->sets, moved)
			       : HPROF_E_NOMEM;
	if (status == HPROF_OK) {
		all->graph = paths->graph;
		take_rows(all, paths, moved);
		*ret = all;
	} else {
		hp_retained_sets_done(all);
	}
	hp_free(moved);
	return status;
}

/* ---- of all objects ------------------------------------------------------ */

static void drop(void *sets)
{
	hp_retained_sets_done(sets);
}

/* Keeps PATHS unless there are some already. */
static void keep(struct hp_graph_memo *memo, struct hp_retained_sets *paths)
{
	pthread_mutex_lock(&memo->lock);
	if (!memo->found) {
		memo->found = paths;
		memo->drop = drop;
		paths = NULL;
	}
	pthread_mutex_unlock(&memo->lock);
	hp_retained_sets_done(paths);
}

bool hp_retained_paths_are_kept(const struct hprof_graph *graph)
{
	struct hp_graph_memo *memo = graph->memo;
	bool kept;

	pthread_mutex_lock(&memo->lock);
	kept = memo->found != NULL;
	pthread_mutex_unlock(&memo->lock);
	return kept;
}

bool hp_retained_paths_promise(const struct hprof_graph *graph)
{
	if (__atomic_load_n(&graph->memo->many_paths, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&graph->memo->lock);
	graph->memo->finders++;
	pthread_mutex_unlock(&graph->memo->lock);
	return true;
}

void hp_retained_paths_end_promise(const struct hprof_graph *graph)
{
	pthread_mutex_lock(&graph->memo->lock);
	graph->memo->finders--;
	pthread_cond_broadcast(&graph->memo->changed);
	pthread_mutex_unlock(&graph->memo->lock);
}

/*
 * Those that are kept, if necessary after a wait for who has promised them; NULL: there
 * are none. The caller has the lock.
 */
static struct hp_retained_sets *await(struct hp_graph_memo *memo)
{
	while (!memo->found && memo->finders)
		pthread_cond_wait(&memo->changed, &memo->lock);
	return memo->found;
}

enum hprof_status hp_retained_paths_need(const struct hprof_graph *graph,
					 struct hprof_error *error)
{
	struct hp_graph_memo *memo = graph->memo;
	struct hp_retained_sets *paths;
	enum hprof_status status;

	pthread_mutex_lock(&memo->lock);
	paths = await(memo);
	memo->finders += !paths;
	pthread_mutex_unlock(&memo->lock);
	if (paths)
		return HPROF_OK;
	status = hp_retained_paths_find(graph, NULL, 0, NULL, NULL, &paths,
					error);
	if (status == HPROF_OK)
		keep(memo, paths);
	hp_retained_paths_end_promise(graph);
	return status;
}

void hp_retained_paths_leave(struct hp_retained_sets *paths)
{
	struct hp_retained_sets *sums;

	if (merge(paths, &sums) == HPROF_OK)
		keep(paths->graph->memo, sums);
}

enum hprof_status hp_retained_sets_all(const struct hprof_graph *graph,
				       const struct hp_division *divisions,
				       size_t count, struct hprof_error *error)
{
	struct hp_graph_memo *memo = graph->memo;
	struct hp_retained_sets *sets;

	pthread_mutex_lock(&memo->lock);
	sets = await(memo);
	if (sets)
		hp_retained_sets_sum(sets, 0, divisions, count);
	pthread_mutex_unlock(&memo->lock);
	if (sets)
		return HPROF_OK;
	HP_TRY(hp_retained_sets_find(graph, NULL, 0, NULL, NULL, &sets, error));
	hp_retained_sets_sum(sets, 0, divisions, count);
	hp_retained_sets_done(sets);
	return HPROF_OK;
}

bool hp_retained_kinds_count(const struct hprof_graph *graph, uint64_t *counts)
{
	struct hp_graph_memo *memo = graph->memo;
	const struct hp_retained_sets *sets;

	pthread_mutex_lock(&memo->lock);
	sets = memo->found;
	for (size_t i = 0; sets && i < sets->row_count; i++)
		counts[hp_set_count_kind(&sets->rows[i])] +=
			sets->rows[i].objects;
	pthread_mutex_unlock(&memo->lock);
	return sets != NULL;
}
