/* SPDX-License-Identifier: MIT */
/*
 * hprof/diff.h - what differs between dumps, as plain tables.
 *
 * An id says nothing in another dump: collectors move objects, and each run
 * of a program has ids of its own. So what is compared is matched by name,
 * without the part of it that is another in every run.
 *
 * Threads: tables and trees never change; any number of threads may read one.
 *
 * Errors: NULL or impossible arguments are HPROF_E_USAGE, with a text that
 * names the argument. Other failures are HPROF_E_NOMEM, and where a heap is
 * read HPROF_E_SYS or HPROF_E_CORRUPT, if its file is not as it was. RET_ERROR
 * may be NULL. Freeing NULL does nothing.
 *
 * Binary interface: the rule of tables and rows is that of hprof/retained.h.
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
 * ROOM bytes to OUT, the last one NUL, and returns the length of the whole. OUT
 * may be NULL if ROOM is 0. Returns 0 and writes nothing if NAME is NULL, or if
 * OUT is although ROOM is not 0.
 */
HPROF_API size_t hprof_diff_name(const char *name, char *out, size_t room);

/* ---- rows of the same name ----------------------------------------------- */

/* A class, package ... of one dump. */
struct hprof_diff_item {
	const char *name; /* UTF-8, raw, as in the dump */
	/* What its class loader is called in every run; NULL: not known. */
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
	uint64_t items; /* 0: not in that dump */
	uint64_t values[HPROF_DIFF_MEASURES];
};

struct hprof_diff_row {
	const char *name;   /* as hprof_diff_name says; owned by the table */
	const char *loader; /* NULL: the name is enough */
	bool differs;	    /* some value in some dump */
	/* It grew from each dump to the next, by measure. */
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
 * Puts the items of COUNT dumps side by side. Items of one name are one row,
 * unless in some dump they are from different loaders: then loaders of one
 * name make a row. Nothing of SIDES is needed afterwards. Free it with
 * hprof_diff_table_free.
 */
HPROF_API enum hprof_status
hprof_diff_match(const struct hprof_diff_side *sides, size_t count,
		 struct hprof_diff_table **ret_table,
		 struct hprof_error *ret_error);
HPROF_API void hprof_diff_table_free(struct hprof_diff_table *table);

/* ---- who holds what ------------------------------------------------------ */

/*
 * Every reachable object of a dump by the path that it is held by, in which
 * classes and fields stand for objects: objects of one class that are referred
 * to by the same field, from objects of one class ..., are one node. Elements
 * of arrays count as one field whatever their number. Instances of one class
 * that refer to each other, as in lists, are one node; where five steps of a
 * path come again further down, it goes on where they came first.
 *
 * A path is the shortest, of several the first by the names on it, so that it
 * does not depend on ids and order. What only stacks hold comes behind what
 * anything else holds. Weak references hold as the graph says.
 */
struct hprof_path_node {
	size_t parent; /* index of the node before; SIZE_MAX: at the top */
	unsigned root; /* at the top: tag of the root; 0: not known */
	enum hprof_edge_kind edge; /* from the node before */
	const char *
		field; /* of a field or static; of a stack frame Class.method */
	enum hprof_object_kind kind;
	const char *class_name;	   /* as hprof_diff_name says */
	uint64_t objects, shallow; /* of the node */
	/* Of it and all nodes below. */
	uint64_t held_objects, held;
};

struct hprof_path_tree {
	uint64_t objects, shallow; /* reachable */
	size_t count;
	struct hprof_path_node *nodes; /* each before those below it */
	void *impl;
};

/*
 * Of the heap of GRAPH, which needs no edges or dominators. Neither is needed
 * afterwards. Free it with hprof_path_tree_free.
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
	const uint64_t *objects; /* how many there are, for each tree */
};

/* A class of which a path keeps more or less than before. */
struct hprof_diff_part {
	const char *class_name; /* NULL: not known */
	bool is_class;		/* class objects of that name */
	/* In the first dump and the last. */
	uint64_t objects[2], bytes[2];
};

/*
 * Where a heap grew or shrank. A step of the path, the point, is the first one
 * on it that is not there as often as before; what is below it came or went
 * with it, but for what did so in greater numbers, which has a row of its own.
 * So what the rows keep, in HPROF_DIFF_RETAINED, adds up to all that changed.
 * Steps behind the point lead to where most of it is.
 */
struct hprof_diff_path {
	size_t step_count;
	const struct hprof_diff_step *steps; /* the root's object first */
	size_t point;			     /* among steps */
	/*
	 * INSTANCES and BYTES are those of the point. If only the bytes differ,
	 * as of an array that grew, nothing below it counts.
	 */
	struct hprof_diff_cell *cells; /* one for each tree */
	bool grows[HPROF_DIFF_MEASURES];
	/* What is kept, the classes that changed most first; at most three. */
	size_t part_count;
	const struct hprof_diff_part *parts;
};

struct hprof_diff_path_table {
	size_t side_count;
	size_t count;
	/*
	 * Those that grow from each to the next first, by what is kept; then
	 * by growth from the first to the last, then by loss, then path.
	 */
	struct hprof_diff_path *paths;
	void *impl;
};

/*
 * Compares trees of COUNT dumps. Nothing of TREES is needed afterwards. Free
 * it with hprof_diff_path_table_free.
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
