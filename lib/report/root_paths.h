/* SPDX-License-Identifier: MIT */
/* root_paths.h - single paths from roots, for reports that show several. */
#ifndef HP_ROOT_PATHS_H
#define HP_ROOT_PATHS_H

#include "graph/graph.h"
#include "report/lasting_classes.h"
#include "report/passing_roots.h"
#include "report/root_index.h"
#include "report/shunned_edges.h"
#include "report/thread_local_names.h"

/* What is needed to make paths. It owns all but arena and look. */
struct hp_root_paths {
	struct hp_look look;
	struct hp_arena *arena;
	struct hp_root_index roots;
	const struct hprof_graph *edges;       /* with option edges; or NULL */
	struct hprof_shortest_paths *shortest; /* of that, or NULL */
	uint64_t search_most; /* limit of a bounded_bfs.h search */
	uint64_t stack_most;  /* of one past a stack; see dominator_paths.c */
	uint32_t *key;	      /* by kind; see name_keys.h */
	struct hp_shunned_edges shunned;
	struct hp_lasting_classes lasting;
	uint64_t *passing; /* see hp_passing_roots_find */
	struct hp_thread_local_names locals;
};

/* Paths to an object, shortest first; none if it is unreachable. */
struct hp_path_set {
	uint64_t object; /* HPROF_NO_OBJECT: no paths wanted */
	bool from_top;	 /* hp_dominator_paths_find: only below the roots */
	struct hprof_path *paths;
	size_t count;
	size_t others; /* further shapes that were found */
};

/* Free with hp_root_paths_done, also after a failure. */
enum hprof_status hp_root_paths_init(struct hp_root_paths *paths,
				     const struct hprof_graph *graph,
				     struct hp_arena *arena,
				     struct hprof_error *error);
void hp_root_paths_done(struct hp_root_paths *paths);

/*
 * Whether the class object OBJECT of row ROW is alive without TOP: it lives as
 * long as the JVM, or not all paths to it or to its loader lead through TOP.
 */
bool hp_root_paths_is_apart(const struct hp_root_paths *paths, size_t row,
			    uint64_t object, uint64_t top);

/*
 * Finds the shortest paths in GRAPH, of the same heap; the caller keeps GRAPH.
 */
enum hprof_status hp_root_paths_take_shortest(struct hp_root_paths *paths,
					      const struct hprof_graph *graph,
					      struct hprof_error *error);

/* Whether OBJECT is a root only in ways that last for a moment. */
static inline bool hp_root_paths_pass(const struct hp_root_paths *paths,
				      uint64_t object)
{
	return paths->passing && hp_bit(paths->passing, object);
}

/* Whether paths begin at OBJECT anyway, since it is a root that stays. */
static inline bool hp_root_paths_begin_at(const struct hp_root_paths *paths,
					  uint64_t object)
{
	return hprof_graph_is_root(paths->look.graph, object) &&
	       !hp_root_paths_pass(paths, object);
}

/*
 * The same paths for COUNT sets, as far as possible without shunned_edges.h, and without
 * roots of passing_roots.h.
 * They may begin at class objects that are alive without the sets' objects. Of
 * objects that are not in WANTED, which are bits, paths need not be known; NULL:
 * all are wanted.
 */
enum hprof_status hp_root_paths_take_telling(struct hp_root_paths *paths,
					     const struct hprof_graph *graph,
					     const struct hp_path_set *sets,
					     size_t count,
					     const uint64_t *wanted,
					     struct hprof_error *error);

/* The same from the roots and from the class objects in STARTS, which are bits. */
enum hprof_status hp_root_paths_take_from(struct hp_root_paths *paths,
					  const struct hprof_graph *graph,
					  const uint64_t *starts,
					  const uint64_t *wanted,
					  struct hprof_error *error);

/* A step to OBJECT with how FROM (or HPROF_NO_OBJECT) refers to it. */
enum hprof_status hp_root_paths_step(struct hp_root_paths *paths, uint64_t from,
				     uint64_t object,
				     struct hprof_path_step *ret,
				     bool *ret_found,
				     struct hprof_error *error);

/*
 * Makes the path of COUNT objects from its end: each refers to the one before.
 * NEXT is called once for each of them.
 */
typedef uint64_t hp_next_object_fn(void *state);
enum hprof_status hp_root_paths_walk(struct hp_root_paths *paths,
				     hp_next_object_fn *next, void *state,
				     uint64_t count,
				     struct hprof_path *ret_path,
				     struct hprof_error *error);

/* The same for objects in an array. */
enum hprof_status hp_root_paths_make(struct hp_root_paths *paths,
				     const uint64_t *objects, size_t count,
				     struct hprof_path *ret_path,
				     struct hprof_error *error);

/*
 * The names of the classes of a path's objects, from its end on, as a hash. One
 * path is shown for all of one shape. Consecutive objects of one class count once, so
 * that the position in a chain makes no difference. The sum begins at 0; the
 * root's tag is added last.
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
				const struct hp_root_paths *paths,
				uint64_t object)
{
	const struct hprof_graph *graph = paths->look.graph;
	uint32_t kind = paths->key[hp_graph_kind(graph, (uint32_t)object)] + 1;

	if (kind == shape->last)
		return;
	shape->last = kind;
	hp_shape_mix(shape, kind);
}

/*
 * Finds at most MOST paths for each of COUNT sets, from the shortest paths;
 * unless ALIKE, of different shapes. They are in the arena.
 */
enum hprof_status hp_root_paths_find(struct hp_root_paths *paths,
				     struct hp_path_set *sets, size_t count,
				     size_t most, bool alike,
				     struct hprof_error *error);

/*
 * How FROM refers to TO, in the most informative way if there are several;
 * false if it does not. Without NUMBERED, the index of an array element is not
 * determined.
 */
enum hprof_status hp_root_paths_edge(const struct hp_look *look, uint64_t from,
				     uint64_t to, bool numbered,
				     bool *ret_found,
				     struct hprof_edge *ret_edge,
				     struct hprof_error *error);

#endif
