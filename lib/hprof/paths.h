/* SPDX-License-Identifier: MIT */
/*
 * hprof/paths.h - why objects are alive: paths to them from GC roots.
 *
 * Ownership, threads, errors and the binary interface are as in
 * hprof/retained.h.
 */
#ifndef HPROF_PATHS_H
#define HPROF_PATHS_H

#include <hprof/retained.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hprof_path_step {
	struct hprof_object_info held;
	/* How the previous step refers to it; not set in the first step. */
	enum hprof_edge_kind edge;
	const char *field;	 /* of a field or static; else NULL */
	const char *field_class; /* the class that declares it, or NULL */
	uint64_t number;	 /* of the element or constant */
	bool weak;		 /* the collector does not follow it */
	/* How a weak one holds: soft, weak, finalizer or phantom. */
	enum hprof_strength strength;
	/*
	 * If the previous step is an entry of a thread's map of ThreadLocals:
	 * the field that holds the ThreadLocal, and its class, or only the
	 * ThreadLocal's own class. Else both are NULL.
	 */
	const char *local_class, *local_field;
	/*
	 * If the previous step is an entry of a map, or the array of one without
	 * entries, and this one a value: the key as text if it is a string, of
	 * which this is the beginning, a number, or an enum constant. Else NULL.
	 */
	const char *key;
	bool key_is_string;
	/*
	 * In the first path of a leak suspect: the map that has the key is so many
	 * steps before this one. Else 0.
	 */
	size_t key_steps;
};

struct hprof_path_root {
	unsigned tag; /* HPROF_ROOT_JNI_GLOBAL ...; 0: no root */
	uint32_t thread_serial;
	uint64_t thread_id;	 /* object; 0: no thread */
	const char *thread_name; /* NULL: no thread, or not known */
	bool has_frame;
	uint32_t depth; /* of the frame, 0 the innermost */
	struct hprof_stack_frame frame;
};

struct hprof_path {
	struct hprof_path_root root; /* of the first step's object */
	size_t count;
	struct hprof_path_step *steps; /* root first, the object last */
	/* The middle of a very long path is left out, before step gap. */
	size_t gap; /* 0: nothing is left out */
	uint64_t left_out;
	uint64_t alike; /* others that were found, by objects of its classes */
	/*
	 * If the first step is a class that is no root itself but is alive as
	 * long as the loader that defined it: that loader. Else no object.
	 */
	struct hprof_object_info loader;
};

struct hprof_path_options {
	size_t size;  /* sizeof(struct hprof_path_options) */
	size_t count; /* maximum number of paths; 0: 1 */
	bool alike;   /* also those by objects of the same classes */
	unsigned char reserved[7]; /* 0 */
};

struct hprof_path_table {
	size_t count; /* 0: the object is unreachable */
	struct hprof_path *paths;
	size_t others; /* kinds of paths that were found beyond these */
	void *impl;
};

/*
 * Short paths to an object. In a graph with dominators, they lead through what
 * keeps objects alive by the way (class loaders, shutdown hooks and the like of
 * the Java runtime), and begin at what stacks hold, only where no other path
 * exists, and may begin at a class that is alive without the object. The shortest of
 * these comes first, then
 * others that lead to the object or to one of an earlier path by another
 * reference. Paths by objects of the same classes are of the same kind: only
 * one of each kind is returned, unless the option alike is set. Needs edges.
 * Free with hprof_path_table_free.
 */
HPROF_API enum hprof_status
hprof_paths_read(const struct hprof_graph *graph, uint64_t object,
		 const struct hprof_path_options *options,
		 struct hprof_path_table **ret_table,
		 struct hprof_error *ret_error);
HPROF_API void hprof_path_table_free(struct hprof_path_table *table);

/*
 * Paths to many objects, chosen as hprof_paths_read does and merged to a tree: all
 * objects of one class that objects of one parent node refer to in the same way
 * are one node.
 * All elements of arrays count as the same way. All links of a chain, which
 * refer to each other by the same field, are one node.
 */
struct hprof_merged_path_node {
	size_t parent; /* index of the node before; SIZE_MAX: at the top */
	size_t depth;  /* 0 at the top */
	/*
	 * At the top: that of the first object; its tag is the same for all, or 0
	 * for a class that is no root but alive by its loader, and what frames of
	 * several methods hold are several nodes. Further down the tag is 0.
	 */
	struct hprof_path_root root;
	enum hprof_edge_kind edge;
	const char *field;
	/* As in struct hprof_path_step. Values of each ThreadLocal are a node. */
	const char *local_class, *local_field;
	enum hprof_object_kind kind;
	size_t class_row;
	const char *class_name; /* NULL: not known */
	uint64_t objects;	/* of the node */
	uint64_t first;		/* the first of them that was found */
	bool repeats;		/* some of them refer to each other: a chain */
	uint64_t targets;	/* requested objects in or below the node */
	uint64_t shallow;	/* of these */
};

struct hprof_merged_paths {
	uint64_t targets;     /* reachable ones */
	uint64_t unreachable; /* requested objects */
	uint64_t shallow;     /* of reachable ones */
	uint64_t retained;    /* by all of them together */
	size_t count;
	/* Parents precede children; siblings by bytes, then targets. */
	struct hprof_merged_path_node *nodes;
	void *impl;
	/* Unreachable ones; all unknown without option strengths. */
	uint64_t by_strength[HPROF_STRENGTHS];
};

/*
 * Paths to all objects of the classes at ROWS, without subclasses. Needs
 * edges and dominators. Free with hprof_merged_paths_free.
 */
HPROF_API enum hprof_status
hprof_merged_paths_read(const struct hprof_graph *graph, const size_t *rows,
			size_t row_count, struct hprof_merged_paths **ret_table,
			struct hprof_error *ret_error);
HPROF_API void hprof_merged_paths_free(struct hprof_merged_paths *table);

#ifdef __cplusplus
}
#endif

#endif
