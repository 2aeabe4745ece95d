/* SPDX-License-Identifier: MIT */
/*
 * forms_lines.h - how lines of the usual forms are written, for the files that
 * have the table.
 */
#ifndef HP_FORMS_LINES_H
#define HP_FORMS_LINES_H

#include "collections/forms.h"

#define LIST HPROF_COLLECTION_LIST
#define SET HPROF_COLLECTION_SET
#define MAP HPROF_COLLECTION_MAP
#define QUEUE HPROF_COLLECTION_QUEUE

/* Lines of the usual forms. */
#define ARRAY(name, kind_, size_, store_)                                       \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_ARRAY, .walk = HP_WALK_ARRAY,        \
		.size = size_, .store = store_                                 \
	}
#define RING(name, kind_, size_, store_, head, tail)                            \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_ARRAY, .walk = HP_WALK_RING,         \
		.size = size_, .store = store_, .key = head, .value = tail     \
	}
#define SLOTS(name, kind_, size_, store_)                                       \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_SLOTS,         \
		.size = size_, .store = store_                                 \
	}
#define PAIRS(name, kind_, size_, store_)                                       \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_PAIRS,         \
		.size = size_, .store = store_                                 \
	}
#define COLUMNS(name, kind_, size_, store_, keys, values)                       \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_COLUMNS,       \
		.size = size_, .store = store_, .key = keys, .value = values   \
	}
#define BUCKETS(name, kind_, size_, store_, key_, value_, next_)                \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_BUCKETS,       \
		.size = size_, .store = store_, .key = key_, .value = value_,  \
		.next = next_                                                  \
	}
#define CHAIN(name, kind_, size_, store_, key_, value_, next_)                  \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_LINKED, .walk = HP_WALK_CHAIN,       \
		.size = size_, .store = store_, .key = key_, .value = value_,  \
		.next = next_                                                  \
	}
#define AFTER(name, kind_, size_, store_, key_, value_, next_)                  \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_LINKED, .walk = HP_WALK_AFTER,       \
		.size = size_, .store = store_, .key = key_, .value = value_,  \
		.next = next_                                                  \
	}
#define TREE(name, kind_, size_, store_, key_, value_)                          \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_TREE, .walk = HP_WALK_TREE,          \
		.size = size_, .store = store_, .key = key_, .value = value_   \
	}
#define FIELDS(name, kind_, keys, values)                                       \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_FIELDS, .walk = HP_WALK_FIELDS,      \
		.key = keys, .value = values                                   \
	}
#define TRIE(name, kind_, size_, store_)                                        \
	{                                                                      \
		.class_name = name, .kind = kind_,                             \
		.shape = HPROF_COLLECTION_TREE, .walk = HP_WALK_TRIE,          \
		.size = size_, .store = store_                                 \
	}
#define VECTOR(name, how, size_, store_, start)                                 \
	{                                                                      \
		.class_name = name, .kind = LIST,                              \
		.shape = HPROF_COLLECTION_TREE, .walk = HP_WALK_##how,         \
		.size = size_, .store = store_, .key = start                   \
	}
/* Elements by bits, see HP_WALK_BITS. */
#define BITS(name, store_, bits)                                                \
	{                                                                      \
		.class_name = name, .kind = SET,                               \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_BITS,          \
		.store = store_, .key = bits, .no_waste = true                 \
	}
/* Always as many elements as its array has. */
#define FIXED(name, store_)                                                     \
	{                                                                      \
		.class_name = name, .kind = LIST,                              \
		.shape = HPROF_COLLECTION_ARRAY, .walk = HP_WALK_ARRAY,        \
		.store = store_, .no_waste = true                              \
	}
/* A part of a list's array. */
#define SUBLIST(name, size_, store_, start)                                     \
	{                                                                      \
		.class_name = name, .kind = LIST,                              \
		.shape = HPROF_COLLECTION_ARRAY, .walk = HP_WALK_RING,         \
		.size = size_, .store = store_, .key = start, .no_waste = true \
	}
/* The keys or values of a map. */
#define VIEW(name, kind_, how, inner)                                           \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_WRAPPER, .walk = HP_WALK_##how,      \
		.store = inner, .no_waste = true                               \
	}
#define EMPTY(name, kind_) FIELDS(name, kind_, NULL, NULL)
#define WRAPPER(name, kind_, how, inner)                                        \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_WRAPPER, .walk = HP_WALK_##how,      \
		.store = inner                                                 \
	}

#endif
