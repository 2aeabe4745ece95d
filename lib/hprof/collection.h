/* SPDX-License-Identifier: MIT */
/*
 * hprof/collection.h - lists, sets, maps and queues as their users see them:
 * sizes, elements, keys and values rather than arrays and nodes.
 *
 * The library knows the collections of the Java runtime and of widespread other
 * libraries. A class is recognised by its name, or that of a superclass, and by
 * the names and types of its fields. A version whose fields are others is not
 * recognised, rather than read wrongly.
 *
 * Nothing here trusts the dump: a size may be wrong, a list may be a cycle and
 * a collection may contain itself. Every walk takes time that is linear in the
 * number of objects of the dump at most.
 *
 * Threads: as with the cursor that a function is given, which it moves. Errors:
 * as with hprof/heap.h; NULL for a pointer is HPROF_E_USAGE, and the cursor's
 * error says which.
 */
#ifndef HPROF_COLLECTION_H
#define HPROF_COLLECTION_H

#include <hprof/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hprof_collection_kind {
	HPROF_COLLECTION_LIST,
	HPROF_COLLECTION_SET,
	HPROF_COLLECTION_MAP,
	HPROF_COLLECTION_QUEUE
};

enum hprof_collection_shape {
	HPROF_COLLECTION_ARRAY, /* elements in an array, from its start on */
	HPROF_COLLECTION_HASH,	/* an array, by hash: slots or buckets */
	HPROF_COLLECTION_LINKED,
	HPROF_COLLECTION_TREE,
	HPROF_COLLECTION_FIELDS, /* elements in fields; or always empty */
	HPROF_COLLECTION_WRAPPER /* all in another collection */
};

/* A count that the dump does not tell. */
#define HPROF_COLLECTION_UNKNOWN UINT64_MAX

struct hprof_collection {
	uint64_t object;
	size_t class_row; /* of the object */
	size_t known_row; /* of the class by which it was recognised */
	enum hprof_collection_kind kind;
	enum hprof_collection_shape shape;
	/*
	 * Elements or entries: what the collection itself says. Of a wrapper
	 * those of the inner collection.
	 */
	uint64_t size;
	/*
	 * Elements that its array has room for; of a hash table, its slots or
	 * buckets. 0 if there is no array yet. Unknown for other shapes.
	 */
	uint64_t capacity;
	/* How often it was changed in structure (modCount), if it counts. */
	uint64_t changes;
	/*
	 * What has its contents: the array, the first node, the root of the
	 * tree; of a wrapper the object that it wraps, which need not be a
	 * collection that the library knows. HPROF_NO_OBJECT: none.
	 */
	uint64_t storage;
};

/*
 * Opens the collection OBJECT. HPROF_END: it is none that the library knows,
 * and *RET_COLLECTION is untouched. Of wrappers in each other at most 8 are
 * opened.
 */
HPROF_API enum hprof_status
hprof_collection_open(struct hprof_cursor *cursor, uint64_t object,
		      struct hprof_collection *ret_collection);

/*
 * The same question of a class: true if instances of the class at ROW are
 * recognised as collections. RET_KIND may be NULL.
 */
HPROF_API bool hprof_collection_class(const struct hprof_heap *heap, size_t row,
				      enum hprof_collection_kind *ret_kind);

/*
 * True if instances of the class at ROW are parts of collections of the library
 * (nodes, entries, buckets), which people do not want to be shown.
 */
HPROF_API bool hprof_collection_is_part(const struct hprof_heap *heap,
					size_t row);

/*
 * An element of a list, set or queue is a value without a key. Raw bits as in
 * struct hprof_field, to be read with hprof_cursor_value.
 */
struct hprof_collection_entry {
	uint64_t number; /* of the entry, from 0 on */
	uint64_t node; /* object that has key and value: a node or the array */
	unsigned key_type, value_type; /* HPROF_TYPE_OBJECT ..., 0: has none */
	uint64_t key, value;
};

/* How a walk ended. */
struct hprof_collection_walk {
	uint64_t entries; /* passed to the function */
	bool complete;	  /* there are no more */
	bool odd; /* damaged: links lead out of the dump or in a circle, or the
		     number of entries is not the collection's size */
};

typedef bool hprof_collection_fn(void *user,
				 const struct hprof_collection_entry *entry);

/*
 * Calls FN for each entry of OBJECT, at most MOST times (0: no limit), until it
 * returns false. FN must not use the cursor. The order is that of an iterator
 * in Java where the dump tells it. HPROF_END: as with hprof_collection_open;
 * HPROF_E_UNSUPPORTED: the library knows the collection's size, but cannot walk
 * it. RET_WALK may be NULL.
 */
HPROF_API enum hprof_status
hprof_collection_each(struct hprof_cursor *cursor, uint64_t object,
		      uint64_t most, hprof_collection_fn *fn, void *user,
		      struct hprof_collection_walk *ret_walk);

#ifdef __cplusplus
}
#endif

#endif
