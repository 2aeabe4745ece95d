/* SPDX-License-Identifier: MIT */
/*
 * root_paths.c - what paths are made from: see root_paths.h. A path tells more if
 * it begins at a class whose static holds the object than if it goes on to
 * whoever happens to keep the class's loader.
 */
#include "report/root_paths.h"

#include "base/error.h"
#include "base/mem.h"
#include "report/bounded_bfs.h"
#include "report/name_keys.h"

enum {
	CHAIN_MOST = 1 << 18, /* dominators of an object */
	CLIMB_MOST = 1 << 10  /* of a class or loader; more count as all */
};

enum hprof_status hp_root_paths_init(struct hp_root_paths *p,
				     const struct hprof_graph *graph,
				     struct hp_arena *arena,
				     struct hprof_error *error)
{
	*p = (struct hp_root_paths){ .look = { graph->heap, graph, NULL },
				     .arena = arena };
	p->search_most = p->stack_most = hp_bounded_bfs_most(&p->look);
	HP_TRY(hprof_cursor_new(graph->heap, &p->look.cursor, error));
	p->key = hp_name_keys(hprof_heap_summary(graph->heap));
	if (!p->key ||
	    hp_shunned_edges_init(&p->shunned, graph->heap) != HPROF_OK ||
	    hp_lasting_classes_init(&p->lasting, &p->look) != HPROF_OK ||
	    hp_passing_roots_find(&p->look, &p->lasting, &p->passing) !=
		    HPROF_OK)
		return hp_no_memory(error);
	return hp_root_index_init(&p->roots, &p->look, arena, error);
}

enum hprof_status hp_root_paths_take_shortest(struct hp_root_paths *p,
					      const struct hprof_graph *graph,
					      struct hprof_error *error)
{
	p->edges = graph;
	return hprof_shortest_paths_build(graph, &p->shortest, error);
}

/* ---- telling paths ------------------------------------------------------- */

static bool is_below(const struct hprof_graph *graph, uint64_t object,
		     uint64_t top)
{
	for (unsigned i = 0; object != HPROF_NO_OBJECT; i++) {
		if (object == top || i == CLIMB_MOST)
			return true;
		object = hprof_graph_dominator(graph, object);
	}
	return false;
}

bool hp_root_paths_is_apart(const struct hp_root_paths *p, size_t row,
			    uint64_t object, uint64_t top)
{
	const struct hp_look *look = &p->look;
	uint64_t loader = hprof_heap_find(
		look->heap,
		hprof_heap_summary(look->heap)->class_rows[row].loader_id);

	if (hp_lasting_classes_has(&p->lasting, row))
		return object != top;
	return !is_below(look->graph, object, top) &&
	       !is_below(look->graph, loader, top);
}

/* The uppermost dominator of OBJECT; HPROF_NO_OBJECT if it is too far up. */
static uint64_t top_of(const struct hprof_graph *graph, uint64_t object)
{
	for (unsigned i = 0; i < CHAIN_MOST; i++) {
		uint64_t by = hprof_graph_dominator(graph, object);

		if (by == HPROF_NO_OBJECT)
			return object;
		object = by;
	}
	return HPROF_NO_OBJECT;
}

/*
 * Marks the class objects that are alive without any set's object. If the uppermost
 * dominator of another object is a class, it is one, too: what leads to that says nothing
 * about who uses it. A set that has its paths needs none.
 */
static enum hprof_status mark_starts(const struct hp_root_paths *p,
				     const struct hp_path_set *sets,
				     size_t count, uint64_t *starts)
{
	const struct hp_look *look = &p->look;
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	uint64_t *tops = hp_calloc(count + 1, sizeof *tops);

	if (!tops)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < count; i++)
		tops[i] = sets[i].object == HPROF_NO_OBJECT || sets[i].count
				  ? HPROF_NO_OBJECT
				  : top_of(look->graph, sets[i].object);
	for (size_t row = 0; row < summary->class_count; row++) {
		uint64_t object = hprof_heap_find(
			look->heap, summary->class_rows[row].class_id);
		bool apart = object != HPROF_NO_OBJECT &&
			     !hp_root_paths_begin_at(p, object) &&
			     hprof_graph_is_reachable(look->graph, object);

		for (size_t i = 0; apart && i < count; i++)
			apart = tops[i] == HPROF_NO_OBJECT ||
				(tops[i] == object &&
				 sets[i].object != object) ||
				hp_root_paths_is_apart(p, row, object, tops[i]);
		if (apart)
			hp_bit_set(starts, object);
	}
	hp_free(tops);
	return HPROF_OK;
}

enum hprof_status hp_root_paths_take_from(struct hp_root_paths *p,
					  const struct hprof_graph *graph,
					  const uint64_t *starts,
					  const uint64_t *wanted,
					  struct hprof_error *error)
{
	struct hp_path_policy policy = { starts, p->shunned.late, p->passing,
					 wanted };

	p->edges = graph;
	return hp_shortest_paths_build(graph, &policy, &p->shortest, error);
}

enum hprof_status hp_root_paths_take_telling(struct hp_root_paths *p,
					     const struct hprof_graph *graph,
					     const struct hp_path_set *sets,
					     size_t count,
					     const uint64_t *wanted,
					     struct hprof_error *error)
{
	uint64_t *starts =
		hp_calloc(hp_bit_words(graph->edges.count), sizeof *starts);
	enum hprof_status status;

	if (starts && mark_starts(p, sets, count, starts) == HPROF_OK)
		status = hp_root_paths_take_from(p, graph, starts, wanted,
						 error);
	else
		status = hp_no_memory(error);
	hp_free(starts);
	return status;
}

void hp_root_paths_done(struct hp_root_paths *p)
{
	hprof_shortest_paths_free(p->shortest);
	if (p->roots.look)
		hp_root_index_done(&p->roots);
	hprof_cursor_free(p->look.cursor);
	hp_free(p->key);
	hp_shunned_edges_done(&p->shunned);
	hp_lasting_classes_done(&p->lasting);
	hp_free(p->passing);
	hp_thread_local_names_done(&p->locals);
	*p = (struct hp_root_paths){ .shortest = NULL };
}
