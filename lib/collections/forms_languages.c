/* SPDX-License-Identifier: MIT */
/*
 * forms_languages.c - the collections of other languages than Java; see forms.h.
 *
 * Fields are those of the versions that are in use.
 */
#include "collections/forms_lines.h"

#define SCALA "scala.collection."
#define RED_BLACK "scala$collection$immutable$RedBlackTree$Tree$$"
#define NEW_RED_BLACK "scala$collection$immutable$NewRedBlackTree$Tree$$"
#define TREE_COUNT                                                              \
	"tree.count|_count|" RED_BLACK "_count|" NEW_RED_BLACK "_count"
#define TREE_KEY "key|_key|" RED_BLACK "_key|" NEW_RED_BLACK "_key"
#define TREE_VALUE                                                              \
	"value|_value|" RED_BLACK "_value|" NEW_RED_BLACK "_value"
#define CONS_HEAD "head|scala$collection$immutable$$colon$colon$$hd"
#define CONS_TAIL "next|tl|tail|scala$collection$immutable$$colon$colon$$tl"
#define NODE_TRIE(name, kind_, size_)                                           \
	{                                                                      \
		.class_name = name, .kind = kind_,                             \
		.shape = HPROF_COLLECTION_TREE, .walk = HP_WALK_TRIE,          \
		.size = size_, .store = "", .no_waste = true                   \
	}

#define PERSISTENT "kotlinx.collections.immutable.implementations.immutable"
#define ORDERED                                                                 \
	"kotlinx.collections.immutable.implementations.persistentOrdered"
#define LINKED_TRIE(name, inner)                                                \
	{                                                                      \
		.class_name = ORDERED name, .kind = MAP,                       \
		.shape = HPROF_COLLECTION_WRAPPER, .walk = HP_WALK_TRIE,       \
		.size = inner ".size", .store = inner,                         \
		.value = "value", .first = inner ".node"                       \
	}

static const struct hp_form forms[] = {
	/* ---- Scala ------------------------------------------------------- */
	CHAIN(SCALA "immutable.$colon$colon", LIST, NULL, "", NULL, CONS_HEAD,
	      CONS_TAIL),
	EMPTY(SCALA "immutable.Nil$", LIST),
	ARRAY(SCALA "mutable.ArrayBuffer", LIST, "size0", "array"),
	ARRAY(SCALA "mutable.ArrayBuffer", LIST, "size", "array"),
	ARRAY(SCALA "immutable.ArraySeq$ofRef", LIST, NULL, "unsafeArray"),
	ARRAY(SCALA "mutable.ArraySeq$ofRef", LIST, NULL, "array"),
	ARRAY(SCALA "mutable.WrappedArray$ofRef", LIST, NULL, "array"),
	CHAIN(SCALA "mutable.ListBuffer", LIST, "len",
	      "first|start|scala$collection$mutable$ListBuffer$$start", NULL,
	      CONS_HEAD, CONS_TAIL),
	CHAIN(SCALA "mutable.ListMap", MAP, "siz", "elems",
	      "head._1|scala$collection$immutable$$colon$colon$$hd._1",
	      "head._2|scala$collection$immutable$$colon$colon$$hd._2",
	      CONS_TAIL),
	/* The newest is the first. */
	CHAIN(SCALA "immutable.ListMap$Node", MAP, NULL, "", "key",
	      "value|_value", "_init|$outer"),
	CHAIN(SCALA "immutable.ListSet$Node", SET, NULL, "", NULL, "elem",
	      "$outer"),
	EMPTY(SCALA "immutable.ListMap$EmptyListMap$", MAP),
	EMPTY(SCALA "immutable.ListSet$EmptyListSet$", SET),
	/* Before 2.13; the last link is none, and leads to itself. */
	CHAIN(SCALA "mutable.MutableList", LIST, "len", "first0", NULL, "elem",
	      "next"),
	WRAPPER(SCALA "mutable.Stack", LIST, INNER, "elems"),
	ARRAY(SCALA "mutable.ArrayStack", LIST,
	      "scala$collection$mutable$ArrayStack$$index",
	      "scala$collection$mutable$ArrayStack$$table"),
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
	SLOTS(SCALA "mutable.HashSet", SET, "tableSize", "table"),
	COLUMNS(SCALA "mutable.AnyRefMap", MAP, "_size",
		"scala$collection$mutable$AnyRefMap$$_keys",
		"scala$collection$mutable$AnyRefMap$$_keys",
		"scala$collection$mutable$AnyRefMap$$_values"),
	BITS(SCALA "mutable.BitSet", "elems", NULL),
	BITS(SCALA "immutable.BitSet$BitSetN", "elems", NULL),
	WRAPPER(SCALA "convert.*JMapWrapper", MAP, INNER, "underlying"),
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
	FIELDS(SCALA "immutable.Set$Set3", SET, NULL, "elem1,elem2,elem3"),
	FIELDS(SCALA "immutable.Set$Set4", SET, NULL,
	       "elem1,elem2,elem3,elem4"),
	FIELDS(SCALA "immutable.SeqMap$SeqMap1", MAP, "key1", "value1"),
	FIELDS(SCALA "immutable.SeqMap$SeqMap2", MAP, "key1,key2",
	       "value1,value2"),
	FIELDS(SCALA "immutable.SeqMap$SeqMap3", MAP, "key1,key2,key3",
	       "value1,value2,value3"),
	FIELDS(SCALA "immutable.SeqMap$SeqMap4", MAP, "key1,key2,key3,key4",
	       "value1,value2,value3,value4"),
	EMPTY(SCALA "immutable.SeqMap$EmptySeqMap$", MAP),
	TRIE(SCALA "immutable.HashMap", MAP, "rootNode.size", "rootNode"),
	TRIE(SCALA "immutable.HashSet", SET, "rootNode.size", "rootNode"),
	/* Before 2.13 each node was a map or set itself. */
	NODE_TRIE(SCALA "immutable.HashMap$HashTrieMap", MAP, "size0"),
	NODE_TRIE(SCALA "immutable.HashMap$HashMap1", MAP, NULL),
	NODE_TRIE(SCALA "immutable.HashMap$HashMapCollision1", MAP, NULL),
	EMPTY(SCALA "immutable.HashMap$EmptyHashMap$", MAP),
	NODE_TRIE(SCALA "immutable.HashSet$HashTrieSet", SET, "size0"),
	NODE_TRIE(SCALA "immutable.HashSet$HashSet1", SET, NULL),
	NODE_TRIE(SCALA "immutable.HashSet$HashSetCollision1", SET, NULL),
	EMPTY(SCALA "immutable.HashSet$EmptyHashSet$", SET),
	VECTOR(SCALA "immutable.Vector*", VECTOR, "length0", "prefix1", NULL),
	ARRAY(SCALA "immutable.Vector1", LIST, NULL, "prefix1"),
	VECTOR(SCALA "immutable.Vector", DISPLAY, "endIndex", "display0",
	       "startIndex"),
	TREE(SCALA "immutable.TreeMap", MAP, TREE_COUNT, "tree", TREE_KEY,
	     TREE_VALUE),
	TREE(SCALA "immutable.TreeSet", SET, TREE_COUNT, "tree", NULL,
	     TREE_KEY),
	TREE(SCALA "mutable.TreeMap", MAP,
	     "scala$collection$mutable$TreeMap$$tree.size",
	     "scala$collection$mutable$TreeMap$$tree.root", "key", "value"),
	TREE(SCALA "mutable.TreeSet", SET,
	     "scala$collection$mutable$TreeSet$$tree.size",
	     "scala$collection$mutable$TreeSet$$tree.root", NULL, "key"),
	TRIE(SCALA "concurrent.TrieMap", MAP, NULL, "root"),

	/* ---- Kotlin ------------------------------------------------------ */
	RING("kotlin.collections.ArrayDeque", QUEUE, "size", "elementData",
	     "head", NULL),
	RING("kotlin.collections.builders.ListBuilder", LIST, "length", "array",
	     "offset", NULL),
	ARRAY("kotlin.collections.builders.ListBuilder", LIST, "length",
	      "backing"),
	SUBLIST("kotlin.collections.builders.ListBuilder$BuilderSubList",
		"length", "backing", "offset"),
	COLUMNS("kotlin.collections.builders.MapBuilder", MAP, "size",
		"keysArray", "keysArray", "valuesArray"),
	WRAPPER("kotlin.collections.builders.SetBuilder", SET, KEYS, "backing"),
	ARRAY(PERSISTENT "List.SmallPersistentVector", LIST, NULL, "buffer"),
	VECTOR(PERSISTENT "List.PersistentVector", TAIL, "size", "root", NULL),
	VECTOR(PERSISTENT "List.PersistentVectorBuilder", TAIL, "size", "root",
	       NULL),
	TRIE(PERSISTENT "Map.PersistentHashMap", MAP, "size", "node"),
	TRIE(PERSISTENT "Map.PersistentHashMapBuilder", MAP, "size", "node"),
	TRIE(PERSISTENT "Set.PersistentHashSet", SET, "size", "node"),
	TRIE(PERSISTENT "Set.PersistentHashSetBuilder", SET, "size", "node"),
	/* The values of the inner map have the order, too. */
	LINKED_TRIE("Map.PersistentOrderedMap", "hashMap"),
	LINKED_TRIE("Map.PersistentOrderedMapBuilder", "hashMapBuilder"),
	WRAPPER(ORDERED "Set.PersistentOrderedSet", SET, KEYS, "hashMap"),
	WRAPPER(ORDERED "Set.PersistentOrderedSetBuilder", SET, KEYS,
		"hashMapBuilder"),
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
	  .key = "key|ref.ref|referent",
	  .value = "value",
	  .next = "next",
	  .table = "table" },
	{ .class_name = "*.concurrentlinkedhashmap.ConcurrentLinkedHashMap",
	  .kind = MAP, /* nodes of its own are the values of the inner map */
	  .shape = HPROF_COLLECTION_WRAPPER,
	  .walk = HP_WALK_BUCKETS,
	  .size = "data.baseCount",
	  .store = "data",
	  .key = "key",
	  .value = "val.value.value",
	  .next = "next",
	  .first = "data.table",
	  .cells = "data.counterCells" },
	WRAPPER("org.codehaus.groovy.runtime.memoize.LRUCache", MAP, INNER,
		"map"),
	WRAPPER("org.codehaus.groovy.runtime.memoize.ConcurrentCommonCache",
		MAP, INNER, "commonCache"),
	WRAPPER("org.codehaus.groovy.runtime.memoize.CommonCache", MAP, INNER,
		"map"),
	WRAPPER("groovy.util.ObservableList", LIST, INNER, "delegate"),
	WRAPPER("groovy.util.ObservableSet", SET, INNER, "delegate"),
	WRAPPER("groovy.util.ObservableMap", MAP, INNER, "delegate"),
	WRAPPER("groovy.util.ConfigObject", MAP, INNER, "delegateMap"),

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
	EMPTY("clojure.lang.PersistentList$EmptyList", LIST),
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
};

const struct hp_form_table hp_forms_languages = {
	forms,
	sizeof forms / sizeof *forms,
};
