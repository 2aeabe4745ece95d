/* SPDX-License-Identifier: MIT */
/*
 * hprof/leaks.h - what leaks: suspects, backlogs, and class loaders that
 * something still holds.
 *
 * Ownership, threads, errors and the binary interface are as in
 * hprof/retained.h.
 */
#ifndef HPROF_LEAKS_H
#define HPROF_LEAKS_H

#include <hprof/paths.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what leaks ---------------------------------------------------------- */

enum hprof_leak_kind {
	HPROF_LEAK_OBJECT,  /* one object that is large itself */
	HPROF_LEAK_POINT,   /* one object that holds many */
	HPROF_LEAK_CHAIN,   /* objects that hold each other: lists, trees */
	HPROF_LEAK_GROUP,   /* objects of one class, none of them large */
	HPROF_LEAK_THREADS, /* many threads of one name, or in one method */
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

/* The ThreadLocal by which threads keep most of what they do, and which threads. */
struct hprof_leak_local {
	/* As local_class and local_field of a path's step. */
	const char *class_name, *field;
	/* Those that keep a tenth of what the one that keeps most by it does. */
	uint64_t threads;
	uint64_t values, retained; /* that these have in it, and their bytes */
	struct hprof_object_info largest; /* of the values */
	/* As crowd_name, if the threads have one in common. Else NULL. */
	const char *thread_name;
	uint64_t of_threads; /* live ones of that name; without one: members */
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
	uint64_t member_retained; /* of threads: with what its stack holds */
	/* HPROF_ROOT_JNI_GLOBAL ...: nearly all members are such roots; or 0. */
	unsigned root_tag;
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
	 * Paths to the point, or to the origin of a group; of a class, one
	 * static of which has most of what it keeps, to where that piles up. The
	 * first is the shortest of those that lead through as few references of the
	 * runtime's own (of class loaders, shutdown hooks and the like) as
	 * possible, and begins at a stack only if none else is found; others lead to
	 * its uppermost dominator by another reference. 0 paths: the search would have needed more memory.
	 */
	size_t path_count;
	struct hprof_path *paths;
	/*
	 * Steps of the first path: subject_step is what the suspect is about,
	 * the collection if there is one, which need not be known to the library
	 * if it consists of a chain, else the point or origin; owner_step the
	 * nearest before it whose class does not belong to the Java runtime, and is
	 * no lambda or buffer of netty; or else one of these, a class object, or a
	 * pool of threads; further up if
	 * other suspects are held alike by that. SIZE_MAX: there is none.
	 */
	size_t owner_step, subject_step;
	/*
	 * The collection whose inner object the point or origin is; or the string,
	 * string builder or stream into memory, whose elements are of class "char" or
	 * "byte"; or none.
	 */
	struct hprof_object_info collection;
	uint64_t elements;	   /* of the collection, as far as known */
	const char *element_class; /* the most frequent one; may be NULL */
	/*
	 * Of threads: their name, with '*' in place of digits, unless they have
	 * several, or none. Of loaders: a class that all of them have defined.
	 * Else NULL.
	 */
	const char *crowd_name;
	/* Of threads: a frame of theirs, and how many are there (0: unknown) */
	struct hprof_stack_frame frame;
	uint64_t at_frame;
	size_t reason_count; /* of loaders: at most 5, by number of members */
	struct hprof_leak_reason *reasons;
	/* Of threads, as a crowd or a group; NULL: none has most of it. */
	struct hprof_leak_local *local;
};

enum hprof_backlog_kind {
	HPROF_BACKLOG_FINALIZERS, /* objects that wait for their finalizers */
	HPROF_BACKLOG_QUEUE,	  /* a reference queue that nobody drains */
	HPROF_BACKLOG_CLEANERS, /* Cleaners whose actions hold their objects */
	HPROF_BACKLOG_SOFT,	/* what only soft references keep */
	/* what classes have of a ClassValue, which a dump shows as garbage */
	HPROF_BACKLOG_CLASS_VALUES
};

/* Work of the JVM that is not done; hprof-stat(1) says from what size on. */
struct hprof_backlog {
	enum hprof_backlog_kind kind;
	/* Finalizers, enqueued references, registrations, soft referents, or values. */
	uint64_t count;
	uint64_t enqueued; /* of finalizers: they are in the queue already */
	/* Of finalizers, soft references and ClassValues: all kept. */
	uint64_t objects;
	uint64_t retained; /* bytes of what is kept */
	/*
	 * The queue, or the Cleaner registration that keeps most; of soft references
	 * the map of them, or else the reference, that does; the ClassValue; or none.
	 */
	struct hprof_object_info holder;
	/*
	 * As in struct hprof_leak, of the holder; of a map of soft references or a
	 * ClassValue, who has it, even if it is of the program itself.
	 */
	struct hprof_object_info owner;
	/*
	 * What waits, by class: referents, enqueued references, actions or
	 * values. What two of them keep counts for one.
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
	/* A path to the holder; 0 paths: it takes too long to find one. */
	size_t path_count;
	struct hprof_path *paths;
	/*
	 * Of reference queues: how many are told together, of which HOLDER is the one
	 * with most references. Their owners are of one class unless they are MIXED.
	 */
	uint64_t queues;
	bool mixed;
};

struct hprof_leak_table {
	uint64_t live;	    /* bytes of reachable objects */
	uint64_t threshold; /* the least that a suspect retains */
	size_t count;
	struct hprof_leak *leaks; /* by retained size */
	/*
	 * In a graph with strengths, else none; by kind, then count. What they
	 * tell is no suspect, nor next.
	 */
	size_t backlog_count;
	struct hprof_backlog *backlogs;
	/*
	 * Bytes that the suspects retain together with references in undrained
	 * queues and the actions of Cleaners.
	 */
	uint64_t explained;
	/*
	 * What is next below the threshold, at most 10, by retained size, from
	 * a tenth of the threshold on. Of these only what the point is, who
	 * owns it and what it holds is known: no classes, copies and parts,
	 * and the path begins at the uppermost dominator, unless that is the point.
	 * What a suspect is about is left out.
	 */
	size_t next_count;
	struct hprof_leak *next;
	/*
	 * The thread at whose OutOfMemoryError the JVM wrote the dump, with its first
	 * frame that is not in the Java runtime; NULL: no stack says so.
	 */
	struct hprof_path_root *out_of_memory;
	void *impl;
};

/*
 * The least that a suspect retains, except for 100 threads of one name and for loaders:
 * BYTES, or else SHARE of the live heap. If both are 0, it is 10% of the live
 * heap and at least 2 MiB.
 */
struct hprof_leak_options {
	size_t size;	/* sizeof(struct hprof_leak_options) */
	uint64_t bytes; /* 0: by share */
	uint32_t share; /* in millionths of the live heap, at most 1,000,000 */
	uint32_t paths; /* at most, for each suspect; 0: 1; at most 8 */
	/*
	 * Retained sizes or the dominator tree by kinds (retained.h) follow, or what
	 * class loaders keep: the graph keeps the sums for these, which are found in
	 * the same pass over all objects. In another thread, who needs them waits; a
	 * progress callback of GRAPH cannot ask for them.
	 */
	bool sums;
	unsigned char reserved[7]; /* 0 */
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

#ifdef __cplusplus
}
#endif

#endif
