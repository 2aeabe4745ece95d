/* SPDX-License-Identifier: MIT */
/* leak_next.c - what is next below the threshold: see struct hprof_leak_table. */
#include "leaks/leak_report.h"

#include "base/error.h"

enum { CLIMB_MOST = 1 << 10 };

/* The tables that a loader has for itself are as large as its classes. */
static bool is_of_loader(const struct hp_leaks *l,
			 const struct hprof_leak *leak)
{
	size_t at = leak->subject_step;
	const struct hprof_path_step *steps;

	if (!leak->path_count || at == SIZE_MAX)
		return false;
	steps = leak->paths[0].steps;
	if (hp_shunned_edges_is_loader(&l->paths.shunned, &steps[at].held))
		return true;
	return at && steps[at].edge == HPROF_EDGE_FIELD &&
	       hp_shunned_edges_is_loader(&l->paths.shunned,
					  &steps[at - 1].held);
}

/* What LEAK is about, or no object. */
static uint64_t subject_of(const struct hprof_leak *leak)
{
	return leak->path_count && leak->subject_step != SIZE_MAX
		       ? leak->paths[0].steps[leak->subject_step].held.object
		       : HPROF_NO_OBJECT;
}

/* The map that leads to a group of suspects is known from there. */
static bool is_told(const struct hp_leaks *l, const struct hprof_leak *leak)
{
	uint64_t subject = subject_of(leak);

	for (size_t i = 0; subject != HPROF_NO_OBJECT && i < l->table.count;
	     i++)
		if (subject_of(&l->table.leaks[i]) == subject)
			return true;
	return false;
}

static enum hprof_status describe_next_one(struct hp_leaks *l, size_t i,
					   struct hprof_leak *leak,
					   struct hprof_error *error)
{
	const struct hp_suspect *suspect = &l->search.suspects[i];

	*leak = (struct hprof_leak){ .kind = suspect->kind,
				     .retained = suspect->retained };
	leak->origin.object = leak->member.object = HPROF_NO_OBJECT;
	leak->owner.object = HPROF_NO_OBJECT;
	HP_TRY(hp_leaks_hold(l, suspect->point, &leak->point, error));
	if (suspect->kind == HPROF_LEAK_GROUP) {
		leak->member = leak->point;
		leak->member_class = hp_leaks_key_name(l, suspect->key);
		leak->member_is_class = hp_leaks_key_is_class(suspect->key);
		leak->members = suspect->members;
	} else {
		hp_leaks_find_items(l, suspect->point, leak);
	}
	return hp_leaks_take_paths(l, leak, &l->sets[i], error);
}

enum hprof_status hp_leaks_describe_next(struct hp_leaks *l,
					 struct hprof_error *error)
{
	size_t end = l->search.count + l->search.next_count;

	for (size_t i = l->search.count;
	     i < end && l->table.next_count < HP_LEAK_NEXT; i++) {
		struct hprof_leak *leak = &l->table.next[l->table.next_count];

		HP_TRY(describe_next_one(l, i, leak, error));
		l->table.next_count +=
			!is_of_loader(l, leak) && !is_told(l, leak);
	}
	return HPROF_OK;
}

/*
 * Whether what dominates NODE says whose it is; else only who refers to it does. A stack
 * says it only if nobody else holds the object.
 */
static bool has_owner(const struct hp_leaks *l, uint32_t node)
{
	const struct hprof_graph *graph = l->look.graph;
	uint32_t by = hp_graph_dominator_node(graph, node);

	if (!hprof_graph_is_root(graph, node) && by == HP_NO_NODE)
		return false;
	for (unsigned i = 0; by != HP_NO_NODE && i < CLIMB_MOST; i++) {
		node = by;
		by = hp_graph_dominator_node(graph, node);
	}
	return by != HP_NO_NODE || !hp_root_paths_pass(&l->paths, node);
}

void hp_leaks_choose_next(struct hp_leaks *l)
{
	for (size_t i = 0; i < l->search.next_count; i++) {
		size_t at = l->search.count + i;
		const struct hp_suspect *suspect = &l->search.suspects[at];

		l->sets[at].object = suspect->about;
		l->sets[at].from_top = suspect->kind == HPROF_LEAK_GROUP ||
				       has_owner(l, suspect->about);
	}
}
