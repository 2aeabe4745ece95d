/* SPDX-License-Identifier: MIT */
/*
 * forms_libraries.c - the collections of libraries for Java; see forms.h.
 *
 * Fields are those of the versions that are in use.
 */
#include "collections/forms_lines.h"

#define GUAVA "com.google.common.collect."

#define FASTUTIL_MAP(name)                                                      \
	{                                                                      \
		.class_name = "it.unimi.dsi.fastutil.*" name, .kind = MAP,     \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_COLUMNS,       \
		.size = "size", .store = "key", .key = "key",                  \
		.value = "value", .zero = "containsNullKey|containsNull"       \
	}
#define FASTUTIL_SET(name)                                                      \
	{                                                                      \
		.class_name = "it.unimi.dsi.fastutil.*" name, .kind = SET,     \
		.shape = HPROF_COLLECTION_HASH, .walk = HP_WALK_SLOTS,         \
		.size = "size", .store = "key",                                \
		.zero = "containsNull"                                         \
	}

static const struct hp_form forms[] = {
	/* ---- Guava ------------------------------------------------------- */
	ARRAY(GUAVA "RegularImmutableList", LIST, "size", "array"),
	ARRAY(GUAVA "RegularImmutableList", LIST, NULL, "array"),
	ARRAY(GUAVA "RegularImmutableAsList", LIST, NULL, "array"),
	SLOTS(GUAVA "RegularImmutableSet", SET, "size", "table"),
	ARRAY(GUAVA "RegularImmutableSet", SET, NULL, "elements"),
	{ .class_name = GUAVA "RegularImmutableMap", /* entries, in order */
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_BUCKETS,
	  .store = "entries",
	  .key = "key",
	  .value = "value" },
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
	WRAPPER(GUAVA "AbstractMapBasedMultimap", MAP, INNER, "map"),
	WRAPPER(GUAVA "ImmutableMultimap", MAP, INNER, "map"),
	WRAPPER(GUAVA "StandardTable", MAP, INNER, "backingMap"),
	/* Elements and how many of each: a Count, or a number */
	WRAPPER(GUAVA "AbstractMapBasedMultiset", MAP, INNER, "backingMap"),
	{ .class_name = GUAVA "RegularImmutableMultiset",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_BUCKETS,
	  .store = "entries",
	  .key = "element",
	  .value = "count" },
	TREE(GUAVA "TreeMultiset", MAP, NULL, "rootReference.value", "elem",
	     "elemCount"),
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
	  .key = "val.key",
	  .value = "val.value",
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
	AFTER("io.netty.handler.codec.DefaultHeaders", MAP, "size", "head",
	      "key", "value", "after"),

	/* ---- Spring ------------------------------------------------------ */
	WRAPPER("org.springframework.util.LinkedMultiValueMap", MAP, INNER,
		"targetMap"),
	WRAPPER("org.springframework.util.MultiValueMapAdapter", MAP, INNER,
		"targetMap"),
	WRAPPER("org.springframework.util.LinkedCaseInsensitiveMap", MAP, INNER,
		"targetMap"),
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
	COLUMNS("it.unimi.dsi.fastutil.*HashMap", MAP, "size", "key", "key",
		"value"),
	SLOTS("it.unimi.dsi.fastutil.*HashSet", SET, "size", "key"),
	ARRAY("it.unimi.dsi.fastutil.*ArrayList", LIST, "size", "a"),
	ARRAY("it.unimi.dsi.fastutil.*ArraySet", SET, "size", "a"),
};

const struct hp_form_table hp_forms_libraries = {
	forms,
	sizeof forms / sizeof *forms,
};
