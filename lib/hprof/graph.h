/* SPDX-License-Identifier: MIT */
/*
 * hprof/graph.h - the object graph: reachability, dominators, retained sizes,
 * paths from roots.
 *
 * An object retains everything that would become garbage with it: all objects
 * that can be reached from the roots only through it, itself included. Its
 * immediate dominator is the last other object that is on every path from a
 * root to it.
 *
 * Which references hold (keep their target alive) is a policy. By default it is
 * the collector's: the referents of soft, weak, phantom and final references
 * are not held. Instances and arrays hold their classes; such references are
 * left out if the class is a root, where they make no difference.
 *
 * Roots are those of the dump, and class objects that the JVM keeps although
 * nothing in the dump says so: those of array classes without a loader, and, if
 * the dump has no ROOT_STICKY_CLASS, all those of the boot loader.
 *
 * Strengths: an object that no reference that holds leads to may still be found
 * by way of weaker ones. A path is as strong as its weakest reference, an object
 * as strong as its strongest path.
 *
 * Threads: a graph never changes once hprof_graph_build has returned. Any
 * number of threads may use it at the same time, as they may its heap.
 *
 * Errors: objects are given by their numbers in the heap. Functions that return
 * a status return HPROF_E_USAGE, with a text that names the argument, for an
 * object that the heap does not have or that the options leave out, for NULL,
 * and for a graph that was built without an option they need; HPROF_E_NOMEM if
 * memory runs out. RET_ERROR may be NULL. In these cases functions without a
 * status return false, 0, HPROF_NO_OBJECT or NULL, and for a row SIZE_MAX.
 * Freeing NULL does nothing.
 */
#ifndef HPROF_GRAPH_H
#define HPROF_GRAPH_H

#include <hprof/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* References that are to hold although the collector would clear them. */
enum hprof_hold {
	HPROF_HOLD_SOFT = 1,
	HPROF_HOLD_WEAK = 2,
	HPROF_HOLD_PHANTOM = 4,
	HPROF_HOLD_FINAL = 8
};

struct hprof_notes;

struct hprof_graph_options {
	size_t size; /* sizeof(struct hprof_graph_options) */
	/*
	 * Bytes of memory that the process may use, 0: no limit. Tables beyond
	 * that are put into unlinked temporary files (in $TMPDIR, else
	 * /var/tmp), which is slower. If even that cannot work, HPROF_E_LIMIT
	 * is returned before the work begins, with a text that says how much
	 * memory is needed.
	 */
	uint64_t memory;
	hprof_progress_fn *progress; /* see hprof/input.h; may be NULL */
	void *progress_user;
	unsigned threads; /* 0: as many as the heap has by the same rule */
	unsigned hold;	  /* enum hprof_hold; flags */
	/*
	 * Compute dominators of unreachable objects, too. Their roots are the
	 * objects that no other unreachable object refers to, and one object of
	 * each cycle that cannot be reached from elsewhere.
	 */
	bool unreachable;
	bool dominators; /* false: only reachability and edges */
	/*
	 * Keep the references, at four bytes each. Needed for
	 * hprof_graph_referrers (which searches all of them),
	 * hprof_graph_retained_set and paths.
	 */
	bool edges;
	/*
	 * Also keep the references sorted by target, at four bytes each and
	 * eight per object, so that hprof_graph_referrers needs no search.
	 * Implies edges.
	 */
	bool referrers;
	/*
	 * Find the strength of each object, at a byte each and eight bytes for
	 * each soft, weak, phantom or final reference.
	 */
	bool strengths;
	/*
	 * Keep what hprof_leaks_read follows to find paths, at one byte an
	 * object and two or three for each reference to an object that several
	 * refer to; beside edges, at three bits an object. Without it that
	 * function reads references from the file; without edges, too, it may
	 * have to read all of them again. Needs dominators.
	 */
	bool paths;
	unsigned char reserved[2]; /* 0 */
	/*
	 * What else is noted of all objects while their references are read, from
	 * hprof_waste_notes_new for the same heap; or NULL. Without effect where
	 * memory is limited, or where the graph comes from the cache. It belongs to the
	 * graph, for one graph only, and is freed if that cannot be built.
	 */
	struct hprof_notes *notes;
};

/* The strongest first. References that options.hold lists count as strong. */
enum hprof_strength {
	HPROF_STRENGTH_UNKNOWN,	  /* built without option strengths */
	HPROF_STRENGTH_STRONG,	  /* what hprof_graph_is_reachable says */
	HPROF_STRENGTH_SOFT,	  /* goes when memory runs short */
	HPROF_STRENGTH_FINALIZER, /* waits for its finalizer, or for one that
				     can reach it */
	HPROF_STRENGTH_WEAK,	  /* goes with the next collection */
	HPROF_STRENGTH_PHANTOM,	  /* gone, but for what a Cleaner has to do */
	HPROF_STRENGTH_GARBAGE	  /* no path leads to it */
};
enum { HPROF_STRENGTHS = 7 };

struct hprof_graph;

/*
 * HEAP must outlive the graph. Free it with hprof_graph_free. HPROF_E_USAGE,
 * HPROF_E_LIMIT (see memory), HPROF_E_NOMEM, HPROF_E_CANCELLED; HPROF_E_SYS:
 * reading or a temporary file failed; HPROF_E_CORRUPT: the file has changed.
 *
 * Without a limit, the graph keeps memory that building it needed, for reports on it
 * to use, until it is freed; where it can, the system takes that if memory is short.
 */
HPROF_API enum hprof_status
hprof_graph_build(const struct hprof_heap *heap,
		  const struct hprof_graph_options *options,
		  struct hprof_graph **ret_graph,
		  struct hprof_error *ret_error);
HPROF_API void hprof_graph_free(struct hprof_graph *graph);

/* The heap that it was built from, to which all object numbers refer. */
HPROF_API const struct hprof_heap *
hprof_graph_heap(const struct hprof_graph *graph);

/* Only the library allocates it: later versions may add members at the end. */
struct hprof_graph_totals {
	uint64_t objects, reachable;
	uint64_t shallow, reachable_shallow; /* bytes */
	uint64_t edges; /* references that hold, with both ends in the dump */
	uint64_t weak;	/* references that do not hold, by the policy */
	uint64_t dangling;
	uint64_t roots; /* objects that are roots */
	/* By enum hprof_strength; 0 without option strengths. */
	struct hprof_strength_total {
		uint64_t objects, shallow;
	} by_strength[HPROF_STRENGTHS];
};
HPROF_API const struct hprof_graph_totals *
hprof_graph_totals(const struct hprof_graph *graph);

HPROF_API bool hprof_graph_is_reachable(const struct hprof_graph *graph,
					uint64_t object);
HPROF_API bool hprof_graph_is_root(const struct hprof_graph *graph,
				   uint64_t object);

/* Needs option strengths. */
HPROF_API enum hprof_strength
hprof_graph_strength(const struct hprof_graph *graph, uint64_t object);

/*
 * The immediate dominator; HPROF_NO_OBJECT if only the roots as a whole
 * dominate it, or (unless option unreachable) it is unreachable.
 */
HPROF_API uint64_t hprof_graph_dominator(const struct hprof_graph *graph,
					 uint64_t object);

/* Bytes; 0 for an unreachable object without the option unreachable. */
HPROF_API uint64_t hprof_graph_retained(const struct hprof_graph *graph,
					uint64_t object);

/* Shallow bytes, as the heap's cursor gives them, but without reading. */
HPROF_API uint64_t hprof_graph_shallow(const struct hprof_graph *graph,
				       uint64_t object);

/*
 * The class of OBJECT, as in struct hprof_object, but without reading: its row in
 * the summary's class_rows, or class_count if it is not known. Of a class object
 * it is the class that it represents, and *RET_IS_CLASS is true.
 */
HPROF_API size_t hprof_graph_class_row(const struct hprof_graph *graph,
				       uint64_t object, bool *ret_is_class);

/*
 * Of the objects whose immediate dominator is OF (HPROF_NO_OBJECT: the roots),
 * the COUNT that retain most, by size, then number. Returns how many are in
 * RET_OBJECTS.
 */
HPROF_API size_t hprof_graph_children(const struct hprof_graph *graph,
				      uint64_t of, size_t count,
				      uint64_t *ret_objects);

/* ---- references: these need option edges --------------------------------- */

/*
 * Calls FN for each object that holds OBJECT, in ascending order, until it
 * returns false. Searches all references of the heap, unless the graph was
 * built with option referrers.
 */
typedef bool hprof_object_fn(void *user, uint64_t object);
HPROF_API enum hprof_status
hprof_graph_referrers(const struct hprof_graph *graph, uint64_t object,
		      hprof_object_fn *fn, void *user,
		      struct hprof_error *ret_error);

/*
 * Calls FN for each object that OBJECT retains, itself first, until FN returns
 * false. Also needs dominators.
 */
HPROF_API enum hprof_status
hprof_graph_retained_set(const struct hprof_graph *graph, uint64_t object,
			 hprof_object_fn *fn, void *user,
			 struct hprof_error *ret_error);

/*
 * Shortest paths from the roots: the predecessor of every reachable object. Of
 * several, it is the one with the lowest number. Free with
 * hprof_shortest_paths_free; GRAPH must outlive them.
 */
struct hprof_shortest_paths;
HPROF_API enum hprof_status
hprof_shortest_paths_build(const struct hprof_graph *graph,
			   struct hprof_shortest_paths **ret_paths,
			   struct hprof_error *ret_error);
/* The predecessor; HPROF_NO_OBJECT: OBJECT is a root or unreachable. */
HPROF_API uint64_t hprof_shortest_paths_parent(
	const struct hprof_shortest_paths *paths, uint64_t object);
/* The number of steps from a root; UINT64_MAX: OBJECT is unreachable. */
HPROF_API uint64_t hprof_shortest_paths_depth(
	const struct hprof_shortest_paths *paths, uint64_t object);
HPROF_API void hprof_shortest_paths_free(struct hprof_shortest_paths *paths);

/* ---- time and memory of the phases --------------------------------------- */

struct hprof_phase {
	const char *name; /* static */
	double seconds;	  /* wall */
	double cpu;	  /* seconds of all threads */
	uint64_t bytes;	  /* peak size of the tables */
};
/* Returns the number of phases; the array belongs to the graph. */
HPROF_API size_t hprof_graph_phases(const struct hprof_graph *graph,
				    const struct hprof_phase **ret_phases);

#ifdef __cplusplus
}
#endif

#endif
