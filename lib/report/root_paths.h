/* SPDX-License-Identifier: MIT */
/*
 * root_paths.h - single paths, for reports that hold several.
 */
#ifndef HP_ROOT_PATHS_H
#define HP_ROOT_PATHS_H

#include "graph/graph.h"
#include "report/root_index.h"

/* Everything that making paths needs; all but arena and look is its own. */
struct hp_root_paths {
	struct hp_look look;
	struct hp_arena *arena;
	struct hp_root_index roots;
	const struct hprof_graph *edges;       /* with option edges; or NULL */
	struct hprof_shortest_paths *shortest; /* of that, or NULL */
	uint64_t search_most; /* objects that a bounded_bfs.h search looks at */
};

/* Done with hp_root_paths_done, also after a failure. */
enum hprof_status hp_root_paths_init(struct hp_root_paths *paths,
				     const struct hprof_graph *graph,
				     struct hp_arena *arena,
				     struct hprof_error *error);
void hp_root_paths_done(struct hp_root_paths *paths);

/* Shortest paths in GRAPH, of the same heap, which stays the caller's. */
enum hprof_status hp_root_paths_take_shortest(struct hp_root_paths *paths,
					      const struct hprof_graph *graph,
					      struct hprof_error *error);

/* OBJECT with how FROM (or HPROF_NO_OBJECT) refers to it, if it does. */
enum hprof_status hp_root_paths_step(struct hp_root_paths *paths, uint64_t from,
				     uint64_t object,
				     struct hprof_path_step *ret,
				     bool *ret_found,
				     struct hprof_error *error);

/*
 * The path of COUNT objects, each referring to the one before; the end first.
 * NEXT is called once for each of them.
 */
typedef uint64_t hp_next_object_fn(void *state);
enum hprof_status hp_root_paths_walk(struct hp_root_paths *paths,
				     hp_next_object_fn *next, void *state,
				     uint64_t count,
				     struct hprof_path *ret_path,
				     struct hprof_error *error);

/* The same for objects that are in a row. */
enum hprof_status hp_root_paths_make(struct hp_root_paths *paths,
				     const uint64_t *objects, size_t count,
				     struct hprof_path *ret_path,
				     struct hprof_error *error);

/*
 * Of what classes the objects of a path are, from its end on. Paths of one
 * shape are alike: one is shown for all. Objects of one class behind each
 * other count once, so that the place in a chain makes no difference. Begins
 * as 0 and ends with the root's tag.
 */
struct hp_shape {
	uint64_t sum;
	uint32_t last; /* what was added last, plus 1 */
};

static inline void hp_shape_mix(struct hp_shape *shape, uint64_t value)
{
	shape->sum = (shape->sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	shape->sum ^= shape->sum >> 29;
}

static inline void hp_shape_add(struct hp_shape *shape,
				const struct hprof_graph *graph,
				uint64_t object)
{
	uint32_t kind = hp_graph_kind(graph, (uint32_t)object) + 1;

	if (kind == shape->last)
		return;
	shape->last = kind;
	hp_shape_mix(shape, kind);
}

/* Paths to an object, shortest first; none if it is unreachable. */
struct hp_path_set {
	uint64_t object; /* HPROF_NO_OBJECT: none is wanted */
	struct hprof_path *paths;
	size_t count;
	size_t others; /* shapes of paths that were found beyond these */
};

/*
 * Finds at most MOST paths for each of COUNT sets, by shortest paths; if not
 * ALIKE, of different shapes. They are the arena's.
 */
enum hprof_status hp_root_paths_find(struct hp_root_paths *paths,
				     struct hp_path_set *sets, size_t count,
				     size_t most, bool alike,
				     struct hprof_error *error);

/*
 * How FROM refers to TO, the most telling way if there are several. False:
 * not at all. With NUMBERED false, the number of an array's element is not
 * looked for.
 */
enum hprof_status hp_root_paths_edge(const struct hp_look *look, uint64_t from,
				     uint64_t to, bool numbered,
				     bool *ret_found,
				     struct hprof_edge *ret_edge,
				     struct hprof_error *error);

#endif
