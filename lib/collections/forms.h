/* SPDX-License-Identifier: MIT */
/*
 * forms.h - what is known of the layouts of collections: one line for each
 * class, of which there may be several for layouts of different versions.
 *
 * A line names fields. A class matches if it has all the fields that the line
 * names, with the right types. Names are looked for in the class of the line
 * and its superclasses, not in subclasses, which may have fields of the same
 * name.
 *
 * In a name, "a|b" is the first of a and b that there is; "a.b" is field b of
 * the object in field a, which is not read to recognise a class. "a?b" is the
 * same if that object is of a class with such a field, but none of the Java
 * runtime, and otherwise the object: caches have keys and values, or references
 * of their own to them. Of nodes, the fields are looked up when a node is
 * visited, and missing ones are null.
 */
#ifndef HP_FORMS_H
#define HP_FORMS_H

#include "hprof/collection.h"

/* How to find the entries. */
enum hp_walk {
	HP_WALK_NONE,  /* not known; the size is */
	HP_WALK_ARRAY, /* STORE[0 .. size) */
	HP_WALK_SLOTS, /* all elements of STORE but nulls */
	HP_WALK_RING,  /* STORE[KEY ..], up to VALUE or, without it, SIZE */
	HP_WALK_PAIRS, /* STORE has a key, its value, a key ... */
	/* The bits of KEY, a number or an array of them, tell which elements of
	   STORE there are; without KEY those of STORE, whose numbers are the
	   elements */
	HP_WALK_BITS,
	/* KEY and VALUE are arrays, or the entry of a wrapper; STORE is one of
	   them, or what the wrapper wraps, which has the size. Of the shape
	   ARRAY, the first SIZE elements are in use */
	HP_WALK_COLUMNS,
	HP_WALK_BUCKETS,  /* STORE, or FIRST, has nodes with KEY, VALUE, NEXT */
	HP_WALK_SEGMENTS, /* STORE has objects with such an array in TABLE */
	HP_WALK_CHAIN,	  /* STORE is the first node, with VALUE and NEXT */
	HP_WALK_AFTER,	  /* the same, but the first one has no entry */
	HP_WALK_TREE,	  /* STORE is the root; KEY, VALUE, left and right */
	HP_WALK_FIELDS,	  /* KEY and VALUE are lists of names: "k1,k2" */
	HP_WALK_INNER,	  /* STORE is another collection */
	HP_WALK_KEYS,	  /* the same, a map of which the keys are elements */
	HP_WALK_VALUES,	  /* the same with its values */
	HP_WALK_TRIE,	  /* STORE is the root of a hash trie */
	HP_WALK_VECTOR,	  /* arrays of arrays: Scala's vector */
	HP_WALK_DISPLAY,  /* the same before 2.13, from number KEY on */
	HP_WALK_TAIL	  /* Clojure's and Kotlin's: nodes, and a tail */
};

struct hp_form {
	const char *class_name; /* the first '*' stands for any text */
	unsigned char kind, shape, walk;
	/*
	 * The number of entries. NULL: the storage tells it if it is an array
	 * or fields; the null values of a chain without a size are no entries.
	 */
	const char *size;
	/* A reference; "": the collection itself is the first node. */
	const char *store;
	const char *key, *value, *next;
	const char *table; /* HP_WALK_SEGMENTS: the array of a segment */
	const char *first; /* HP_WALK_CHAIN and BUCKETS: if it is not STORE */
	/* Striped counters that belong to the size: an array of objects with
	   a field "value". */
	const char *cells;
	/* Of arrays by hash: the last slot is that of the key, or element, 0,
	   which is there if this field is true; others with 0 are empty. */
	const char *zero;
	/* Of trees: a number in a node; if its bits 30 and 31 are set, left and
	   right lead to the neighbours in order, not down. */
	const char *threads;
	/* A view of another collection, or nothing that could do with less. */
	bool no_waste;
};

/* The lines of a class are neighbours; the first that fits counts. */
struct hp_form_table {
	const struct hp_form *forms;
	size_t count;
};

extern const struct hp_form_table hp_forms_java;
extern const struct hp_form_table hp_forms_languages;
extern const struct hp_form_table hp_forms_libraries;

/* Of all lines that with this number, from 0 on; NULL: there are no more. */
const struct hp_form *hp_form_get(size_t number);

#endif
