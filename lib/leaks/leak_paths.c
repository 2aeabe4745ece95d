/* SPDX-License-Identifier: MIT */
/*
 * leak_paths.c - why suspects are alive: the origins of groups, and paths.
 *
 * Most of both is known from the dominator tree. For the rest the shortest paths
 * to all objects are found at once, in references that the graph has packed or
 * in those of another one, which is built then.
 */
#include "leaks/leak_report.h"

#include "base/error.h"
#include "base/mem.h"
#include "graph/kept_references.h"
#include "report/dominator_paths.h"

/* To what paths are to be found, unless a group has an origin. */
static uint64_t about_of(const struct hp_leaks *l, size_t i)
{
	return l->search.suspects[i].about;
}

static enum hprof_status take_origin(struct hp_leaks *l, size_t i,
				     uint64_t origin, struct hprof_error *error)
{
	struct hprof_leak *leak = &l->table.leaks[i];

	HP_TRY(hp_object_info_get(&l->look, origin, &leak->origin, error));
	if (origin != HPROF_NO_OBJECT)
		l->sets[i].object = origin;
	else if (!leak->root_tag && hp_leak_search_needs_origin(
					    &l->search, &l->search.suspects[i]))
		l->sets[i].object = HPROF_NO_OBJECT;
	return HPROF_OK;
}

/* Roots by which whoever has a heap may hold objects by the thousand. */
static bool is_holding(unsigned tag)
{
	return tag == HPROF_ROOT_JNI_GLOBAL || tag == HPROF_ROOT_JNI_LOCAL ||
	       tag == HPROF_ROOT_JAVA_FRAME || tag == HPROF_ROOT_NATIVE_STACK ||
	       tag == HPROF_ROOT_MONITOR_USED;
}

/* The kind of root that nearly all members of group I are; or 0. */
static unsigned find_root_tag(const struct hp_leaks *l, size_t i)
{
	const struct hp_members *members = &l->members[i];
	const struct hp_root_index *roots = &l->paths.roots;
	unsigned tag = 0;
	size_t lead = 0, alike = 0;

	/* Most of them can only be of the kind that has a lead in the end. */
	for (size_t k = 0; k < members->count; k++) {
		unsigned other = hp_root_index_tag(roots, members->nodes[k]);

		if (!lead)
			tag = other;
		if (other == tag)
			lead++;
		else
			lead--;
	}
	for (size_t k = 0; k < members->count; k++)
		alike += hp_root_index_tag(roots, members->nodes[k]) == tag;
	return is_holding(tag) && alike * 100 >= members->count *
							 HP_LEAK_ORIGIN_PERCENT
		       ? tag
		       : 0;
}

/* The sets whose origin has yet to be searched for are left empty for now. */
static enum hprof_status guess_each(struct hp_leaks *l,
				    struct hp_origin_search *search,
				    bool *known, struct hprof_error *error)
{
	for (size_t i = 0; i < l->search.count; i++) {
		struct hprof_leak *leak = &l->table.leaks[i];
		uint64_t origin = HPROF_NO_OBJECT;

		l->sets[i].object = about_of(l, i);
		known[i] = true;
		if (leak->kind == HPROF_LEAK_GROUP)
			leak->root_tag = find_root_tag(l, i);
		if (leak->kind != HPROF_LEAK_GROUP || leak->root_tag)
			continue;
		HP_TRY(hp_leak_origin_near(&l->paths, search, &l->members[i],
					   &origin, &known[i], error));
		if (known[i])
			HP_TRY(take_origin(l, i, origin, error));
		else
			l->sets[i].object = HPROF_NO_OBJECT;
	}
	return HPROF_OK;
}

static enum hprof_status guess_origins(struct hp_leaks *l, bool *known,
				       struct hprof_error *error)
{
	struct hp_origin_search search = { .goes_on = false };
	enum hprof_status status = guess_each(l, &search, known, error);

	hp_origin_search_end(&search);
	return status;
}

/* Whether nothing of suspect I is left to be found by shortest paths. */
static bool is_done(const struct hp_leaks *l, size_t i, const bool *known,
		    const bool *found)
{
	return known[i] && (found[i] || l->sets[i].object == HPROF_NO_OBJECT);
}

/* Finds the rest by the shortest paths of a graph with all edges. */
static enum hprof_status search_paths(struct hp_leaks *l, const bool *known,
				      const bool *found,
				      struct hprof_error *error)
{
	struct hp_path_set *set;
	uint64_t origin;

	for (size_t i = 0; i < l->search.count; i++) {
		set = &l->sets[i];
		if (!known[i]) {
			HP_TRY(hp_leak_origin_by_paths(l->paths.shortest,
						       &l->members[i], &origin,
						       error));
			set->object = about_of(l, i);
			HP_TRY(take_origin(l, i, origin, error));
		}
		if (is_done(l, i, known, found))
			continue;
		HP_TRY(hp_root_paths_find(&l->paths, set, 1, l->wanted, false,
					  error));
	}
	return HPROF_OK;
}

/* Wants the path to OBJECT: that of what dominates it if GRAPH leaves it out. */
static void want(const struct hprof_graph *graph, uint64_t object,
		 uint64_t *wanted)
{
	while (graph->packed.bytes.at && hp_graph_leaves_out(graph, object))
		object = hprof_graph_dominator(graph, object);
	if (object != HPROF_NO_OBJECT)
		hp_bit_set(wanted, object);
}

/*
 * What search_paths asks for; NULL without memory, or if other paths than the
 * shortest are to be found, which may lead through any object.
 */
static uint64_t *find_wanted(const struct hp_leaks *l,
			     const struct hprof_graph *graph, const bool *known,
			     const bool *found)
{
	uint64_t *wanted = NULL;

	if (l->wanted == 1)
		wanted = hp_calloc(hp_bit_words(graph->edges.count),
				   sizeof *wanted);
	for (size_t i = 0; wanted && i < l->search.count; i++) {
		const struct hp_members *members = &l->members[i];

		if (is_done(l, i, known, found))
			continue;
		if (known[i]) {
			want(graph, l->sets[i].object, wanted);
			continue;
		}
		want(graph, about_of(l, i), wanted);
		for (size_t k = 0; k < members->count; k++)
			want(graph, members->nodes[k], wanted);
	}
	return wanted;
}

static enum hprof_status build_shortest_paths(struct hp_leaks *l,
					      const bool *known,
					      const bool *found,
					      struct hprof_error *error)
{
	struct hprof_graph_options how = l->look.graph->options;
	const struct hprof_graph *graph = l->look.graph;
	enum hprof_status status;
	uint64_t *wanted;

	if (!how.edges && !how.paths) {
		how.edges = true;
		how.dominators = how.unreachable = how.strengths = false;
		HP_TRY(hprof_graph_build(l->look.heap, &how, &l->with_edges,
					 error));
		graph = l->with_edges;
	}
	wanted = find_wanted(l, graph, known, found);
	status = hp_root_paths_take_telling(&l->paths, graph, l->sets,
					    l->search.count, wanted, error);
	hp_free(wanted);
	return status;
}

static enum hprof_status leave_open(struct hp_leaks *l, const bool *known)
{
	for (size_t i = 0; i < l->search.count; i++) {
		if (known[i])
			continue;
		l->table.leaks[i].origin.object = HPROF_NO_OBJECT;
		l->sets[i].object = about_of(l, i);
	}
	return HPROF_OK;
}

static enum hprof_status find_paths(struct hp_leaks *l, bool *known,
				    bool *found, struct hprof_error *error)
{
	enum hprof_status status;
	bool all = true;

	HP_TRY(guess_origins(l, known, error));
	HP_TRY(hp_dominator_paths_find(&l->paths, l->sets,
				       l->search.count + l->search.next_count,
				       l->wanted, found, error));
	for (size_t i = 0; i < l->search.count; i++)
		all = all && is_done(l, i, known, found);
	if (all)
		return HPROF_OK;
	status = build_shortest_paths(l, known, found, error);
	if (status == HPROF_E_LIMIT)
		return leave_open(l, known); /* suspects without a path */
	HP_TRY(status);
	return search_paths(l, known, found, error);
}

enum hprof_status hp_leaks_explain(struct hp_leaks *l,
				   struct hprof_error *error)
{
	size_t count = l->search.count + l->search.next_count + 1;
	bool *known = hp_calloc(count, 2 * sizeof *known);
	enum hprof_status status;

	if (!known)
		return hp_no_memory(error);
	status = find_paths(l, known, known + count, error);
	hp_free(known);
	return status;
}
