/* SPDX-License-Identifier: MIT */
/*
 * hprof/retained.h - reports on the object graph as plain tables: what is big,
 * what leaks, why an object is alive, what is garbage.
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
 * row, since the first dominates it as well.
 */
struct hprof_tree_row {
	struct hprof_object_info held; /* of those folded, the first */
	size_t depth;	 /* 0: nothing that has a row dominates it */
	uint64_t folded; /* objects that the row stands for; 0: for one */
	bool alike;	 /* of those folded: they have the same class */
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

/* ---- why an object is alive ---------------------------------------------- */

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
 * the Java runtime) only where no other path exists, and may begin at a class
 * that is alive without the object. The shortest of these comes first, then
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
	 * At the top: tag of the root, or 0 for a class that is no root but alive
	 * by its loader. Further down 0.
	 */
	unsigned root;
	enum hprof_edge_kind edge;
	const char *field;
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

/* ---- class loaders ------------------------------------------------------- */

enum hprof_loader_state {
	HPROF_LOADER_SYSTEM, /* boot, platform and application loader */
	HPROF_LOADER_ALIVE,
	/* Closed, or its web application or bundle was stopped; it leaks. */
	HPROF_LOADER_STOPPED,
	HPROF_LOADER_UNREACHABLE /* not strongly; or not in the dump */
};

/*
 * A class loader that defined classes, the parent of one, or one that is reachable
 * and has defined nothing, of which there are 100,000 at most.
 */
struct hprof_loader_use {
	uint64_t loader_id; /* 0: boot */
	struct hprof_object_info
		loader; /* no object: boot, or not in the dump */
	/*
	 * What people call it: the path of its web application, the symbolic
	 * name of its bundle, ClassLoader.name, or where its classes come from;
	 * "<boot>"; NULL: not known.
	 */
	const char *name;
	size_t parent; /* its row; SIZE_MAX: none */
	size_t depth;
	enum hprof_loader_state state;
	uint64_t classes;    /* that it defined, without arrays */
	uint64_t duplicates; /* of these, that other loaders defined as well */
	uint64_t instances, shallow; /* objects of its classes, all */
	/* By reachable ones and its classes, as in struct hprof_set_row. */
	uint64_t retained;
	/*
	 * Why it is alive: a path that ends at the first object of its own that
	 * is met, an instance of its classes, a class or itself. What comes
	 * before holds it from outside. count is 0 if it was not looked for, or
	 * not found in a search of limited length.
	 */
	struct hprof_path path;
	size_t owner_step; /* in it, as in struct hprof_leak */
};

/* A name of classes of several loaders. */
struct hprof_duplicate_class {
	const char *name;
	uint64_t loaders;
	size_t class_row; /* of one of them */
};

struct hprof_loader_use_table {
	size_t count; /* row 0 is the boot loader */
	/* Parents precede children; siblings by retained, then id. */
	struct hprof_loader_use *rows;
	uint64_t stopped; /* loaders in that state */
	size_t duplicate_count;
	struct hprof_duplicate_class *duplicates; /* by loaders, then name */
	/* The row of the loader of each row of the summary's class_rows. */
	const size_t *row_of_class;
	void *impl;
};

/*
 * Needs dominators. At most 300 loaders have paths, those that are stopped
 * first. Free with hprof_loader_use_free.
 */
HPROF_API enum hprof_status
hprof_loader_use_read(const struct hprof_graph *graph,
		      struct hprof_loader_use_table **ret_table,
		      struct hprof_error *ret_error);
HPROF_API void hprof_loader_use_free(struct hprof_loader_use_table *table);

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

/* ---- what leaks ---------------------------------------------------------- */

enum hprof_leak_kind {
	HPROF_LEAK_OBJECT,  /* one object that is large itself */
	HPROF_LEAK_POINT,   /* one object that holds many */
	HPROF_LEAK_CHAIN,   /* objects that hold each other: lists, trees */
	HPROF_LEAK_GROUP,   /* objects of one class, none of them large */
	HPROF_LEAK_THREADS, /* many threads of one name */
	HPROF_LEAK_LOADERS  /* loaders that have defined the same class */
};

/* Something that a point retains. */
struct hprof_leak_part {
	struct hprof_path_step step; /* how the point refers to it */
	bool direct; /* false: held by other objects; step says what it is */
};

/* Why some members of a crowd of threads or loaders are alive. */
struct hprof_leak_reason {
	uint64_t members;
	struct hprof_path path; /* to one of them */
	size_t owner_step;	/* in it, as in struct hprof_leak */
};

/* hprof-stat(1) explains the rule. */
struct hprof_leak {
	enum hprof_leak_kind kind;
	uint64_t objects, retained; /* everything retained, and its bytes */
	/* Where it accumulates; for a group, inside the largest member. */
	struct hprof_object_info point;
	/*
	 * The point, or else the nearest dominator of it (or of the group),
	 * whose class does not belong to the Java runtime; or no object.
	 */
	struct hprof_object_info owner;
	/* Of the objects held directly, the class that retains most. */
	const char *item_class;
	bool item_is_class; /* the items are class objects of that name */
	uint64_t items, item_retained;
	uint64_t all_items; /* of whatever class */
	/* If the point is not an array: at most 5 parts of 1% or more. */
	size_t part_count;
	struct hprof_leak_part *parts;
	/* For a group: its members and what they have in common. */
	const char *member_class;
	bool member_is_class;
	uint64_t members;
	struct hprof_object_info member; /* the largest */
	struct hprof_object_info origin; /* on paths to nearly all; or none */
	/* What is retained, by class: shallow bytes, largest first. */
	size_t class_count;
	struct hprof_set_row *classes;
	/*
	 * The class outside of the Java runtime whose objects retain most of it
	 * (see struct hprof_set_row); name NULL: no such class.
	 */
	struct hprof_set_row main;
	/* The class that the most loaders have defined; NULL: no duplicates. */
	const char *copies_class;
	uint64_t copies;
	const char *loader_class; /* of the loaders, or NULL */
	/*
	 * Paths to the point, or to the origin of a group. The first is the
	 * shortest of those that lead through as few references of the
	 * runtime's own (of class loaders, shutdown hooks and the like) as
	 * possible; others lead to its uppermost dominator by another
	 * reference. 0 paths: the search would have needed more memory.
	 */
	size_t path_count;
	struct hprof_path *paths;
	/*
	 * Steps of the first path: subject_step is what the suspect is about,
	 * the collection if there is one, else the point or origin; owner_step
	 * the nearest before it whose class does not belong to the Java
	 * runtime, or else a class object. SIZE_MAX: there is none.
	 */
	size_t owner_step, subject_step;
	/*
	 * The collection whose inner object the point or origin is; or none.
	 */
	struct hprof_object_info collection;
	uint64_t elements;	   /* of the collection, as far as known */
	const char *element_class; /* the most frequent one; may be NULL */
	/*
	 * Of threads: their name, with '*' in place of digits. Of loaders: a
	 * class that all of them have defined. Else NULL.
	 */
	const char *crowd_name;
	/* Of threads: a frame of theirs, and how many are there (0: unknown) */
	struct hprof_stack_frame frame;
	uint64_t at_frame;
	size_t reason_count; /* of loaders: at most 5, by number of members */
	struct hprof_leak_reason *reasons;
};

enum hprof_backlog_kind {
	HPROF_BACKLOG_FINALIZERS, /* objects that wait for their finalizers */
	HPROF_BACKLOG_QUEUE,	  /* a reference queue that nobody drains */
	HPROF_BACKLOG_CLEANERS, /* Cleaners whose actions hold their objects */
	HPROF_BACKLOG_SOFT	/* what only soft references keep */
};

/* Work of the JVM that is not done; hprof-stat(1) says from what size on. */
struct hprof_backlog {
	enum hprof_backlog_kind kind;
	/* Finalizers, enqueued references, registrations, or soft referents. */
	uint64_t count;
	uint64_t enqueued; /* of finalizers: they are in the queue already */
	uint64_t objects;  /* of finalizers and soft references: all kept */
	uint64_t retained; /* bytes of what is kept */
	/* The queue, or the Cleaner registration that keeps most; or none. */
	struct hprof_object_info holder;
	/* As in struct hprof_leak, of the holder. */
	struct hprof_object_info owner;
	/*
	 * What waits, by class: referents, enqueued references or actions.
	 * What two of them keep counts for one.
	 */
	size_t class_count;
	struct hprof_set_row *classes;
	/*
	 * Of soft references: the class that holds the reference, as in owner;
	 * objects are referents.
	 */
	size_t holder_count;
	struct hprof_set_row *holders;
	/* The thread that runs finalizers, and the finalizer in its stack. */
	const struct hprof_thread_row *thread;	 /* NULL: not known */
	const struct hprof_stack_frame *running; /* NULL: it runs none */
	/* A path to the queue; 0 paths: it takes too long to find one. */
	size_t path_count;
	struct hprof_path *paths;
};

struct hprof_leak_table {
	uint64_t live;	    /* bytes of reachable objects */
	uint64_t threshold; /* the least that a suspect retains */
	size_t count;
	struct hprof_leak *leaks; /* by retained size */
	/* In a graph with strengths, else none; by kind, then count. */
	size_t backlog_count;
	struct hprof_backlog *backlogs;
	uint64_t explained; /* bytes that the suspects retain together */
	/*
	 * What is next below the threshold, at most 10, by retained size, from
	 * a tenth of the threshold on. Of these only what the point is, who
	 * owns it and what it holds is known: no classes, copies and parts,
	 * and the path begins at the uppermost dominator.
	 */
	size_t next_count;
	struct hprof_leak *next;
	void *impl;
};

/*
 * The least that a suspect retains, except for crowds of threads and loaders:
 * BYTES, or else SHARE of the live heap. If both are 0, it is 10% of the live
 * heap and at least 2 MiB.
 */
struct hprof_leak_options {
	size_t size;	/* sizeof(struct hprof_leak_options) */
	uint64_t bytes; /* 0: by share */
	uint32_t share; /* in millionths of the live heap, at most 1,000,000 */
	uint32_t paths; /* at most, for each suspect; 0: 1; at most 8 */
	unsigned char reserved[8]; /* 0 */
};

/*
 * Needs dominators. Edges can make it faster: without them, references are read
 * again where dominators alone do not show why something is alive. OPTIONS may be
 * NULL. Free with hprof_leak_table_free.
 */
HPROF_API enum hprof_status
hprof_leaks_read(const struct hprof_graph *graph,
		 const struct hprof_leak_options *options,
		 struct hprof_leak_table **ret_table,
		 struct hprof_error *ret_error);
HPROF_API void hprof_leak_table_free(struct hprof_leak_table *table);

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
	/* By the thread object and its locals together. */
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
	HPROF_NATIVE_STACK     /* of threads that were made with a stack size */
};
enum { HPROF_NATIVE_KINDS = 7 };

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
	uint64_t bytes; /* of all kinds */
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
