/* SPDX-License-Identifier: MIT */
/*
 * hprof/retained.h - reports on the object graph as plain tables: what is big,
 * what is garbage, what threads hold, where objects were allocated, what lies
 * outside of the heap. Why objects are alive is in hprof/paths.h, what leaks in
 * hprof/leaks.h.
 *
 * Each report is made from a graph and describes the graph's heap. Sizes are in
 * bytes, objects are numbers of the heap, classes are rows of its summary.
 *
 * Ownership: the caller owns a table and frees it with the function named after
 * it; freeing NULL does nothing. Its strings live as long as both the table and
 * the heap; graph and heap must outlive it.
 *
 * Threads: tables never change. Any number of threads may read one, and make
 * others from the same graph at the same time.
 *
 * Errors: reports need a graph with dominators, edges or strengths, as stated
 * below.
 * Without those, and for NULL or impossible arguments, they return
 * HPROF_E_USAGE with a text that names the argument. Other failures are
 * HPROF_E_NOMEM, HPROF_E_SYS if the file cannot be read, and HPROF_E_CORRUPT if
 * it has changed. On failure only *RET_ERROR is set. RET_ERROR may be NULL.
 *
 * Binary interface: only the library allocates tables, whose structs may grow
 * at their end from version to version. Structs in arrays, in other structs or
 * in the caller's memory (rows, struct hprof_object_info) keep their size and
 * members as long as the library keeps its soname: they may be indexed, copied
 * and embedded. A row size in each table would not help with structs inside of
 * structs, and an accessor for each member would hide plain data; so new
 * members of rows mean a new soname, which is acceptable while the version is
 * 0.x. Option structs contain their size and may grow at any time; reserved
 * members must be 0.
 */
#ifndef HPROF_RETAINED_H
#define HPROF_RETAINED_H

#include <hprof/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An object as reports show it. */
struct hprof_object_info {
	uint64_t object; /* HPROF_NO_OBJECT: no object; the rest is 0 */
	uint64_t id;
	enum hprof_object_kind kind;
	size_t class_row;	/* as in struct hprof_object */
	const char *class_name; /* NULL: not known */
	uint64_t length;	/* elements of an array */
	uint64_t shallow, retained;
};

/*
 * Fills RET_INFO for OBJECT, and moves CURSOR to it. GRAPH must be a graph of
 * the cursor's heap, or NULL, which gives 0 for retained. Fails like
 * hprof_cursor_seek.
 */
HPROF_API enum hprof_status
hprof_object_info_get(struct hprof_cursor *cursor,
		      const struct hprof_graph *graph, uint64_t object,
		      struct hprof_object_info *ret_info,
		      struct hprof_error *ret_error);

/* ---- what is big --------------------------------------------------------- */

struct hprof_big_row {
	struct hprof_object_info held;
	struct hprof_object_info
		dominator; /* no object: only the roots as a whole */
};

/*
 * The set of all objects of a class, a package or a loader. What it retains
 * counts once: an object that is dominated by another object of the set adds
 * nothing. Class objects are instances of java.lang.Class, but belong to the
 * package and the loader of the class that they represent, whose statics they
 * hold. Arrays belong to the package and the loader of their elements' class.
 */
struct hprof_set_row {
	const char *name;
	size_t class_row;   /* of a class, else SIZE_MAX */
	uint64_t loader_id; /* of a loader; 0: boot */
	uint64_t objects, shallow, retained;
};

struct hprof_retained_options {
	size_t size; /* sizeof(struct hprof_retained_options) */
	size_t top;  /* rows of the biggest objects, or of a tree; 0: 25 */
	/*
	 * NULL: all classes. Otherwise which to list: an element for each row
	 * of the summary's class_rows and one more for unknown classes. Of big
	 * objects, packages and loaders, only instances of these classes and
	 * the class objects that represent them count. Not for trees.
	 */
	const bool *wanted;
};

struct hprof_retained_table {
	/* All objects; reachable and unreachable ones add up to the heap. */
	uint64_t objects, shallow;
	uint64_t reachable_objects, reachable_shallow;
	uint64_t unreachable_objects, unreachable_shallow;
	size_t big_count;
	struct hprof_big_row *big; /* by retained size */
	/* Reachable objects only; by retained size, then name. */
	size_t class_count, package_count, loader_count;
	struct hprof_set_row *classes, *packages, *loaders;
	void *impl;
};

/* Needs dominators. Free with hprof_retained_table_free. */
HPROF_API enum hprof_status
hprof_retained_read(const struct hprof_graph *graph,
		    const struct hprof_retained_options *options,
		    struct hprof_retained_table **ret_table,
		    struct hprof_error *ret_error);
HPROF_API void hprof_retained_table_free(struct hprof_retained_table *table);

/*
 * A part of the dominator tree: what dominates comes before what it dominates,
 * siblings are in the order of their retained sizes. An object follows another
 * one if it keeps at least nine tenths of what that retains. Of more than three
 * that follow each other, the first and the last have rows, and one row stands
 * for all in between. What one of these dominates besides has the depth of that
 * row, since the first dominates it as well; for this reason, too, what the first
 * retains is what all of them do. A class object counts as a class of its own.
 */
struct hprof_tree_row {
	struct hprof_object_info held; /* of those folded, the first */
	size_t depth;	  /* 0: nothing that has a row dominates it */
	uint64_t folded;  /* objects that the row stands for; 0: for one */
	uint64_t classes; /* of those folded: how many different ones; 0 */
	uint64_t shallow; /* of all that the row stands for */
};

struct hprof_retained_tree {
	size_t count;
	struct hprof_tree_row *rows;
	void *impl;
};

/*
 * The upper part of the dominator tree, in options.top rows, for the objects
 * that retain most. In an extreme heap, with a million objects that follow
 * others, it may have less rows. Needs dominators. Free with
 * hprof_retained_tree_free.
 */
HPROF_API enum hprof_status
hprof_retained_tree_read(const struct hprof_graph *graph,
			 const struct hprof_retained_options *options,
			 struct hprof_retained_tree **ret_tree,
			 struct hprof_error *ret_error);
HPROF_API void hprof_retained_tree_free(struct hprof_retained_tree *tree);

/*
 * The dominator tree with objects of one kind as one node: a row stands for the
 * instances of a class, or for its class object, below the same kinds. An object
 * that is dominated by one of its own kind is in the same row. So what the
 * objects of a row retain is the sum of the row and of all below it.
 */
struct hprof_dominator_kind {
	size_t parent;	  /* a row before it; of row 0, which is the root, 0 */
	size_t class_row; /* in the summary's class_rows; there may be none */
	bool is_class;	  /* a class object */
	uint64_t objects, shallow; /* reachable ones, not those of rows below */
};

struct hprof_dominator_kinds {
	size_t count;			   /* at least 1 */
	struct hprof_dominator_kind *rows; /* by their first objects */
};

/*
 * In an extreme heap, objects beyond a million rows count for the row of what
 * dominates them. Later calls of hprof_retained_read, hprof_retained_by_group and
 * hprof_loader_use_read with the same graph need less time. Needs dominators. Free
 * with hprof_dominator_kinds_free.
 */
HPROF_API enum hprof_status
hprof_dominator_kinds_read(const struct hprof_graph *graph,
			   struct hprof_dominator_kinds **ret_kinds,
			   struct hprof_error *ret_error);
HPROF_API void hprof_dominator_kinds_free(struct hprof_dominator_kinds *kinds);

/* The reachable objects of a set, and what they retain in total. */
struct hprof_set_sum {
	uint64_t objects, shallow, retained;
};

/*
 * Sets of classes that the caller defines. The arrays have an element for each
 * row of the summary's class_rows and one more for unknown classes: the number
 * of the set that its instances belong to, and of that which the class object
 * itself belongs to. Numbers of set_count and above mean no set.
 */
struct hprof_retained_groups {
	const uint32_t *instances, *class_objects;
	struct hprof_set_sum *sums; /* of each set; filled by the call */
	uint32_t set_count;
	uint32_t reserved; /* 0 */
};

/*
 * Fills the sums of COUNT groupings in one pass. What a set retains counts
 * once, as in struct hprof_set_row. Needs dominators.
 */
HPROF_API enum hprof_status
hprof_retained_by_group(const struct hprof_graph *graph,
			const struct hprof_retained_groups *groups,
			size_t count, struct hprof_error *ret_error);

/* The objects of some classes; class objects belong to java.lang.Class. */
struct hprof_instance_table {
	uint64_t total, reachable; /* objects */
	uint64_t shallow;	   /* bytes of all of them */
	size_t count;
	uint64_t *objects; /* those that retain most, by that, then number */
	void *impl;
};

/*
 * Objects of the classes at ROWS, without subclasses; the TOP ones are listed.
 * Needs dominators. Free with hprof_instance_table_free.
 */
HPROF_API enum hprof_status
hprof_instances_read(const struct hprof_graph *graph, const size_t *rows,
		     size_t row_count, size_t top,
		     struct hprof_instance_table **ret_table,
		     struct hprof_error *ret_error);
HPROF_API void hprof_instance_table_free(struct hprof_instance_table *table);

/* ---- what is garbage ----------------------------------------------------- */

struct hprof_garbage_table {
	uint64_t objects, shallow;
	/* By class: retained is 0. By bytes, then name. */
	size_t class_count;
	struct hprof_set_row *classes;
	void *impl;
};

/*
 * Objects that no path of whatever strength leads to. Needs strengths. Free with
 * hprof_garbage_table_free.
 */
HPROF_API enum hprof_status
hprof_garbage_read(const struct hprof_graph *graph,
		   struct hprof_garbage_table **ret_table,
		   struct hprof_error *ret_error);
HPROF_API void hprof_garbage_table_free(struct hprof_garbage_table *table);

/* ---- where objects were allocated ---------------------------------------- */

/*
 * Objects of one class that one stack allocated. An agent that was told to
 * (heap=all) writes the stack's number into the record of each object.
 */
struct hprof_allocation {
	uint32_t trace_serial;
	size_t class_row;	/* as in struct hprof_object */
	const char *class_name; /* NULL: not known */
	uint64_t objects, shallow;
	size_t frame_count;		  /* at least 1 */
	struct hprof_stack_frame *frames; /* innermost first */
};

struct hprof_allocation_table {
	uint64_t objects, shallow; /* of all rows */
	size_t count;
	struct hprof_allocation *rows; /* by shallow bytes, then number */
	void *impl;
};

/*
 * The reachable objects whose stack is known, of those that HOLDER retains
 * (itself included; needs dominators), or for HPROF_NO_OBJECT of all. Class
 * objects have no stack. The table is empty, and no object was read, if the dump
 * does not say where objects were allocated, as is the case with most. Free with
 * hprof_allocation_table_free.
 */
HPROF_API enum hprof_status
hprof_allocations_read(const struct hprof_graph *graph, uint64_t holder,
		       struct hprof_allocation_table **ret_table,
		       struct hprof_error *ret_error);

/* The same for one object, reachable or not: one row or none. */
HPROF_API enum hprof_status
hprof_allocation_of(const struct hprof_graph *graph, uint64_t object,
		    struct hprof_allocation_table **ret_table,
		    struct hprof_error *ret_error);

/*
 * The same for all objects of a dump, reachable or not, which takes no graph. The
 * heap may be used by other threads meanwhile.
 */
HPROF_API enum hprof_status
hprof_heap_allocations(const struct hprof_heap *heap,
		       struct hprof_allocation_table **ret_table,
		       struct hprof_error *ret_error);

/*
 * Whether a dump seems to say where objects were allocated: false means that these
 * tables would be empty. No object is read. False for NULL.
 */
HPROF_API bool
hprof_summary_has_allocations(const struct hprof_summary *summary);
HPROF_API void
hprof_allocation_table_free(struct hprof_allocation_table *table);

/* ---- what threads hold --------------------------------------------------- */

/* An object that a stack holds. */
struct hprof_thread_local_row {
	struct hprof_object_info held;
	unsigned tag; /* HPROF_ROOT_JAVA_FRAME, _JNI_LOCAL, _NATIVE_STACK ... */
	int32_t frame; /* depth, 0: the innermost; -1: no frame */
};

struct hprof_thread_locals {
	uint32_t thread_serial;
	struct hprof_object_info thread;
	/* By the thread object and its locals together, but for classes. */
	uint64_t retained;
	size_t count;
	struct hprof_thread_local_row
		*rows; /* by frame, then number of the object */
};

struct hprof_thread_locals_table {
	size_t count;
	struct hprof_thread_locals *threads; /* by thread serial */
	void *impl;
};

/* Needs dominators. Free with hprof_thread_locals_free. */
HPROF_API enum hprof_status
hprof_thread_locals_read(const struct hprof_graph *graph,
			 struct hprof_thread_locals_table **ret_table,
			 struct hprof_error *ret_error);
HPROF_API void
hprof_thread_locals_free(struct hprof_thread_locals_table *table);

/*
 * Names of ThreadLocals: the fields that hold them, which is what programmers
 * call them. Needs dominators. It may be used by one thread at a time; the names
 * live as long as both it and the heap.
 */
struct hprof_thread_local_names;
HPROF_API enum hprof_status
hprof_thread_local_names_new(const struct hprof_graph *graph,
			     struct hprof_thread_local_names **ret_names,
			     struct hprof_error *ret_error);
HPROF_API void
hprof_thread_local_names_free(struct hprof_thread_local_names *names);

/*
 * The field that holds the ThreadLocal OBJECT, a static if there is one, and the
 * class that has it. If none does, *RET_CLASS is the class of OBJECT (NULL: not
 * known) and *RET_FIELD is NULL. HPROF_END: OBJECT is no ThreadLocal.
 */
HPROF_API enum hprof_status
hprof_thread_local_names_find(struct hprof_thread_local_names *names,
			      uint64_t object, const char **ret_class,
			      const char **ret_field,
			      struct hprof_error *ret_error);

/* ---- what lies outside of the heap --------------------------------------- */

/* What owns a piece of memory. hprof-stat(1) explains how each is recognised. */
enum hprof_native_kind {
	HPROF_NATIVE_DIRECT,	/* direct buffers that a Cleaner frees */
	HPROF_NATIVE_UNMANAGED, /* others: by Unsafe or JNI, netty's for example */
	HPROF_NATIVE_MAPPED,	/* mapped files */
	HPROF_NATIVE_SEGMENT,  /* memory segments (java.lang.foreign) */
	HPROF_NATIVE_INFLATER, /* estimated: what zlib allocates */
	HPROF_NATIVE_DEFLATER, /* likewise */
	HPROF_NATIVE_STACK,    /* of threads that were made with a stack size */
	HPROF_NATIVE_MODULES   /* the file of the JDK's own modules, mapped */
};
enum { HPROF_NATIVE_KINDS = 8 };

struct hprof_native_sum {
	uint64_t objects, bytes; /* unreachable ones included */
	/* Their memory stays until the collector has found them. */
	uint64_t unreachable_objects, unreachable_bytes;
};

/* Reachable memory of one kind by the class that holds it. */
struct hprof_native_owner {
	enum hprof_native_kind kind;
	/*
	 * Of a chunk of a pool, the allocator. Else the nearest dominator whose
	 * class does not belong to the Java runtime, or the uppermost one: that
	 * of the largest piece.
	 */
	struct hprof_object_info owner;
	uint64_t objects, bytes;
	uint64_t largest; /* bytes of the largest piece */
	/* The field of the owner by which it holds that; NULL: not known. */
	const char *field; /* lives as long as the heap */
	bool is_static;
};

/*
 * A pooled allocator of netty: those of its chunks that are direct buffers. Not
 * known, HPROF_NO_OBJECT, is the allocator of chunks that have lost it.
 */
struct hprof_native_pool {
	struct hprof_object_info allocator;
	uint64_t arenas; /* that have chunks; magazines of the adaptive one */
	uint64_t chunks, bytes, free;
};

struct hprof_native_table {
	uint64_t bytes; /* of all kinds but HPROF_NATIVE_MODULES */
	struct hprof_native_sum kinds[HPROF_NATIVE_KINDS];
	size_t owner_count;
	struct hprof_native_owner *owners; /* by bytes */
	size_t pool_count;
	struct hprof_native_pool *pools; /* by bytes; counted above */
	void *impl;
};

/*
 * Memory outside of the heap that objects of the dump stand for. Memory that
 * several objects share, such as views of a buffer, counts once. Needs
 * dominators. Free with hprof_native_table_free.
 */
HPROF_API enum hprof_status
hprof_native_read(const struct hprof_graph *graph,
		  struct hprof_native_table **ret_table,
		  struct hprof_error *ret_error);
HPROF_API void hprof_native_table_free(struct hprof_native_table *table);

#ifdef __cplusplus
}
#endif

#endif
