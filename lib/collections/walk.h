/* SPDX-License-Identifier: MIT */
/*
 * walk.h - a walk over the entries of a collection, and how nodes are walked.
 *
 * A collection of a hostile dump may be a circle. No walk visits more nodes
 * than the dump has objects, so it ends in linear time; trees, tries and vectors
 * also have a limit of depth.
 */
#ifndef HP_WALK_H
#define HP_WALK_H

#include "collections/forms.h"

/* What a caller of hprof_collection_each gets of an entry. */
enum hp_aspect { HP_WHOLE_ENTRY, HP_ONLY_KEYS, HP_ONLY_VALUES };

struct hp_walk_state {
	struct hprof_cursor *cursor;
	const struct hprof_collection *c;
	const struct hp_form *form;
	enum hp_aspect aspect;
	hprof_collection_fn *fn;
	void *user;
	uint64_t most;	/* entries */
	uint64_t nodes; /* that may still be visited */
	uint64_t slots; /* the same of tables, most of which may be empty */
	bool stopped;	/* by the caller, or enough entries */
	struct hprof_collection_walk result;
};

/* Passes one entry on; its number is set here. False: the walk is to end. */
bool hp_walk_emit(struct hp_walk_state *w, struct hprof_collection_entry entry);

/*
 * Each reads the form of W and passes entries on. ARRAY is one of buckets.
 * HPROF_OK also if the walk was stopped, or is odd.
 */
enum hprof_status hp_walk_buckets(struct hp_walk_state *w, uint64_t array);
enum hprof_status hp_walk_chain(struct hp_walk_state *w, uint64_t node);
enum hprof_status hp_walk_tree(struct hp_walk_state *w, uint64_t root);
enum hprof_status hp_walk_trie(struct hp_walk_state *w, uint64_t root);
enum hprof_status hp_walk_bits(struct hp_walk_state *w);

/* How many bits are set, to open a collection; HPROF_END: too many words. */
enum hprof_status hp_walk_count_bits(struct hp_walk_state *w, uint64_t *ret);

/*
 * Vectors: OBJECT is one of Scala, here or in a trie; PAIRS: its elements are
 * tuples of keys and values.
 */
enum hprof_status hp_walk_scala_vector(struct hp_walk_state *w, uint64_t object,
				       bool pairs);
enum hprof_status hp_walk_old_scala_vector(struct hp_walk_state *w);
enum hprof_status hp_walk_clojure_vector(struct hp_walk_state *w);

/* The object with this id; HPROF_NO_OBJECT: null, or it is missing. */
uint64_t hp_walk_follow(const struct hp_walk_state *w, uint64_t id);

/*
 * What field PATH (see forms.h) of OBJECT refers to; HPROF_NO_OBJECT: nothing,
 * or PATH is NULL. Moves the cursor.
 */
enum hprof_status hp_walk_reference(const struct hp_walk_state *w,
				    uint64_t object, const char *path,
				    uint64_t *ret);

/* An entry of two fields of OBJECT; KEY may be NULL. Moves the cursor. */
enum hprof_status hp_walk_pair(const struct hp_walk_state *w, uint64_t object,
			       const char *key, const char *value,
			       struct hprof_collection_entry *ret);

/* Reads up to COUNT elements of an array from FIRST on. */
enum hprof_status hp_walk_elements(struct hp_walk_state *w, uint64_t array,
				   uint64_t first, size_t count,
				   uint64_t *ret_values, size_t *ret_count,
				   unsigned *ret_type);

#endif
