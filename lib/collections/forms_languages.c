/* SPDX-License-Identifier: MIT */
/*
 * forms_languages.c - the collections of other languages than Java; see forms.h.
 *
 * Fields are those of the versions that are in use.
 */
#include "collections/forms_lines.h"

#define SCALA "scala.collection."
#define RED_BLACK "scala$collection$immutable$RedBlackTree$Tree$$"

static const struct hp_form forms[] = {
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
};

const struct hp_form_table hp_forms_languages = {
	forms,
	sizeof forms / sizeof *forms,
};
