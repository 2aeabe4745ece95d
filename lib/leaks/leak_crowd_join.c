/* SPDX-License-Identifier: MIT */
/*
 * leak_crowd_join.c - see leak_crowd_join.h.
 */
#include "leaks/leak_crowd_join.h"

#include "base/error.h"
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

/* What SUSPECT retains by members of CROWD; OWN has what these retain. */
static uint64_t part_of(const struct hp_leak_search *search,
			const struct hp_suspect *suspect,
			const struct hp_leak_crowd *crowd,
			const struct hp_leak_explained *own)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < crowd->count; i++) {
		uint32_t node = crowd->nodes[i].node;
		uint32_t by = hp_graph_dominator_node(search->graph, node);

		if (is_under(search, suspect, node) &&
		    !hp_leak_explained_has(own, by))
			sum += hprof_graph_retained(search->graph, node);
	}
	return sum;
}

/* The first suspect that consists of members is the crowd; others go. */
static void find_suspects(struct hp_leak_search *search,
			  struct hp_leak_crowd *crowd,
			  const struct hp_leak_explained *own)
{
	crowd->suspect = SIZE_MAX;
	for (size_t i = 0; i < search->count; i++) {
		struct hp_suspect *suspect = &search->suspects[i];

		if (suspect->dropped || part_of(search, suspect, crowd, own) /
							HP_LEAK_DROP_PERCENT <
						suspect->retained / 100)
			continue;
		if (crowd->suspect == SIZE_MAX)
			crowd->suspect = i;
		else
			suspect->dropped = true;
		crowd->explains += suspect->explains;
		suspect->explains = 0;
	}
}

static enum hprof_status join(struct hp_leak_search *search,
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
	find_suspects(search, crowd, own);
	for (size_t i = 0; i < crowd->count; i++) {
		HP_TRY(hp_leak_explained_add(&search->explained,
					     crowd->nodes[i].node, &bytes));
		crowd->explains += bytes;
	}
	return HPROF_OK;
}

enum hprof_status hp_leak_crowds_join(struct hp_leak_crowds *crowds,
				      struct hp_leak_search *search)
{
	enum hprof_status status = HPROF_OK;

	for (size_t i = 0; status == HPROF_OK && i < crowds->count; i++) {
		struct hp_leak_explained own;

		status = hp_leak_explained_init(&own, search->graph);
		if (status == HPROF_OK)
			status = join(search, &crowds->items[i], &own);
		hp_leak_explained_done(&own);
	}
	return status;
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
