/* SPDX-License-Identifier: MIT */
/*
 * hprof/graph.h - who holds whom: reachability, dominators, retained sizes,
 * paths from roots.
 *
 * An object retains what would go if it went: all that can be reached from
 * the roots only through it, itself included. Its dominator is the last
 * object on every path from a root to it.
 *
 * Which references hold is a policy. By default it is the collector's: the
 * referents of soft, weak, phantom and final references do not. Instances and
 * arrays hold their classes; where a class is a root, that makes no difference
 * and is left out.
 *
 * Roots are those of the dump, and class objects that nothing in a dump keeps
 * although the JVM does: of arrays, without a loader; and if the dump names no
 * system classes, all those of the boot loader.
 *
 * Threads: a graph never changes once hprof_graph_build has returned. Any
 * number of threads may use it at the same time, as they may its heap.
 *
 * Errors: objects are numbers of the heap. Calls that return a status return
 * HPROF_E_USAGE, with a text that names the argument, for an object that the
 * heap does not have or that the options leave out, for NULL, and for a graph
 * that was built without an option they need; HPROF_E_NOMEM without memory.
 * RET_ERROR may be NULL. Calls without a status answer false, 0,
 * HPROF_NO_OBJECT or NULL then. Freeing NULL does nothing.
 */
#ifndef HPROF_GRAPH_H
#define HPROF_GRAPH_H

#include <hprof/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* References that hold although the collector would let go. */
enum hprof_hold {
	HPROF_HOLD_SOFT = 1,
	HPROF_HOLD_WEAK = 2,
	HPROF_HOLD_PHANTOM = 4,
	HPROF_HOLD_FINAL = 8
};

struct hprof_graph_options {
	size_t size; /* sizeof(struct hprof_graph_options) */
	/*
	 * Bytes of memory that the process may take, 0: no limit. Tables for
	 * which there is no more room are unlinked temporary files (in $TMPDIR,
	 * else /var/tmp), which is slower. What cannot fit is HPROF_E_LIMIT
	 * before the work begins, with a text that names the need.
	 */
	uint64_t memory;
	hprof_progress_fn *progress; /* see hprof/input.h; may be NULL */
	void *progress_user;
	unsigned threads; /* 0: as many as the heap has by the same rule */
	unsigned hold;	  /* enum hprof_hold, or-ed */
	/*
	 * Dominators of unreachable objects among themselves too: objects that
	 * no other unreachable one refers to, and one of each cycle that
	 * nothing else leads to, are their roots.
	 */
	bool unreachable;
	bool dominators; /* false: only reachability and edges */
	/*
	 * Keep the references: four bytes each. For hprof_graph_referrers, by
	 * a look at all of them, hprof_graph_retained_set and paths.
	 */
	bool edges;
	/*
	 * Sort the references by target as well: four bytes each and eight an
	 * object, so that hprof_graph_referrers answers at once. Implies edges.
	 */
	bool referrers;
	unsigned char reserved[4]; /* 0 */
};

struct hprof_graph;

/*
 * HEAP must outlive the graph. Free it with hprof_graph_free. HPROF_E_USAGE,
 * HPROF_E_LIMIT (see memory), HPROF_E_NOMEM, HPROF_E_CANCELLED;
 * HPROF_E_SYS: reading fails, or a temporary file; HPROF_E_CORRUPT: the file is
 * not as it was.
 */
HPROF_API enum hprof_status
hprof_graph_build(const struct hprof_heap *heap,
		  const struct hprof_graph_options *options,
		  struct hprof_graph **ret_graph,
		  struct hprof_error *ret_error);
HPROF_API void hprof_graph_free(struct hprof_graph *graph);

/* The heap that it was built from: that of all numbers of objects. */
HPROF_API const struct hprof_heap *
hprof_graph_heap(const struct hprof_graph *graph);

/* Allocated by the library only: later versions may add members at the end. */
struct hprof_graph_totals {
	uint64_t objects, reachable;
	uint64_t shallow, reachable_shallow; /* bytes */
	uint64_t edges; /* references that hold, both ends in the dump */
	uint64_t weak;	/* references that do not hold, by the policy */
	uint64_t dangling;
	uint64_t roots; /* objects with a root */
};
HPROF_API const struct hprof_graph_totals *
hprof_graph_totals(const struct hprof_graph *graph);

HPROF_API bool hprof_graph_is_reachable(const struct hprof_graph *graph,
					uint64_t object);
HPROF_API bool hprof_graph_is_root(const struct hprof_graph *graph,
				   uint64_t object);

/*
 * The immediate dominator; HPROF_NO_OBJECT if only the roots as a whole
 * dominate it, or (unless option unreachable) it is unreachable.
 */
HPROF_API uint64_t hprof_graph_dominator(const struct hprof_graph *graph,
					 uint64_t object);

/* Bytes; of an unreachable object without option unreachable 0. */
HPROF_API uint64_t hprof_graph_retained(const struct hprof_graph *graph,
					uint64_t object);

/* Shallow bytes, as the heap's cursor says them, but at no cost. */
HPROF_API uint64_t hprof_graph_shallow(const struct hprof_graph *graph,
				       uint64_t object);

/*
 * The COUNT objects that retain most of those whose dominator is OF
 * (HPROF_NO_OBJECT: the roots), by size, then number. Returns how many are in
 * RET_OBJECTS.
 */
HPROF_API size_t hprof_graph_children(const struct hprof_graph *graph,
				      uint64_t of, size_t count,
				      uint64_t *ret_objects);

/* ---- edges: option edges ------------------------------------------------- */

/*
 * Calls FN for each object that holds OBJECT, in ascending order, until it
 * returns false. Looks at all references of the heap, unless the graph has
 * option referrers.
 */
typedef bool hprof_object_fn(void *user, uint64_t object);
HPROF_API enum hprof_status
hprof_graph_referrers(const struct hprof_graph *graph, uint64_t object,
		      hprof_object_fn *fn, void *user,
		      struct hprof_error *ret_error);

/*
 * Calls FN for each object that OBJECT retains, itself first, until it returns
 * false. Needs dominators, too.
 */
HPROF_API enum hprof_status
hprof_graph_retained_set(const struct hprof_graph *graph, uint64_t object,
			 hprof_object_fn *fn, void *user,
			 struct hprof_error *ret_error);

/*
 * Shortest paths from the roots: of every reachable object the one before it.
 * Ties go to the lower number. Free with hprof_shortest_paths_free; GRAPH must
 * outlive them.
 */
struct hprof_shortest_paths;
HPROF_API enum hprof_status
hprof_shortest_paths_build(const struct hprof_graph *graph,
			   struct hprof_shortest_paths **ret_paths,
			   struct hprof_error *ret_error);
/* The object before; HPROF_NO_OBJECT: OBJECT is a root or unreachable. */
HPROF_API uint64_t hprof_shortest_paths_parent(
	const struct hprof_shortest_paths *paths, uint64_t object);
/* How many steps from a root; UINT64_MAX: it is unreachable. */
HPROF_API uint64_t hprof_shortest_paths_depth(
	const struct hprof_shortest_paths *paths, uint64_t object);
HPROF_API void hprof_shortest_paths_free(struct hprof_shortest_paths *paths);

/* ---- where time and memory went ------------------------------------------ */

struct hprof_phase {
	const char *name; /* static */
	double seconds;	  /* wall */
	double cpu;	  /* seconds of all threads */
	uint64_t bytes;	  /* of the tables that were held, at most */
};
/* How many there are; the array is the graph's. */
HPROF_API size_t hprof_graph_phases(const struct hprof_graph *graph,
				    const struct hprof_phase **ret_phases);

#ifdef __cplusplus
}
#endif

#endif
