/* SPDX-License-Identifier: MIT */
/*
 * hprof/waste.h - memory that a program could do without: collections that are
 * empty or mostly unused, equal strings and arrays, boxed numbers, zeros.
 *
 * Only reachable objects count. Sizes are shallow sizes, in bytes, by the
 * heap's convention. No byte is counted as saved twice: an object belongs to
 * one kind of waste, or its bytes are divided.
 *
 * Ownership, threads and errors: as in hprof/retained.h.
 */
#ifndef HPROF_WASTE_H
#define HPROF_WASTE_H

#include <hprof/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hprof_waste_kind {
	/*
	 * Strings, and primitive arrays that are no string's, with the content
	 * of another one. Saved: all but one of each content.
	 */
	HPROF_WASTE_EQUAL_STRINGS,
	HPROF_WASTE_EQUAL_ARRAYS,
	/* The high bytes of strings in which all of them are 0. */
	HPROF_WASTE_HIGH_BYTES,
	/* Integer, Boolean ...: saved if the numbers were primitive. */
	HPROF_WASTE_BOXES,
	/*
	 * Collections without elements: never changed, by their modCount or since they
	 * have no array yet; once used, by their modCount; and those that do not count
	 * changes, of which nobody knows.
	 */
	HPROF_WASTE_UNUSED_COLLECTIONS,
	HPROF_WASTE_EMPTIED_COLLECTIONS,
	HPROF_WASTE_EMPTY_COLLECTIONS,
	/* With one or up to four elements: saved by an array instead. */
	HPROF_WASTE_SINGLE_COLLECTIONS,
	HPROF_WASTE_SMALL_COLLECTIONS,
	/* Arrays twice as long as the elements of their collection need. */
	HPROF_WASTE_SPARSE_COLLECTIONS,
	/* Hash tables, more than half of whose entries share a bucket. */
	HPROF_WASTE_COLLISIONS,
	/* A WeakHashMap, values of which refer to their keys. */
	HPROF_WASTE_WEAK_MAPS,
	/* Arrays of no elements; all but one of each class. */
	HPROF_WASTE_EMPTY_ARRAYS,
	/* Arrays of one reference. */
	HPROF_WASTE_SINGLE_ARRAYS,
	/* Arrays of references, of which half or more are null. */
	HPROF_WASTE_NULL_ARRAYS,
	/* Arrays of many short arrays: saved by a few long ones. */
	HPROF_WASTE_SHORT_ROWS,
	/* Primitive arrays of 1 KiB and more with zeros only. */
	HPROF_WASTE_ZERO_ARRAYS,
	/* Primitive arrays, the last half or more of which is zeros. */
	HPROF_WASTE_ZERO_TAILS,
	/*
	 * Arrays of char, short, int and long, all elements of which fit into a
	 * smaller type, characters into a byte without a sign. None that belongs to
	 * a known collection or that a class of the Java runtime holds.
	 */
	HPROF_WASTE_WIDE_ARRAYS,
	/*
	 * Fields that are null in all instances of their class, also unreachable
	 * ones. The referent of a reference is none of them, as it is the collector
	 * that clears it; nor is any behind the first 254 references of a class.
	 */
	HPROF_WASTE_NULL_FIELDS,
	/* Numbers that fit into a smaller type in all of these. */
	HPROF_WASTE_WIDE_FIELDS,
	HPROF_WASTE_KINDS
};

/* "equal_strings": lower case with underscores. NULL: no such kind. */
HPROF_API const char *hprof_waste_kind_name(enum hprof_waste_kind kind);

/* Who refers to an object: the first referrer that is no part of a collection
   or array. */
struct hprof_waste_holder {
	size_t class_row;  /* SIZE_MAX: a GC root, or not known */
	const char *field; /* NULL: not known */
	bool is_static;
	bool is_root; /* nobody refers to it or its collection, which is a GC root */
};

struct hprof_waste_sum {
	uint64_t objects;
	uint64_t bytes; /* these objects have, with what belongs to them */
	uint64_t saved;
};

/* Objects of one kind, class and holder. */
struct hprof_waste_row {
	enum hprof_waste_kind kind;
	size_t class_row; /* of the objects */
	struct hprof_waste_holder holder;
	struct hprof_waste_sum sum;
	uint64_t example;    /* the first of the objects, or HPROF_NO_OBJECT */
	uint64_t example_id; /* its id, or 0 */
	uint64_t fields; /* of NULL_FIELDS and WIDE_FIELDS: how many; else 0 */
};

/* A content that several strings or arrays have. */
struct hprof_waste_content {
	uint64_t example; /* the first of them: a String or an array */
	uint64_t example_id;
	size_t class_row;
	uint64_t length;  /* of the text in UTF-16 units, or of the array */
	const char *text; /* the beginning of a string's, in UTF-8, or NULL */
	uint64_t objects;
	uint64_t saved;
	/* Who holds most of them, and how many. */
	struct hprof_waste_holder holder;
	uint64_t held;
};

/* A map with collisions, or a WeakHashMap that holds its own keys. */
struct hprof_waste_map {
	enum hprof_waste_kind kind;
	uint64_t object, id;
	size_t class_row;
	uint64_t entries;
	uint64_t used;	     /* buckets with entries */
	uint64_t deepest;    /* entries in one bucket; 0: not looked at */
	uint64_t refer_back; /* values that refer to their key */
	size_t key_row;	     /* class of the keys in that bucket, or SIZE_MAX */
	struct hprof_waste_holder holder;
};

struct hprof_waste_options {
	size_t size;	 /* sizeof(struct hprof_waste_options) */
	uint64_t memory; /* as in struct hprof_graph_options */
	hprof_progress_fn *progress;
	void *progress_user;
	size_t top;		   /* contents and maps; 0: 25 */
	unsigned char reserved[8]; /* 0 */
	/*
	 * Called once when all references have been followed, which several threads
	 * do; the rest of the search mostly needs one. Not called if that fails.
	 * May be NULL.
	 */
	void (*read)(void *user);
	void *read_user;
};

struct hprof_waste_table {
	uint64_t live, live_objects; /* what was looked at: reachable objects */
	struct hprof_waste_sum kinds[HPROF_WASTE_KINDS];
	uint64_t saved; /* by all kinds */
	size_t row_count;
	/*
	 * By kind, then bytes saved. No more than 2^20, or than an eighth of
	 * the memory that is allowed has room for, but at least 1024; what
	 * further holders hold is in rows of its kind and class whose holder is
	 * not known.
	 */
	struct hprof_waste_row *rows;
	size_t string_count, array_count;
	struct hprof_waste_content *strings, *arrays; /* by bytes saved */
	size_t map_count;
	struct hprof_waste_map *maps; /* by entries without a bucket */
	void *impl;
};

/*
 * Notes for the option of that name of a graph, which save hprof_waste_read a pass
 * over the dump: at a byte for each object, 8 to 16 for each reference to a string,
 * array, box, collection or part of one that several refer to, 16 to 40 for each
 * primitive array, 12 for each collection, and 16 for each array of references; and,
 * until references have been read, a byte for each of these. Free what was given to no
 * graph with hprof_waste_notes_free. HPROF_E_NOMEM.
 */
HPROF_API enum hprof_status
hprof_waste_notes_new(const struct hprof_heap *heap,
		      struct hprof_notes **ret_notes,
		      struct hprof_error *ret_error);
HPROF_API void hprof_waste_notes_free(struct hprof_notes *notes);

/*
 * GRAPH needs neither dominators nor edges. Reads single objects; before that the
 * whole dump, unless the graph has notes, this is the first call for it, and
 * options.memory is 0. Free with hprof_waste_table_free. The phase of the progress,
 * while the dump is read, is "waste".
 */
HPROF_API enum hprof_status
hprof_waste_read(const struct hprof_graph *graph,
		 const struct hprof_waste_options *options,
		 struct hprof_waste_table **ret_table,
		 struct hprof_error *ret_error);
HPROF_API void hprof_waste_table_free(struct hprof_waste_table *table);

#ifdef __cplusplus
}
#endif

#endif
