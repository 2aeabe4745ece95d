/* SPDX-License-Identifier: MIT */
/*
 * forms_libraries.c - the collections of libraries for Java; see forms.h.
 *
 * Fields are those of the versions that are in use.
 */
#include "collections/forms_lines.h"

#define GUAVA "com.google.common.collect."

#define FASTUTIL "it.unimi.dsi.fastutil.*"
#define FASTUTIL_MAP(name)                                                      \
	{                                                                      \
		.class_name = FASTUTIL name, .kind = MAP,     \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_COLUMNS,       \
		.size = "size", .store = "key", .key = "key",                  \
		.value = "value", .zero = "containsNullKey|containsNull"       \
	}
#define FASTUTIL_SET(name)                                                      \
	{                                                                      \
		.class_name = FASTUTIL name, .kind = SET,     \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_SLOTS,         \
		.size = "size", .store = "key",                                \
		.zero = "containsNull"                                         \
	}

#define FASTUTIL_TREE(name, kind_, key_, value_)                                \
	{                                                                      \
		.class_name = FASTUTIL name, .kind = kind_,                    \
		.shape = HPROF_COLLECTION_TREE, .walk = HP_WALK_TREE,          \
		.size = "count", .store = "tree", .key = key_,                 \
		.value = value_, .threads = "info"                             \
	}

static const struct hp_form forms[] = {
	/* ---- Guava ------------------------------------------------------- */
	ARRAY(GUAVA "RegularImmutableList", LIST, "size", "array"),
	ARRAY(GUAVA "RegularImmutableList", LIST, NULL, "array"),
	ARRAY(GUAVA "RegularImmutableAsList", LIST, NULL, "array"),
	SLOTS(GUAVA "RegularImmutableSet", SET, "size", "table"),
	ARRAY(GUAVA "RegularImmutableSet", SET, NULL, "elements"),
	/* Entries, in order. */
	BUCKETS(GUAVA "RegularImmutableMap", MAP, NULL, "entries", "key",
		"value", NULL),
	BUCKETS(GUAVA "RegularImmutableBiMap", MAP, NULL, "entries", "key",
		"value", NULL),
	{ .class_name = GUAVA "RegularImmutableBiMap$Inverse",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_BUCKETS,
	  .store = "this$0.entries",
	  .key = "value",
	  .value = "key",
	  .no_waste = true },
	PAIRS(GUAVA "RegularImmutableMap", MAP, "size",
	      "alternatingKeysAndValues"),
	WRAPPER(GUAVA "RegularImmutableSortedSet", SET, INNER, "elements"),
	COLUMNS(GUAVA "CompactHashMap", MAP, "size", "keys", "keys", "values"),
	COLUMNS(GUAVA "ObjectCountHashMap", MAP, "size", "keys", "keys",
		"values"),
	{ .class_name = GUAVA "CompactHashSet",
	  .kind = SET,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_SLOTS,
	  .size = "size",
	  .store = "elements" },
	BUCKETS(GUAVA "HashBiMap", MAP, "size", "hashTableKToV", "key", "value",
		"nextInKToVBucket"),
	/* The same nodes from values to keys. */
	{ .class_name = GUAVA "HashBiMap$Inverse",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_BUCKETS,
	  .size = "this$0.size",
	  .store = "this$0.hashTableVToK",
	  .key = "value",
	  .value = "key",
	  .next = "nextInVToKBucket",
	  .no_waste = true },
	COLUMNS(GUAVA "HashBiMap", MAP, "size", "keys", "keys", "values"),
	FIELDS(GUAVA "SingletonImmutableList", LIST, NULL, "element"),
	FIELDS(GUAVA "SingletonImmutableSet", SET, NULL, "element"),
	FIELDS(GUAVA "SingletonImmutableBiMap", MAP, "singleKey",
	       "singleValue"),
	RING(GUAVA "EvictingQueue", QUEUE, NULL, "delegate.elements",
	     "delegate.head", "delegate.tail"),
	/* Segments of chains; keys and values may be held by references. */
	{ .class_name = "com.google.common.cache.LocalCache",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_SEGMENTS,
	  .store = "segments",
	  .key = "key|referent",
	  .value = "valueReference.referent",
	  .next = "next",
	  .table = "table.array" },
	{ .class_name = GUAVA "MapMakerInternalMap",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_SEGMENTS,
	  .store = "segments",
	  .key = "key|referent",
	  .value = "valueReference.referent|value",
	  .next = "next",
	  .table = "table.array" },
	WRAPPER("com.google.common.cache.LocalCache$LocalManualCache", MAP,
		INNER, "localCache"),
	BUCKETS(GUAVA "LinkedHashMultimap$ValueSet", SET, "size", "hashTable",
		NULL, "value", "nextInValueBucket"),
	CHAIN(GUAVA "LinkedListMultimap", MAP, "size", "head", "key", "value",
	      "next"),
	WRAPPER(GUAVA "AbstractMapBasedMultimap", MAP, INNER, "map"),
	WRAPPER(GUAVA "ImmutableMultimap", MAP, INNER, "map"),
	WRAPPER(GUAVA "StandardTable", MAP, INNER, "backingMap"),
	WRAPPER(GUAVA "SparseImmutableTable", MAP, INNER, "rowMap"),
	WRAPPER(GUAVA "DenseImmutableTable", MAP, INNER, "rowMap"),
	{ .class_name = GUAVA "ArrayTable", /* rows and their arrays */
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_WRAPPER,
	  .walk = HP_WALK_COLUMNS,
	  .store = "rowList",
	  .key = "rowList.array|element",
	  .value = "array" },
	WRAPPER(GUAVA "ImmutableEnumSet", SET, INNER, "delegate"),
	WRAPPER(GUAVA "ImmutableEnumMap", MAP, INNER, "delegate"),
	WRAPPER(GUAVA "JdkBackedImmutableSet", SET, INNER, "delegate"),
	WRAPPER(GUAVA "JdkBackedImmutableMap", MAP, INNER, "delegateMap"),
	WRAPPER(GUAVA "JdkBackedImmutableBiMap", MAP, INNER, "forwardDelegate"),
	WRAPPER(GUAVA "MutableClassToInstanceMap", MAP, INNER, "delegate"),
	WRAPPER(GUAVA "ConcurrentHashMultiset", MAP, INNER, "countMap"),
	WRAPPER(GUAVA "RegularImmutableSortedMultiset", SET, INNER,
		"elementSet"),
	ARRAY(GUAVA "MinMaxPriorityQueue", QUEUE, "size", "queue"),
	VIEW(GUAVA "AbstractMapBasedMultimap$AsMap", MAP, INNER, "submap"),
	VIEW(GUAVA "Maps$KeySet", SET, KEYS, "map"),
	VIEW(GUAVA "Maps$Values", LIST, VALUES, "map"),
	VIEW(GUAVA "ImmutableMapKeySet", SET, KEYS, "map"),
	VIEW(GUAVA "ImmutableMapValues", LIST, VALUES, "map"),
	VIEW(GUAVA "RegularImmutableMap$KeySet", SET, KEYS, "map"),
	VIEW(GUAVA "RegularImmutableMap$Values", LIST, VALUES, "map"),
	/* Elements and how many of each: a Count, or a number */
	WRAPPER(GUAVA "AbstractMapBasedMultiset", MAP, INNER, "backingMap"),
	{ .class_name = GUAVA "RegularImmutableMultiset",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_BUCKETS,
	  .store = "entries",
	  .key = "element",
	  .value = "count" },
	TREE(GUAVA "TreeMultiset", MAP, "rootReference.value.distinctElements",
	     "rootReference.value", "elem", "elemCount"),
	/* Its keys are a set that has a list; a list of one has an element. */
	{ .class_name = GUAVA "ImmutableSortedMap",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_WRAPPER,
	  .walk = HP_WALK_COLUMNS,
	  .store = "valueList",
	  .key = "keySet.elements.array|element",
	  .value = "valueList.array|element" },
	WRAPPER(GUAVA "AbstractMapBasedMultimap$WrappedCollection", LIST, INNER,
		"delegate"),
	WRAPPER(GUAVA "ForwardingMap", MAP, INNER, "delegate"),
	WRAPPER(GUAVA "ForwardingCollection", LIST, INNER, "delegate"),

	/* ---- Caffeine ---------------------------------------------------- */
	{ .class_name = "com.github.benmanes.caffeine.cache.BoundedLocalCache",
	  .kind = MAP, /* the values of the inner map have keys and values */
	  .shape = HPROF_COLLECTION_WRAPPER,
	  .walk = HP_WALK_BUCKETS,
	  .size = "data.baseCount",
	  .store = "data",
	  .first = "data.table",
	  .key = "val.key?referent|value.keyReference?referent",
	  .value = "val.value?referent",
	  .next = "next",
	  .cells = "data.counterCells" },
	WRAPPER("com.github.benmanes.caffeine.cache.UnboundedLocalCache", MAP,
		INNER, "data"),
	WRAPPER("com.github.benmanes.caffeine.cache."
		"BoundedLocalCache$BoundedLocalManualCache",
		MAP, INNER, "cache"),
	WRAPPER("com.github.benmanes.caffeine.cache."
		"UnboundedLocalCache$UnboundedLocalManualCache",
		MAP, INNER, "cache"),

	WRAPPER("com.github.benmanes.caffeine.cache."
		"BoundedLocalCache$BoundedLocalAsyncCache",
		MAP, INNER, "cache"),
	WRAPPER("com.github.benmanes.caffeine.cache."
		"BoundedLocalCache$BoundedLocalAsyncLoadingCache",
		MAP, INNER, "cache"),
	WRAPPER("com.github.benmanes.caffeine.cache."
		"UnboundedLocalCache$UnboundedLocalAsyncCache",
		MAP, INNER, "cache"),
	WRAPPER("com.github.benmanes.caffeine.cache."
		"UnboundedLocalCache$UnboundedLocalAsyncLoadingCache",
		MAP, INNER, "cache"),
	VIEW("com.github.benmanes.caffeine.cache.LocalAsync*CacheView", MAP,
	     INNER, "asyncCache"),

	/* ---- Netty ------------------------------------------------------- */
	COLUMNS("io.netty.util.collection.IntObjectHashMap", MAP, "size",
		"values", "keys", "values"),
	COLUMNS("io.netty.util.collection.LongObjectHashMap", MAP, "size",
		"values", "keys", "values"),
	COLUMNS("io.netty.util.collection.CharObjectHashMap", MAP, "size",
		"values", "keys", "values"),
	COLUMNS("io.netty.util.collection.ShortObjectHashMap", MAP, "size",
		"values", "keys", "values"),
	COLUMNS("io.netty.util.collection.ByteObjectHashMap", MAP, "size",
		"values", "keys", "values"),
	ARRAY("io.netty.util.internal.DefaultPriorityQueue", QUEUE, "size",
	      "queue"),
	WRAPPER("io.netty.handler.codec.http.DefaultHttpHeaders", MAP, INNER,
		"headers"),
	AFTER("io.netty.handler.codec.DefaultHeaders", MAP, "size", "head",
	      "key", "value", "after"),

	/* ---- Spring ------------------------------------------------------ */
	WRAPPER("org.springframework.util.LinkedMultiValueMap", MAP, INNER,
		"targetMap"),
	WRAPPER("org.springframework.util.MultiValueMapAdapter", MAP, INNER,
		"targetMap"),
	WRAPPER("org.springframework.util.LinkedCaseInsensitiveMap", MAP, INNER,
		"targetMap"),
	WRAPPER("org.springframework.util.UnmodifiableMultiValueMap", MAP,
		INNER, "delegate"),
	{ .class_name = "org.springframework.util.ConcurrentLruCache",
	  .kind = MAP, /* nodes of its own are the values of the inner map */
	  .shape = HPROF_COLLECTION_WRAPPER,
	  .walk = HP_WALK_BUCKETS,
	  .size = "cache.baseCount",
	  .store = "cache",
	  .key = "key",
	  .value = "val.value.value",
	  .next = "next",
	  .first = "cache.table",
	  .cells = "cache.counterCells" },
	WRAPPER("org.springframework.util.AutoPopulatingList", LIST, INNER,
		"backingList"),
	{ .class_name = "org.springframework.util.ConcurrentReferenceHashMap",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_SEGMENTS,
	  .store = "segments",
	  .key = "entry.key|referent.key",
	  .value = "entry.value|referent.value",
	  .next = "nextReference|next",
	  .table = "references" },

	/* ---- fastutil: a class for each type of keys and values ---------- */
	FASTUTIL_MAP("OpenHashMap"),
	FASTUTIL_MAP("OpenCustomHashMap"),
	FASTUTIL_SET("OpenHashSet"),
	FASTUTIL_SET("OpenCustomHashSet"),
	COLUMNS(FASTUTIL "HashMap", MAP, "size", "key", "key", "value"),
	SLOTS(FASTUTIL "HashSet", SET, "size", "key"),
	{ .class_name = FASTUTIL "ArrayMap",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_ARRAY,
	  .walk = HP_WALK_COLUMNS,
	  .size = "size",
	  .store = "key",
	  .key = "key",
	  .value = "value" },
	ARRAY(FASTUTIL "ArrayList", LIST, "size", "a"),
	ARRAY(FASTUTIL "ImmutableList", LIST, NULL, "a"),
	ARRAY(FASTUTIL "ArraySet", SET, "size", "a"),
	ARRAY(FASTUTIL "HeapPriorityQueue", QUEUE, "size", "heap"),
	RING(FASTUTIL "ArrayFIFOQueue", QUEUE, NULL, "array", "start", "end"),
	FASTUTIL_TREE("AVLTreeMap", MAP, "key", "value"),
	FASTUTIL_TREE("RBTreeMap", MAP, "key", "value"),
	FASTUTIL_TREE("AVLTreeSet", SET, NULL, "key"),
	FASTUTIL_TREE("RBTreeSet", SET, NULL, "key"),
	WRAPPER(FASTUTIL "Maps$SynchronizedMap", MAP, INNER, "map"),
	WRAPPER(FASTUTIL "Maps$UnmodifiableMap", MAP, INNER, "map"),
	WRAPPER(FASTUTIL "Sets$SynchronizedSet", SET, INNER, "collection"),
	WRAPPER(FASTUTIL "Sets$UnmodifiableSet", SET, INNER, "collection"),
	WRAPPER(FASTUTIL "Collections$SynchronizedCollection", LIST, INNER,
		"collection"),
	WRAPPER(FASTUTIL "Collections$UnmodifiableCollection", LIST, INNER,
		"collection"),
};

const struct hp_form_table hp_forms_libraries = {
	forms,
	sizeof forms / sizeof *forms,
};
