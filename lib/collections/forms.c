/* SPDX-License-Identifier: MIT */
/*
 * forms.c - the table of all collections; see forms.h.
 *
 * Sorted by library, then by kind of storage. Fields are those of the JDK 8 to
 * 25, and of the versions of other libraries that are in use.
 */
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
#define EMPTY(name, kind_) FIELDS(name, kind_, NULL, NULL)
#define WRAPPER(name, kind_, how, inner)                                        \
	{                                                                      \
		.class_name = name, .kind = kind_,                              \
		.shape = HPROF_COLLECTION_WRAPPER, .walk = HP_WALK_##how,      \
		.store = inner                                                 \
	}

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

#define UTIL "java.util."
#define CONCURRENT "java.util.concurrent."
#define IMMUTABLE "java.util.ImmutableCollections$"
#define GUAVA "com.google.common.collect."
#define SCALA "scala.collection."
#define RED_BLACK "scala$collection$immutable$RedBlackTree$Tree$$"

const struct hp_form hp_forms[] = {
	/* ---- java.util ------------------------------------------------- */
	ARRAY(UTIL "ArrayList", LIST, "size", "elementData|array"),
	ARRAY(UTIL "Vector", LIST, "elementCount", "elementData"),
	ARRAY(UTIL "Arrays$ArrayList", LIST, NULL, "a"),
	ARRAY(UTIL "PriorityQueue", QUEUE, "size", "queue"),
	ARRAY(CONCURRENT "PriorityBlockingQueue", QUEUE, "size", "queue"),
	ARRAY(CONCURRENT "ScheduledThreadPoolExecutor$DelayedWorkQueue", QUEUE,
	      "size", "queue"),
	ARRAY(CONCURRENT "CopyOnWriteArrayList", LIST, NULL, "array|elements"),
	ARRAY(IMMUTABLE "ListN", LIST, NULL, "elements"),
	{ .class_name = UTIL "TaskQueue", /* of a Timer, from slot 1 on */
	  .kind = QUEUE,
	  .shape = HPROF_COLLECTION_ARRAY,
	  .walk = HP_WALK_SLOTS,
	  .size = "size",
	  .store = "queue" },
	RING(UTIL "ArrayDeque", QUEUE, NULL, "elements", "head", "tail"),
	RING(CONCURRENT "ArrayBlockingQueue", QUEUE, "count", "items",
	     "takeIndex", NULL),
	{ .class_name = UTIL "LinkedHashMap", /* in the order of insertion */
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_CHAIN,
	  .size = "size",
	  .store = "table",
	  .key = "key",
	  .value = "value",
	  .next = "after",
	  .first = "head" },
	BUCKETS(UTIL "HashMap", MAP, "size", "table", "key", "value", "next"),
	/* Since JDK 9 Properties is a wrapper that inherits an unused table. */
	WRAPPER(UTIL "Properties", MAP, INNER, "map"),
	BUCKETS(UTIL "Hashtable", MAP, "count", "table", "key", "value",
		"next"),
	BUCKETS(UTIL "WeakHashMap", MAP, "size", "table", "referent", "value",
		"next"),
	PAIRS(UTIL "IdentityHashMap", MAP, "size", "table"),
	COLUMNS(UTIL "EnumMap", MAP, "size", "vals", "keyUniverse", "vals"),
	{ .class_name = CONCURRENT "ConcurrentHashMap",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_BUCKETS,
	  .size = "baseCount",
	  .store = "table",
	  .key = "key",
	  .value = "val",
	  .next = "next",
	  .cells = "counterCells" },
	{ .class_name = CONCURRENT "ConcurrentHashMap", /* JDK 7 */
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_SEGMENTS,
	  .store = "segments",
	  .key = "key",
	  .value = "value",
	  .next = "next",
	  .table = "table" },
	{ .class_name = "java.lang.ThreadLocal$ThreadLocalMap",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_BUCKETS,
	  .size = "size",
	  .store = "table",
	  .key = "referent",
	  .value = "value" },
	CHAIN(UTIL "LinkedList", LIST, "size", "first", NULL, "item", "next"),
	CHAIN(CONCURRENT "LinkedBlockingDeque", QUEUE, "count", "first", NULL,
	      "item", "next"),
	AFTER(CONCURRENT "LinkedBlockingQueue", QUEUE, "count.value", "head",
	      NULL, "item", "next"),
	CHAIN(CONCURRENT "ConcurrentLinkedQueue", QUEUE, NULL, "head", NULL,
	      "item", "next"),
	CHAIN(CONCURRENT "ConcurrentLinkedDeque", QUEUE, NULL, "head", NULL,
	      "item", "next"),
	CHAIN(CONCURRENT "LinkedTransferQueue", QUEUE, NULL, "head", NULL,
	      "item", "next"),
	{ .class_name = CONCURRENT "ConcurrentSkipListMap", /* since JDK 9 */
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_LINKED,
	  .walk = HP_WALK_AFTER,
	  .size = "adder.base",
	  .store = "head.node",
	  .key = "key",
	  .value = "val|value",
	  .next = "next",
	  .cells = "adder.cells" },
	AFTER(CONCURRENT "ConcurrentSkipListMap", MAP, NULL, "head.node", "key",
	      "val|value", "next"),
	TREE(UTIL "TreeMap", MAP, "size", "root", "key", "value"),
	FIELDS(UTIL "Collections$SingletonList", LIST, NULL, "element"),
	FIELDS(UTIL "Collections$SingletonSet", SET, NULL, "element"),
	FIELDS(UTIL "Collections$SingletonMap", MAP, "k", "v"),
	EMPTY(UTIL "Collections$EmptyList", LIST),
	EMPTY(UTIL "Collections$EmptySet", SET),
	EMPTY(UTIL "Collections$EmptyMap", MAP),
	FIELDS(IMMUTABLE "List12", LIST, NULL, "e0,e1"),
	FIELDS(IMMUTABLE "Set12", SET, NULL, "e0,e1"),
	FIELDS(IMMUTABLE "Map1", MAP, "k0", "v0"),
	SLOTS(IMMUTABLE "SetN", SET, "size", "elements"),
	PAIRS(IMMUTABLE "MapN", MAP, "size", "table"),

	WRAPPER(UTIL "HashSet", SET, KEYS, "map|backingMap"),
	WRAPPER(UTIL "TreeSet", SET, KEYS, "m|backingMap"),
	WRAPPER(CONCURRENT "ConcurrentSkipListSet", SET, KEYS, "m"),
	WRAPPER(CONCURRENT "CopyOnWriteArraySet", SET, INNER, "al"),
	WRAPPER(CONCURRENT "ConcurrentHashMap$KeySetView", SET, KEYS, "map"),
	WRAPPER(CONCURRENT "ConcurrentHashMap$ValuesView", LIST, VALUES, "map"),
	WRAPPER(CONCURRENT "DelayQueue", QUEUE, INNER, "q"),
	WRAPPER(UTIL "Collections$SetFromMap", SET, KEYS, "m"),
	WRAPPER(UTIL "Collections$AsLIFOQueue", QUEUE, INNER, "q"),
	WRAPPER(UTIL "Collections$UnmodifiableCollection", LIST, INNER, "c"),
	WRAPPER(UTIL "Collections$UnmodifiableList", LIST, INNER, "list"),
	WRAPPER(UTIL "Collections$UnmodifiableSet", SET, INNER, "c"),
	WRAPPER(UTIL "Collections$UnmodifiableMap", MAP, INNER, "m"),
	WRAPPER(UTIL "Collections$UnmodifiableSequencedCollection", LIST, INNER,
		"c"),
	WRAPPER(UTIL "Collections$UnmodifiableSequencedSet", SET, INNER, "c"),
	WRAPPER(UTIL "Collections$UnmodifiableSequencedMap", MAP, INNER, "m"),
	WRAPPER(UTIL "Collections$SynchronizedCollection", LIST, INNER, "c"),
	WRAPPER(UTIL "Collections$SynchronizedList", LIST, INNER, "list"),
	WRAPPER(UTIL "Collections$SynchronizedSet", SET, INNER, "c"),
	WRAPPER(UTIL "Collections$SynchronizedMap", MAP, INNER, "m"),
	WRAPPER(UTIL "Collections$CheckedCollection", LIST, INNER, "c"),
	WRAPPER(UTIL "Collections$CheckedList", LIST, INNER, "list"),
	WRAPPER(UTIL "Collections$CheckedSet", SET, INNER, "c"),
	WRAPPER(UTIL "Collections$CheckedMap", MAP, INNER, "m"),

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

	/* ---- Caffeine ------------------------------------------------------ */
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

	/* ---- Scala ------------------------------------------------------- */
	CHAIN(SCALA "immutable.$colon$colon", LIST, NULL, "", NULL,
	      "head|scala$collection$immutable$$colon$colon$$hd",
	      "next|tl|tail|scala$collection$immutable$$colon$colon$$tl"),
	EMPTY(SCALA "immutable.Nil$", LIST),
	ARRAY(SCALA "mutable.ArrayBuffer", LIST, "size0", "array"),
	ARRAY(SCALA "mutable.ArrayBuffer", LIST, "size", "array"),
	ARRAY(SCALA "immutable.ArraySeq$ofRef", LIST, NULL, "unsafeArray"),
	ARRAY(SCALA "mutable.ArraySeq$ofRef", LIST, NULL, "array"),
	ARRAY(SCALA "mutable.WrappedArray$ofRef", LIST, NULL, "array"),
	WRAPPER(SCALA "mutable.ListBuffer", LIST, INNER, "first|start"),
	RING(SCALA "mutable.ArrayDeque", QUEUE, NULL,
	     "scala$collection$mutable$ArrayDeque$$array|array",
	     "scala$collection$mutable$ArrayDeque$$start|start",
	     "scala$collection$mutable$ArrayDeque$$end|end"),
	BUCKETS(SCALA "mutable.HashMap", MAP, "contentSize",
		"scala$collection$mutable$HashMap$$table|table",
		"_key|scala$collection$mutable$HashMap$Node$$_key|key",
		"_value|scala$collection$mutable$HashMap$Node$$_value|value",
		"_next|scala$collection$mutable$HashMap$Node$$_next|next"),
	BUCKETS(SCALA "mutable.HashMap", MAP, "tableSize", "table", "key",
		"value", "next"),
	BUCKETS(SCALA "mutable.HashSet", SET, "contentSize",
		"scala$collection$mutable$HashSet$$table|table", NULL,
		"_key|scala$collection$mutable$HashSet$Node$$_key|key",
		"_next|scala$collection$mutable$HashSet$Node$$_next|next"),
	CHAIN(SCALA "mutable.LinkedHashMap", MAP, "contentSize|tableSize",
	      "firstEntry", "key", "value", "later"),
	CHAIN(SCALA "mutable.LinkedHashSet", SET, "contentSize|tableSize",
	      "firstEntry", NULL, "key", "later"),
	FIELDS(SCALA "immutable.Map$Map1", MAP,
	       "key1|scala$collection$immutable$Map$Map1$$key1",
	       "value1|scala$collection$immutable$Map$Map1$$value1"),
	FIELDS(SCALA "immutable.Map$Map2", MAP,
	       "key1|scala$collection$immutable$Map$Map2$$key1,"
	       "key2|scala$collection$immutable$Map$Map2$$key2",
	       "value1|scala$collection$immutable$Map$Map2$$value1,"
	       "value2|scala$collection$immutable$Map$Map2$$value2"),
	FIELDS(SCALA "immutable.Map$Map3", MAP,
	       "key1|scala$collection$immutable$Map$Map3$$key1,"
	       "key2|scala$collection$immutable$Map$Map3$$key2,"
	       "key3|scala$collection$immutable$Map$Map3$$key3",
	       "value1|scala$collection$immutable$Map$Map3$$value1,"
	       "value2|scala$collection$immutable$Map$Map3$$value2,"
	       "value3|scala$collection$immutable$Map$Map3$$value3"),
	FIELDS(SCALA "immutable.Map$Map4", MAP,
	       "key1|scala$collection$immutable$Map$Map4$$key1,"
	       "key2|scala$collection$immutable$Map$Map4$$key2,"
	       "key3|scala$collection$immutable$Map$Map4$$key3,"
	       "key4|scala$collection$immutable$Map$Map4$$key4",
	       "value1|scala$collection$immutable$Map$Map4$$value1,"
	       "value2|scala$collection$immutable$Map$Map4$$value2,"
	       "value3|scala$collection$immutable$Map$Map4$$value3,"
	       "value4|scala$collection$immutable$Map$Map4$$value4"),
	EMPTY(SCALA "immutable.Map$EmptyMap$", MAP),
	EMPTY(SCALA "immutable.Set$EmptySet$", SET),
	FIELDS(SCALA "immutable.Set$Set1", SET, NULL,
	       "elem1|scala$collection$immutable$Set$Set1$$elem1"),
	FIELDS(SCALA "immutable.Set$Set2", SET, NULL,
	       "elem1|scala$collection$immutable$Set$Set2$$elem1,"
	       "elem2|scala$collection$immutable$Set$Set2$$elem2"),
	TRIE(SCALA "immutable.HashMap", MAP, "rootNode.size", "rootNode"),
	TRIE(SCALA "immutable.HashSet", SET, "rootNode.size", "rootNode"),
	VECTOR(SCALA "immutable.Vector*", VECTOR, "length0", "prefix1", NULL),
	ARRAY(SCALA "immutable.Vector1", LIST, NULL, "prefix1"),
	VECTOR(SCALA "immutable.Vector", DISPLAY, "endIndex", "display0",
	       "startIndex"),
	TREE(SCALA "immutable.TreeMap", MAP, "tree.count|tree._count", "tree",
	     "key|_key|" RED_BLACK "_key", "value|_value|" RED_BLACK "_value"),
	TREE(SCALA "immutable.TreeSet", SET, "tree.count|tree._count", "tree",
	     NULL, "key|_key|" RED_BLACK "_key"),
	TRIE(SCALA "concurrent.TrieMap", MAP, NULL, "root"),

	/* ---- Kotlin ------------------------------------------------------ */
	RING("kotlin.collections.ArrayDeque", QUEUE, "size", "elementData",
	     "head", NULL),
	ARRAY("kotlin.collections.builders.ListBuilder", LIST, "length",
	      "backing|array"),
	COLUMNS("kotlin.collections.builders.MapBuilder", MAP, "size",
		"keysArray", "keysArray", "valuesArray"),
	WRAPPER("kotlin.collections.builders.SetBuilder", SET, KEYS, "backing"),
	EMPTY("kotlin.collections.EmptyList", LIST),
	EMPTY("kotlin.collections.EmptySet", SET),
	EMPTY("kotlin.collections.EmptyMap", MAP),

	/* ---- Groovy ------------------------------------------------------ */
	ARRAY("org.codehaus.groovy.util.FastArray", LIST, "size", "data"),
	BUCKETS("org.codehaus.groovy.util.ComplexKeyHashMap", MAP, "size",
		"table", "key|name", "value", "next"),
	{ .class_name = "org.codehaus.groovy.util.AbstractConcurrentMapBase",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_HASH,
	  .walk = HP_WALK_SEGMENTS,
	  .store = "segments",
	  .key = "key|referent",
	  .value = "value",
	  .next = "next",
	  .table = "table" },

	/* ---- Clojure ----------------------------------------------------- */
	TRIE("clojure.lang.PersistentHashMap", MAP, "count|_count", "root"),
	VECTOR("clojure.lang.PersistentVector", TAIL, "cnt", "root", NULL),
	{ .class_name = "clojure.lang.PersistentArrayMap",
	  .kind = MAP,
	  .shape = HPROF_COLLECTION_ARRAY,
	  .walk = HP_WALK_PAIRS,
	  .store = "array" },
	CHAIN("clojure.lang.PersistentList", LIST, "_count", "", NULL, "_first",
	      "_rest"),
	TREE("clojure.lang.PersistentTreeMap", MAP, "_count", "tree", "key",
	     "val"),
	/* A sequence of any kind, and a vector. */
	{ .class_name = "clojure.lang.PersistentQueue",
	  .kind = QUEUE,
	  .shape = HPROF_COLLECTION_LINKED,
	  .walk = HP_WALK_NONE,
	  .size = "cnt",
	  .store = "f" },
	WRAPPER("clojure.lang.APersistentSet", SET, KEYS, "impl"),

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
const size_t hp_form_count = sizeof hp_forms / sizeof *hp_forms;
