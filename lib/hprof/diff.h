/* SPDX-License-Identifier: MIT */
/*
 * hprof/diff.h - what differs between dumps, as plain tables.
 *
 * An id means nothing in another dump: collectors move objects, and each run of
 * a program has its own ids. So items are matched by name, without the parts of
 * names that differ between runs.
 *
 * Threads: tables and trees never change; any number of threads may read one.
 *
 * Errors: NULL or impossible arguments are HPROF_E_USAGE, with a text that
 * names the argument. Other failures are HPROF_E_NOMEM, and for functions that
 * read a heap HPROF_E_SYS, or HPROF_E_CORRUPT if its file has changed.
 * RET_ERROR may be NULL. Freeing NULL does nothing.
 *
 * Binary interface: the rules for tables and rows are those of
 * hprof/retained.h.
 */
#ifndef HPROF_DIFF_H
#define HPROF_DIFF_H

#include <hprof/error.h>
#include <hprof/retained.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The name of a class without what is unique to a run: addresses and numbers
 * of hidden classes ("com.Foo$$Lambda"), of proxies ("jdk.proxy.$Proxy"), of
 * accessors and of classes that well-known libraries generate. Writes at most
 * ROOM bytes to OUT including a NUL, and returns the length of the full name.
 * OUT may be NULL if ROOM is 0. Returns 0 and writes nothing if NAME is NULL,
 * or if OUT is NULL and ROOM is not 0.
 */
HPROF_API size_t hprof_diff_name(const char *name, char *out, size_t room);

/* ---- rows of the same name ----------------------------------------------- */

/* A class, package ... of one dump. */
struct hprof_diff_item {
	const char *name; /* UTF-8, unescaped, as in the dump */
	/* A name of the class loader that is stable; NULL: not known. */
	const char *loader;
	uint64_t instances, bytes, retained; /* retained in bytes, too */
};

/* The items of one dump. */
struct hprof_diff_side {
	size_t count;
	const struct hprof_diff_item *items;
};

enum hprof_diff_measure {
	HPROF_DIFF_INSTANCES,
	HPROF_DIFF_BYTES,
	HPROF_DIFF_RETAINED
};
enum { HPROF_DIFF_MEASURES = 3 };

/* The items of one dump that belong to a row. */
struct hprof_diff_cell {
	uint64_t items; /* 0: not in this dump */
	uint64_t values[HPROF_DIFF_MEASURES];
};

struct hprof_diff_row {
	const char *name;   /* as hprof_diff_name says; owned by the table */
	const char *loader; /* NULL: the name is enough */
	bool differs;	    /* some value is not the same in all dumps */
	/* For each measure: it grew from each dump to the next. */
	bool grows[HPROF_DIFF_MEASURES];
	struct hprof_diff_cell *cells; /* one for each side */
};

struct hprof_diff_table {
	size_t side_count;
	size_t count;
	struct hprof_diff_row *rows; /* by name, then loader */
	/* Sums of all rows, one for each side. */
	struct hprof_diff_cell *totals;
	void *impl;
};

/*
 * Puts the items of COUNT dumps side by side. Items with the same name are one
 * row, unless some dump has that name from different loaders: then there is a
 * row for each name of a loader. SIDES is not needed afterwards. Free the table
 * with hprof_diff_table_free.
 */
HPROF_API enum hprof_status
hprof_diff_match(const struct hprof_diff_side *sides, size_t count,
		 struct hprof_diff_table **ret_table,
		 struct hprof_error *ret_error);
HPROF_API void hprof_diff_table_free(struct hprof_diff_table *table);

/* ---- what keeps objects alive -------------------------------------------- */

/*
 * A tree of the paths by which the reachable objects of a dump are held, in
 * terms of classes and fields instead of objects: all objects of one class that
 * the same field of objects of one parent node refers to are one node. All
 * elements of arrays count as one field. Instances of one class that refer to
 * each other, as in lists, are one node. If a sequence of five steps repeats
 * further down a path, the path continues at the first occurrence.
 *
 * The path of an object is its shortest one; of several, the first in the order
 * of the names on it, so that it does not depend on ids or the order of the
 * file. It may begin at a class that only one loader has defined. Paths through what
 * keeps objects alive by the way, as hprof_paths_read has it, and paths from
 * stacks count only for objects that nothing else holds. The policy of the graph
 * decides whether weak references hold.
 */
struct hprof_path_node {
	size_t parent; /* index of the node before; SIZE_MAX: at the top */
	/* At the top: tag of the root; 0: a class by its loader, or not known. */
	unsigned root;
	enum hprof_edge_kind edge; /* from the node before */
	const char *
		field; /* of a field or static; of a stack frame Class.method */
	enum hprof_object_kind kind;
	const char *class_name;	   /* as hprof_diff_name says */
	uint64_t objects, shallow; /* of the node */
	/* Of this node and all nodes below it. */
	uint64_t held_objects, held;
};

struct hprof_path_tree {
	uint64_t objects, shallow; /* reachable */
	size_t count;
	struct hprof_path_node *nodes; /* parents precede their children */
	void *impl;
};

/*
 * The path tree of the heap of GRAPH, which needs no edges or dominators.
 * Neither heap nor graph is needed afterwards. Free the tree with
 * hprof_path_tree_free.
 */
HPROF_API enum hprof_status
hprof_path_tree_read(const struct hprof_graph *graph,
		     struct hprof_path_tree **ret_tree,
		     struct hprof_error *ret_error);
HPROF_API void hprof_path_tree_free(struct hprof_path_tree *tree);

/* A step of a path, as in struct hprof_path_node. */
struct hprof_diff_step {
	unsigned root;
	enum hprof_edge_kind edge;
	const char *field;
	enum hprof_object_kind kind;
	const char *class_name;
	const uint64_t *objects; /* the number of objects, for each tree */
};

/* A class of which a path retains more or less than before. */
struct hprof_diff_part {
	const char *class_name; /* NULL: not known */
	bool is_class;		/* class objects of that name */
	/* In the first dump and in the last. */
	uint64_t objects[2], bytes[2];
};

/*
 * A place where a heap grew or shrank. The point is the first step of the path
 * whose number of objects changed. What is below the point came or went with
 * it, except what changed in greater numbers, which has a row of its own. So
 * the values HPROF_DIFF_RETAINED of all rows add up to the whole change. The
 * steps behind the point lead to where most of the change is.
 */
struct hprof_diff_path {
	size_t step_count;
	const struct hprof_diff_step *steps; /* the root's object first */
	size_t point;			     /* among steps */
	/*
	 * INSTANCES and BYTES are those of the point. If only the bytes differ,
	 * as when an array grew, nothing below it counts.
	 */
	struct hprof_diff_cell *cells; /* one for each tree */
	bool grows[HPROF_DIFF_MEASURES];
	/* What is retained: at most three classes that changed most. */
	size_t part_count;
	const struct hprof_diff_part *parts;
};

struct hprof_diff_path_table {
	size_t side_count;
	size_t count;
	/*
	 * By growth of the retained size from the first dump to the last; then
	 * by loss, then by path.
	 */
	struct hprof_diff_path *paths;
	void *impl;
};

/*
 * Compares the trees of COUNT dumps. TREES is not needed afterwards. Free the
 * table with hprof_diff_path_table_free.
 */
HPROF_API enum hprof_status
hprof_diff_paths(const struct hprof_path_tree *const *trees, size_t count,
		 struct hprof_diff_path_table **ret_table,
		 struct hprof_error *ret_error);
HPROF_API void hprof_diff_path_table_free(struct hprof_diff_path_table *table);

#ifdef __cplusplus
}
#endif

#endif
