/* SPDX-License-Identifier: MIT */
/*
 * leak_crowd_join.c - see leak_crowd_join.h.
 */
#include "leaks/leak_crowd_join.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "leaks/leak_reasons.h"

enum { CLIMB_MOST = 64 }; /* dominators between a member and a suspect */

/* ---- which suspects are crowds ------------------------------------------- */

static bool is_under(const struct hp_leak_search *search,
		     const struct hp_suspect *suspect, uint32_t node)
{
	const struct hprof_graph *graph = search->graph;

	for (unsigned i = 0; i < CLIMB_MOST && node != HP_NO_NODE; i++) {
		uint32_t by = hp_graph_dominator_node(graph, node);

		if (suspect->kind != HPROF_LEAK_GROUP
			    ? node == suspect->point
			    : by == suspect->dominator &&
				      search->key[hp_graph_kind(graph, node)] ==
					      suspect->key)
			return true;
		node = by;
	}
	return false;
}

/* Several frames may hold the same object: these are neighbours. */
static bool is_again(const struct hp_leak_crowd *crowd, size_t i)
{
	return i && crowd->nodes[i].node == crowd->nodes[i - 1].node;
}

/* Whether node I of CROWD counts: it is below no other. OWN has what all retain. */
static bool counts(const struct hp_leak_search *search,
		   const struct hp_leak_crowd *crowd, size_t i,
		   const struct hp_leak_explained *own)
{
	uint32_t by =
		hp_graph_dominator_node(search->graph, crowd->nodes[i].node);

	return !is_again(crowd, i) && !hp_leak_explained_has(own, by);
}

/* What SUSPECT retains by members of CROWD; OWN has what these retain. */
static uint64_t part_of(const struct hp_leak_search *search,
			const struct hp_suspect *suspect,
			const struct hp_leak_crowd *crowd,
			const struct hp_leak_explained *own)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < crowd->count; i++) {
		uint32_t node = crowd->nodes[i].node;

		if (is_under(search, suspect, node) &&
		    counts(search, crowd, i, own))
			sum += hprof_graph_retained(search->graph, node);
	}
	return sum;
}

/*
 * The first suspect that consists of members is the crowd; others go. Of threads that are
 * only alike these are groups that would need an origin.
 */
static void find_suspects(struct hp_leak_search *search,
			  struct hp_leak_crowd *crowd,
			  const struct hp_leak_explained *own)
{
	for (size_t i = 0; i < search->count; i++) {
		struct hp_suspect *suspect = &search->suspects[i];

		if (suspect->dropped || suspect->is_crowd ||
		    (crowd->alike &&
		     !hp_leak_search_needs_origin(search, suspect)) ||
		    part_of(search, suspect, crowd, own) /
				    HP_LEAK_DROP_PERCENT <
			    suspect->retained / 100)
			continue;
		if (crowd->suspect == SIZE_MAX) {
			crowd->suspect = i;
			suspect->is_crowd = true;
		} else {
			suspect->dropped = true;
		}
	}
}

/* ---- what they retain ---------------------------------------------------- */

static enum hprof_status add_own(const struct hp_leak_search *search,
				 struct hp_leak_crowd *crowd,
				 struct hp_leak_explained *own)
{
	uint64_t bytes;

	for (size_t i = 0; i < crowd->count; i++) {
		uint32_t node = crowd->nodes[i].node;

		if (!hprof_graph_is_reachable(search->graph, node))
			continue;
		HP_TRY(hp_leak_explained_add(own, node, &bytes));
		crowd->retained += bytes;
	}
	return HPROF_OK;
}

/* What CROWD retains that no suspect so far does. */
static uint64_t rest_of(const struct hp_leak_search *search,
			const struct hp_leak_crowd *crowd,
			const struct hp_leak_explained *own)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < crowd->count; i++) {
		uint32_t node = crowd->nodes[i].node;

		if (hprof_graph_is_reachable(search->graph, node) &&
		    !hp_leak_explained_has(&search->explained, node) &&
		    counts(search, crowd, i, own))
			sum += hp_leak_explained_rest(&search->explained, node);
	}
	return sum;
}

static enum hprof_status explain(struct hp_leak_search *search,
				 struct hp_leak_crowd *crowd)
{
	uint64_t bytes;

	for (size_t i = 0; i < crowd->count; i++) {
		HP_TRY(hp_leak_explained_add(&search->explained,
					     crowd->nodes[i].node, &bytes));
		crowd->explains += bytes;
	}
	return HPROF_OK;
}

/* ---- one crowd ----------------------------------------------------------- */

static int compare_nodes(const void *left, const void *right)
{
	const struct hp_crowd_node *a = left, *b = right;

	return a->node < b->node ? -1 : a->node > b->node;
}

/* The nodes of threads, each once, so that an object is found among them. */
static enum hprof_status sort_nodes(struct hp_leak_crowd *crowd)
{
	crowd->among = hp_calloc(crowd->count, sizeof *crowd->among);
	if (!crowd->among)
		return HPROF_E_NOMEM;
	qsort(crowd->nodes, crowd->count, sizeof *crowd->nodes, compare_nodes);
	for (size_t i = 0; i < crowd->count; i++)
		if (!is_again(crowd, i))
			crowd->among[crowd->among_count++] =
				crowd->nodes[i].node;
	return HPROF_OK;
}

/* A thread of a crowd. */
struct thread {
	uint32_t node;
	uint64_t retained;
};

/* Finds the largest; what several threads hold counts for one of them. */
static void find_largest(const struct hp_leak_search *search,
			 struct hp_leak_crowd *crowd, struct thread *threads)
{
	for (size_t i = 0; i < crowd->count; i++)
		if (!is_again(crowd, i))
			threads[crowd->nodes[i].member].retained +=
				hprof_graph_retained(search->graph,
						     crowd->nodes[i].node);
	for (size_t i = 0; i < crowd->members; i++) {
		if (i && threads[i].retained <= crowd->member_retained)
			continue;
		crowd->member = threads[i].node;
		crowd->member_retained = threads[i].retained;
	}
}

static enum hprof_status arrange_threads(const struct hp_leak_search *search,
					 struct hp_leak_crowd *crowd)
{
	struct thread *threads;
	enum hprof_status status;

	if (crowd->kind != HPROF_LEAK_THREADS)
		return HPROF_OK;
	threads = hp_calloc(crowd->members, sizeof *threads);
	if (!threads)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < crowd->members; i++)
		threads[i].node = crowd->nodes[i].node;
	status = sort_nodes(crowd);
	if (status == HPROF_OK)
		find_largest(search, crowd, threads);
	hp_free(threads);
	return status;
}

/* *RET: it is a crowd. Whether others retain the same is not looked at for most. */
static enum hprof_status join(struct hp_leak_search *search,
			      struct hp_leak_crowd *crowd, bool *ret)
{
	struct hp_leak_explained own;
	enum hprof_status status;

	*ret = !crowd->alike ||
	       rest_of(search, crowd, &search->explained) >= search->threshold;
	if (!*ret)
		return HPROF_OK;
	status = hp_leak_explained_init(&own, search->graph);
	if (status == HPROF_OK)
		status = add_own(search, crowd, &own);
	if (status == HPROF_OK && crowd->alike)
		*ret = rest_of(search, crowd, &own) >= search->threshold;
	if (status == HPROF_OK && *ret)
		find_suspects(search, crowd, &own);
	hp_leak_explained_done(&own);
	return status;
}

static void drop_crowd(struct hp_leak_crowd *crowd)
{
	hp_free(crowd->nodes);
	hp_free(crowd->among);
	*crowd = (struct hp_leak_crowd){ .nodes = NULL };
}

/* Those that are only ALIKE, or the others; leaves those that are crowds. */
static enum hprof_status join_all(struct hp_leak_crowds *crowds,
				  struct hp_leak_search *search, bool alike)
{
	size_t left = 0;
	bool stays;

	for (size_t i = 0; i < crowds->count; i++) {
		struct hp_leak_crowd *crowd = &crowds->items[i];

		stays = true;
		if (crowd->alike == alike) {
			HP_TRY(arrange_threads(search, crowd));
			HP_TRY(join(search, crowd, &stays));
			if (stays && alike)
				HP_TRY(explain(search, crowd));
		}
		if (!stays) {
			drop_crowd(crowd);
		} else if (i != left) {
			crowds->items[left] = *crowd;
			*crowd = (struct hp_leak_crowd){ .nodes = NULL };
		}
		left += stays;
	}
	crowds->count = left;
	return HPROF_OK;
}

enum hprof_status hp_leak_crowds_join(struct hp_leak_crowds *crowds,
				      struct hp_leak_search *search)
{
	HP_TRY(join_all(crowds, search, false));
	HP_TRY(hp_leak_search_explain(search, false));
	for (size_t i = 0; i < crowds->count; i++)
		if (!crowds->items[i].alike)
			HP_TRY(explain(search, &crowds->items[i]));
	HP_TRY(join_all(crowds, search, true));
	return hp_leak_search_explain(search, true);
}

/* ---- what is said about them --------------------------------------------- */

/* The path to a thread, which tells its name. */
static enum hprof_status find_thread(struct hp_root_paths *paths,
				     const struct hp_leak_crowd *crowd,
				     struct hprof_leak *leak,
				     struct hprof_error *error)
{
	uint64_t thread = crowd->member;

	leak->paths = hp_arena_take(paths->arena, sizeof *leak->paths);
	if (!leak->paths)
		return hp_no_memory(error);
	leak->path_count = 1;
	return hp_root_paths_make(paths, &thread, 1, leak->paths, error);
}

static void take_reason(struct hprof_leak *leak)
{
	leak->paths = NULL;
	leak->path_count = 0;
	if (!leak->reason_count)
		return;
	leak->paths = &leak->reasons[0].path;
	leak->path_count = 1;
}

enum hprof_status hp_leak_crowd_describe(struct hp_root_paths *paths,
					 const struct hp_leak_crowd *crowd,
					 struct hprof_leak *leak,
					 struct hprof_error *error)
{
	leak->kind = crowd->kind;
	leak->retained = crowd->retained;
	leak->members = crowd->members;
	leak->member_is_class = false;
	leak->member_retained = crowd->member_retained;
	leak->crowd_name = crowd->name;
	leak->frame = crowd->frame;
	leak->at_frame = crowd->at_frame;
	leak->origin.object = leak->collection.object = HPROF_NO_OBJECT;
	leak->owner_step = leak->subject_step = SIZE_MAX;
	HP_TRY(hp_object_info_get(&paths->look, crowd->member, &leak->member,
				  error));
	leak->member_class = leak->member.class_name;
	if (leak->point.id == 0)
		leak->point = leak->member;
	if (crowd->kind == HPROF_LEAK_THREADS)
		return find_thread(paths, crowd, leak, error);
	HP_TRY(hp_leak_reasons_find(paths, crowd, leak, error));
	take_reason(leak);
	return HPROF_OK;
}
